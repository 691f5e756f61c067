"""Which option a text settles on: letters, names, second thoughts and words that look like letters.

Rabat is the right one (C) wherever nothing else is said.
"""

from __future__ import annotations

import pytest

from tasks.grading import grade
from tasks.grading.choice import read_label
from tasks.languages import LANGUAGES, LATIN_LETTERS

CITIES = ["Oslo", "Lima", "Rabat", "Quito"]
CYRILLIC = ["А", "Б", "В", "Г"]
KANA = ["ア", "イ", "ウ", "エ"]
NUMBERS = ["1", "2", "3", "4"]
TEN = [f"Q{n}" for n in range(10)]
VITAMINS = ["vitamin A", "vitamin C", "vitamin D", "vitamin K"]


def answer(
    code: str, text: str, options: list[str] = CITIES, letters: list[str] | None = None
) -> str | None:
    return grade("choice", code, "C", text, options=options, letters=letters).answer


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("place", range(4))
def test_every_language_announces_its_letters(code: str, place: int) -> None:
    row, latin = LANGUAGES[code], LATIN_LETTERS[place]
    for shown in (LATIN_LETTERS[:4], row.letters[:4]):
        label = f"{row.answer_word}{row.colon}{shown[place]}"
        verb = f"{row.answer_words[0]} {row.links[0]} {shown[place]}."
        assert answer(code, label, letters=list(shown)) == latin
        assert answer(code, verb, letters=list(shown)) == latin
    assert answer(code, f"**{row.answer_word}{row.colon}{latin}) {CITIES[place]}**") == latin
    assert answer(code, f"{row.answer_word}{row.colon}{CITIES[place]}") == latin


@pytest.mark.parametrize(
    "text",
    [
        "C", " c.\n", "(C)", "[C]", "**C**", "C)", "C. Rabat", "(c) Rabat", "$C$", "Ｃ", "Ⓒ",
        "\\boxed{C}", "\\boxed{\\text{C}}", "<answer>C</answer>", "Rabat", "rabat.", "Rabat (C)",
        "### Answer\nC", "ANSWER: C", "answer: c", "The answer is c.", "the answer is (c).",
        "Answer C", "Answer - C", "Option C", "I believe the right option would be C) Rabat.",
        "The answer is 'C'.", "It must be Rabat.", "It is not Lima. It is Rabat.",
    ],
)  # fmt: skip
def test_a_letter_or_a_name_can_be_dressed_in_many_ways(text: str) -> None:
    assert answer("en", text) == "C"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "A or B? I choose C"),
        ("en", "The answer is C, and A is wrong."),
        ("en", "The answer is C and A is wrong."),
        ("en", "Answer: C. Note that A lies in Norway and B in Peru."),
        ("en", "Answer: C\n\nI hope this answer is a help to you."),
        ("en", "C. Explanation: A, B and D are not in Africa."),
        ("en", "Answer: Rabat\n\nA is Oslo, B is Lima, D is Quito."),
        ("en", "A) Oslo is in Norway. B) Lima is in Peru, so C."),
        ("en", "A is Oslo, but the right one is C"),
        ("en", "C is the correct answer because A and B are elsewhere."),
        ("de", "Die richtige Antwort lautet C, weil A und B falsch sind."),
        ("fr", "C est la bonne réponse car A est fausse."),
        ("es", "La opción C es correcta; la A es incorrecta."),
        ("it", "L'opzione corretta è C perché A è sbagliata"),
        ("ja", "Cが正解です。Aは北欧です。"),
        ("zh", "C是正确的，A在北欧。"),
    ],
)
def test_what_is_announced_counts_more_than_what_is_mentioned(code: str, text: str) -> None:
    assert answer(code, text) == "C"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Answer: A. Wait, no. It's C."),
        ("en", "Answer: A\nOn second thought, Answer: C"),
        ("en", "I said A. No, C."),
        ("de", "Antwort: A. Moment, es ist C"),
        ("fr", "Réponse : A. Non, c'est C"),
        ("es", "Respuesta: A. Mejor dicho, C"),
        ("pt", "Resposta: A. Espera, é C"),
        ("it", "Risposta: A. Anzi, C"),
        ("ru", "Ответ: A. Стоп, ответ C"),
        ("zh", "答案是A。不对，答案是C。"),
    ],
)
def test_second_thoughts_take_back_the_first(code: str, text: str) -> None:
    assert answer(code, text) == "C"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "It isn't A. B is impossible. C."),
        ("en", "Neither A nor B nor D, so C"),
        ("en", "The answer is not A but C"),
        ("en", "C, because A and B are wrong and D can't be right"),
        ("en", "It's C, not D."),
        ("en", "We rule out A, B and D, which leaves C."),
        ("en", "A: wrong. C"),
        ("de", "Weder A noch B. Bleibt C, denn D ist falsch"),
        ("fr", "Ce n'est ni A ni B, c'est C, pas D"),
        ("es", "No es A. C"),
        ("pt", "A resposta não é A, e sim C"),
        ("it", "Non è A, è C"),
        ("ar", "ليس أ ولا ب، بل ج"),
        ("ru", "А неверно, Б тоже неверно, значит C"),
        ("ja", "AではなくCです。"),
        ("ja", "AとBは間違いです。Cにします。"),
        ("zh", "A和B都不对，选C。"),
        ("zh", "排除A、B和D，选C"),
    ],
)
def test_denied_letters_are_not_chosen(code: str, text: str) -> None:
    assert answer(code, text) == "C"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "A or C"),
        ("en", "Answer: B and C"),
        ("en", "Answer: B, C"),
        ("en", "B/C"),
        ("en", "AC"),
        ("en", "Answer: H"),
        ("en", "(F)"),
        ("en", "Answer: it is not C"),
        ("en", "It depends."),
        ("en", "A. Oslo\nB. Lima\nC. Rabat\nD. Quito"),
        ("en", "I am lost"),
        ("en", "A traveller would know."),
        ("en", "The answer is a city."),
        ("en", "It was 30 °C in the U.S.A. when C++ and Plan-B came."),
        ("en", "Not Rabat."),
        ("fr", "A mon avis, cela dépend."),
        ("es", "A veces depende."),
        ("pt", "A resposta depende."),
        ("it", "E poi dipende. A volte no."),
        ("ru", "А вот этого я не знаю. В книге нет."),
        ("ar", "الجواب: تعتمد على السياق"),  # begins with a letter that is no label
        ("ar", "الجواب: ت"),
        ("zh", "龟甲。"),
    ],
)
def test_hedges_words_and_foreign_letters_choose_nothing(code: str, text: str) -> None:
    assert answer(code, text) is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Answer: A because it snows there."),
        ("en", "I would go with A"),
        ("fr", "La réponse est A car il y neige."),
        ("es", "La respuesta es A y no B"),
        ("pt", "A alternativa correta é a letra A"),
        ("pt", "A opção A"),
        ("it", "A è corretta"),
        ("ru", "Ответ: А"),
        ("ru", "Ответ: A"),
        ("ar", "الجواب: ا"),  # a bare alef
        ("ar", "أ"),
    ],
)
def test_letters_that_are_also_words_can_be_chosen(code: str, text: str) -> None:
    assert answer(code, text) == "A"


