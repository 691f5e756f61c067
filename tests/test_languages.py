"""The rows of the language table: complete, in their own script, and free of contradictions."""

from __future__ import annotations

import unicodedata

import pytest

from tasks.errors import BadInput
from tasks.grading import check_gold, grade
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED, Language, language

# How the Unicode names of a script's letters begin.
NAMES = {
    "Latin": ("LATIN",),
    "Arabic": ("ARABIC",),
    "Cyrillic": ("CYRILLIC",),
    "Japanese": ("HIRAGANA", "KATAKANA", "CJK"),
    "Han": ("CJK",),
    "Bengali": ("BENGALI",),
    "Telugu": ("TELUGU",),
    "Thai": ("THAI",),
    "Hangul": ("HANGUL",),
    "Hebrew": ("HEBREW",),
    "Devanagari": ("DEVANAGARI",),
}
ROWS = [pytest.param(row, id=code) for code, row in LANGUAGES.items()]
KINDS = {"choice", "number", "span", "translation", "math"}
OPTIONS = ["one thing", "another", "a third", "a fourth", "a fifth"]
# The digits of the scripts that have their own, as far as the languages here use them.
DIGITS = {
    "ar": "٠١٢٣٤٥٦٧٨٩", "bn": "০১২৩৪৫৬৭৮৯", "hi": "०१२३४५६७८९", "mr": "०१२३४५६७८९",
    "ne": "०१२३४५६७८९", "te": "౦౧౨౩౪౫౬౭౮౯", "th": "๐๑๒๓๔๕๖๗๘๙", "ur": "۰۱۲۳۴۵۶۷۸۹",
}  # fmt: skip


def sentences(row: Language) -> list[str]:
    """All that is written in the language itself."""
    labels = [row.endonym, row.question_word, row.context_word, row.reasoning_word, row.answer_word]
    words = row.answer_words + row.links + row.choosing + row.retractions + row.negations
    words += row.rejections + row.affirmations + row.conjunctions + row.reasons
    asked = [row.reason.format(language=tongue) for tongue in (row.in_own, row.in_english)]
    asked += [row.finish.format(label=row.answer_word), row.reply.format(language=row.in_own)]
    marks = row.letters + row.articles + row.elisions + tuple(row.word_letters)
    return [*labels, *words, *marks, *asked, *row.instructions.values()]


@pytest.mark.parametrize("row", ROWS)
def test_every_string_is_in_the_languages_own_script(row: Language) -> None:
    foreign = {
        text: letter
        for text in sentences(row)
        for letter in text
        if letter.isalpha() and not unicodedata.name(letter).startswith(NAMES[row.script])
    }
    assert foreign == {}


@pytest.mark.parametrize("row", ROWS)
def test_no_string_is_empty_or_decomposed(row: Language) -> None:
    texts = sentences(row)
    assert all(text.strip() == text != "" for text in texts)
    assert [text for text in texts if unicodedata.normalize("NFC", text) != text] == []


@pytest.mark.parametrize("row", ROWS)
def test_matching_words_are_lower_case(row: Language) -> None:
    words = row.answer_words + row.links + row.negations + row.articles + row.elisions
    assert [word for word in words if word != word.lower()] == []


@pytest.mark.parametrize("row", ROWS)
def test_there_are_ten_letters_and_one_instruction_for_each_kind(row: Language) -> None:
    assert len(set(row.letters)) == 10
    assert set(row.instructions) == KINDS
    assert len(set(row.instructions.values())) == len(KINDS)


@pytest.mark.parametrize("row", ROWS)
def test_no_mark_both_groups_and_divides(row: Language) -> None:
    assert set(row.decimal).isdisjoint(row.grouping)


@pytest.mark.parametrize("row", ROWS)
def test_an_affirmation_is_no_rejection(row: Language) -> None:
    assert set(row.affirmations).isdisjoint(row.rejections)
    assert set(row.links).isdisjoint(row.negations)


def chosen(row: Language, *words: str) -> str | None:
    """The letter that an answer of these words, written as the language joins them, settles on."""
    text = (" " if row.spaced else "").join(words)
    return grade("choice", row.code, "B", text, options=OPTIONS).answer


@pytest.mark.parametrize("row", ROWS)
def test_a_letter_is_found_behind_each_of_the_languages_announcements(row: Language) -> None:
    assert chosen(row, f"{row.answer_word}{row.colon}B") == "B"
    assert chosen(row, f"{row.answer_word}{row.colon}({row.letters[1]})") == "B"
    for word in row.answer_words:
        assert chosen(row, f"{word}{row.colon}B.") == "B"
        for link in row.links:
            assert chosen(row, word.capitalize(), link, "B.") == "B", (word, link)
    for word in row.choosing:
        assert chosen(row, word, "B.") == "B", word


@pytest.mark.parametrize("row", ROWS)
def test_letters_are_affirmed_denied_and_taken_back_in_the_languages_words(row: Language) -> None:
    answer = f"{row.answer_word}{row.colon}"
    for word in row.affirmations:
        assert chosen(row, "B", f"{word}.") == "B", word
    for word in row.rejections:
        assert chosen(row, "C", f"{word}.") is None, word
        assert chosen(row, "C", f"{word}. {answer}B") == "B", word
    for word in row.negations:
        assert chosen(row, word, "C.") is None, word
    for word in row.retractions:
        assert chosen(row, f"{answer}C.", f" {word.capitalize()} {answer}B") == "B", word


@pytest.mark.parametrize("row", ROWS)
def test_a_gold_number_passes_as_the_language_writes_it(row: Language) -> None:
    written = f"1{row.grouping[0]}234{row.decimal[0]}5"
    digits = str.maketrans("0123456789", DIGITS.get(row.code, "0123456789"))
    for text in (written, written.translate(digits), f"{row.answer_word}{row.colon}{written}"):
        assert grade("number", row.code, "1,234.5", text).status == "right", text


@pytest.mark.parametrize("row", ROWS)
def test_words_of_the_language_pass_as_golds_of_their_own(row: Language) -> None:
    for text in (row.endonym, row.question_word, *row.instructions.values()):
        assert check_gold("span", row.code, text) is None, text


def test_particles_written_onto_a_korean_letter_are_no_letters() -> None:
    row = language("ko")
    for text in ("정답은 B입니다.", "B가 정답입니다. C는 틀렸습니다.", "C가 아니라 B입니다."):
        assert chosen(row, text) == "B", text


def test_letters_within_words_are_no_labels() -> None:
    for code, text in [
        ("vi", "Bạn nghĩ sao? Ạ"),
        ("yo", "Ẹ kú"),
        ("ur", "کا حل یہ ہے"),
        ("hi", "कि को"),
    ]:
        assert chosen(language(code), text) is None, text


def test_the_roles_are_the_published_ones() -> None:
    assert set(TRAINED) == {"en", "fr", "es", "ar", "pt", "it"}
    assert set(HELD_OUT) == {"de", "ja", "ru", "zh"}
    assert {code for code, row in LANGUAGES.items() if row.role == "other"} == {
        *("af", "bn", "cs", "he", "hi", "hu", "id", "ko", "mr", "ne", "sr", "sw", "te", "th", "uk"),
        *("ur", "vi", "wo", "yo", "zu"),
    }  # fmt: skip


def test_an_unknown_code_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'xx' is not known.*\ben, fr\b.*\bur$"):
        language("xx")
    assert language("it").endonym == "italiano"