def test_a_pronoun_is_no_ninth_option() -> None:
    assert answer("en", "I think it is J", TEN) == "J"
    assert answer("en", "I think so", TEN) is None
    assert answer("en", "Answer: I", TEN) == "I"


@pytest.mark.parametrize(
    ("code", "letters", "text", "chosen"),
    [
        ("ru", CYRILLIC, "Ответ: В", "C"),
        ("ru", CYRILLIC, "Ответ: B", "C"),  # typed in Latin, looks like the third
        ("ru", None, "Ответ: В", "B"),  # its Latin twin was shown
        ("ru", None, "Ответ: Г", "D"),
        ("ru", CYRILLIC, "Ответ: Д", None),
        ("ar", ["أ", "ب", "ج", "د"], "الجواب: ج", "C"),
        ("ar", ["أ", "ب", "ج", "د"], "C", "C"),
        ("ja", KANA, "答え：ウ", "C"),
        ("ja", KANA, "ウが正解です", "C"),
        ("zh", ["①", "②", "③", "④"], "答案：③", "C"),
        ("en", NUMBERS, "The answer is 3. Rabat", "C"),
        ("en", NUMBERS, "Answer: 9", None),
        ("en", ["a", "b", "c", "d"], "The answer is c) Rabat", "C"),
        ("ar", None, "الإجابة هـ", None),
    ],
)
def test_the_letters_shown_are_the_letters_read(
    code: str, letters: list[str] | None, text: str, chosen: str | None
) -> None:
    assert answer(code, text, letters=letters) == chosen


@pytest.mark.parametrize(
    ("options", "text", "chosen"),
    [
        (VITAMINS, "The answer is vitamin C.", "B"),
        (VITAMINS, "The answer is C, vitamin D", "C"),
        (["York", "New York", "Bath", "Hull"], "It is New York", "B"),
        (["York", "New York", "Bath", "Hull"], "York", "A"),
        (["Plan D", "Plan C", "Plan B", "Plan A"], "Plan A", "D"),
        (["I only", "II only", "I and II", "neither"], "Answer: I and II", "C"),
        (["the", "an", "a", "-"], "a", "C"),  # the word, as it is written there
        (["B", "A", "D", "C"], "B", "B"),  # the label
        (["B", "AB", "A", "O"], "Answer: O", "D"),  # no label
        (["12", "24", "36", "48"], "The result is 36.", "C"),
        (["1", "2", "3", "4"], "1", "A"),
        (["nein", "null", "None", "NaN"], "None", "C"),
        (["ja", "ja", "nein"], "ja", None),  # two options read the same
        (["大阪", "东京", "京都", "奈良"], "京都。", "C"),
    ],
)
def test_the_options_own_words_are_understood(
    options: list[str], text: str, chosen: str | None
) -> None:
    assert answer("en", text, options) == chosen


def test_a_label_stands_alone_or_before_a_bracket() -> None:
    assert read_label("B) a long answer", "en", LATIN_LETTERS) == 1
    assert read_label("Б", "ru", LATIN_LETTERS) == 1
    assert read_label("A dog", "en", LATIN_LETTERS) is None
    assert read_label("J. Verne", "en", LATIN_LETTERS) is None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["A " * 3000, "A, " * 3000, "not " * 3000, "A or " * 2000, "wait " * 2000, "*" * 9000]
)
def test_no_text_takes_long(text: str) -> None:
    answer("en", text)
