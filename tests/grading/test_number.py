"""Numbers as the languages write them, and which number of a text is its answer."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tasks.grading.number import (
    read_answer,
    read_gold,
    read_whole,
    with_plain_numbers,
    written,
)
from tasks.languages import LANGUAGES


def read(text: str, code: str) -> str | None:
    value = read_answer(text, code)
    return None if value is None else written(value)


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        # A lone mark before exactly three digits groups, in every language.
        ("en", "6,400", "6400"),
        ("en", "6.400", "6400"),
        ("de", "6.400", "6400"),
        ("pt", "6,400", "6400"),
        ("fr", "-6.400", "-6400"),
        ("it", "6'400", "6400"),
        # Not behind a leading zero, and not where no group can stand.
        ("en", "0.640", "0.64"),
        ("de", "0,640", "0.64"),
        ("en", "6400.125", "6400.125"),
        ("ru", "6400,125", "6400.125"),
        ("fr", "6 400,125", "6400.125"),
        ("ar", "٦٫٤٠٠", "6.4"),
        # Other lone marks divide.
        ("es", "6,4", "6.4"),
        ("es", "6.4", "6.4"),
        ("it", "3,1416", "3.1416"),
        ("en", ".5", "0.5"),
        # Two kinds of mark say themselves which is which.
        ("pt", "1.234.567,8", "1234567.8"),
        ("en", "1,234,567.8", "1234567.8"),
        ("es", "1,234.5", "1234.5"),
        ("ar", "١٬٢٣٤٬٥٦٧", "1234567"),
        ("bn", "২,৩৪,৫৬৭", "234567"),
        ("ar", "٣،٥", "3.5"),
        # Spaces group, of whatever width.
        ("ru", "73 500", "73500"),
        ("fr", "73\u202f500", "73500"),
        ("de", "1\u00a0073\u2009500", "1073500"),
        ("en", "73 5000", "5000"),
        ("en", "7350 500", "500"),
        # Digits of other scripts and widths.
        ("th", "๙๖", "96"),
        ("te", "౯౬", "96"),
        ("zh", "９６", "96"),
        # Fractions, mixed numbers and signs.
        ("en", "3/8", "0.375"),
        ("en", "1 3/8", "1.375"),
        ("en", "1⅜", "1.375"),
        ("en", "1/3", "1/3"),
        ("en", "\u221296", "-96"),
        ("en", "–96", "-96"),
        ("en", "-$96", "-96"),
    ],
)
def test_a_number_is_read_as_its_language_writes_it(code: str, text: str, value: str) -> None:
    assert read(text, code) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a garden of 84 m²", "84"),
        ("a garden of 84 m2", "84"),
        ("H2O", None),
        ("from 30 to 45-60", "60"),  # a range, not a negative number
        ("room B-12", "12"),
        ("6'11", "11"),
        ("on 24.12.2031", "2031"),
        ("1,2,3,4", "4"),
        ("a score of 3:2", "2"),
        ("84%", "84"),
        ("seven", None),
        ("9" * 5000, None),
    ],
)
def test_what_looks_like_a_number_may_be_part_of_something_else(
    text: str, value: str | None
) -> None:
    assert read(text, "en") == value


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        ("en", "There are 30 in all. The answer is 12, out of 45.", "12"),
        ("en", "The answer is 9. Let me check: no. The answer is 12 of 45.", "12"),
        ("en", "Answer: 12\n\nI hope this answer helps with all 3 parts!", "12"),
        ("en", "**Final Answer:** **12** of 45", "12"),
        ("en", "## Answer\n\n12\n\n45 was too many.", "12"),
        ("en", "so \\boxed{12\\text{ m}} of 45", "12"),
        ("en", "#### 12\n45", "12"),
        ("en", "<answer>12</answer> 45", "12"),
        ("en", "Final answer 12 of 45", "12"),
        ("en", "I will answer in 3 steps, and it comes to 12", "12"),
        ("de", "Die Antwort lautet 12 von 45.", "12"),
        ("de", "Das Ergebnis beträgt 12 von 45.", "12"),
        ("de", "The answer is 12 of 45.", "12"),  # it may have reasoned in English
        ("fr", "La réponse finale est donc : 12 sur 45", "12"),
        ("fr", "Re\u0301ponse : 12 sur 45", "12"),
        ("es", "La respuesta es 12 de 45.", "12"),
        ("pt", "A resposta final é 12 de 45.", "12"),
        ("it", "La risposta corretta è 12 su 45.", "12"),
        ("ar", "ولذلك فإن الجواب هو ١٢ من ٤٥.", "12"),
        ("ru", "Ответ — 12 из 45.", "12"),
        ("ja", "答えは12個で、45個ではありません。", "12"),
        ("zh", "所以答案是１２，不是４５。", "12"),
        ("bn", "**উত্তর: ১২** এর মধ্যে ৪৫", "12"),
        ("sw", "Jibu ni 12 kati ya 45", "12"),
        ("te", "సమాధానం: 12 లో 45", "12"),
        ("th", "คำตอบคือ ๑๒ จาก ๔๕", "12"),
        ("es", "Compró por lo menos 12", "12"),  # "menos" is no sign here
    ],
)
def test_the_first_number_behind_the_last_answer_word_is_the_answer(
    code: str, text: str, value: str
) -> None:
    assert read(text, code) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: 14 + 28 = 42", "42"),
        ("Answer: 14 trees + 28 trees = 42 trees.", "42"),
        ("Answer: $14 × 3 = $42.", "42"),
        ("Answer: (14 + 7) × 2 = 42", "42"),
        ("Answer: total = 14 + 28 = 42 (not 45)", "42"),
        ("Answer: 14 + 28 = 45 - 3 = 42", "42"),
        ("Answer: 14 - 28 = -14", "-14"),
        ("Answer: 42 = 6 * 7", "42"),
        ("Answer: 42. Check: 40 + 5 = 45", "42"),
        ("Answer: 42, as 40 + 5 = 45", "42"),
        ("Answer: 84/2 = 42", "42"),
    ],
)
def test_an_equation_answers_with_its_last_right_hand_side(text: str, value: str) -> None:
    assert read(text, "en") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\\boxed{73{,}500}", "73500"),
        ("\\boxed{73\\,500}", "73500"),
        ("$\\frac{3}{8}$", "0.375"),
        ("\\$96.50", "96.5"),
        ("\\boxed{4 \\times 24 = 96}", "96"),
    ],
)
def test_latex_around_a_number_is_no_hindrance(text: str, value: str) -> None:
    assert read(text, "en") == value


@pytest.mark.parametrize(
    ("gold", "value"),
    [
        ("73,500", Fraction(73500)),
        ("6.125", Fraction(49, 8)),  # never grouping in a gold
        ("-8", Fraction(-8)),
        ("$96", Fraction(96)),
        ("50%", Fraction(50)),
        ("3/8", Fraction(3, 8)),
        ("3/0", None),
        ("1.234,5", None),
        ("twelve", None),
        ("", None),
    ],
)
def test_golds_are_written_the_english_way(gold: str, value: Fraction | None) -> None:
    assert read_gold(gold) == value


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("gold", ["7", "-40", "2,750", "88,000", "1,250,000", "0.5", "12.75"])
def test_a_gold_passes_in_every_language(code: str, gold: str) -> None:
    row = LANGUAGES[code]
    assert read_answer(f"{row.answer_word}{row.colon}{gold}.", code) == read_gold(gold)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("digits", [("1250", "5"), ("88000", "25"), ("40", "75"), ("3", "0625")])
def test_each_language_is_read_with_its_own_marks(code: str, digits: tuple[str, str]) -> None:
    row, (whole, part) = LANGUAGES[code], digits
    grouped = f"{int(whole):,}".replace(",", row.grouping[0])
    text = f"{row.answer_words[0]} {row.links[0]} {grouped}{row.decimal[0]}{part}"
    assert read_answer(text, code) == Fraction(f"{whole}.{part}")


def test_a_whole_text_is_one_number_or_none() -> None:
    assert read_whole("1.500,5 €", "de") == Fraction(3001, 2)
    assert read_whole("**42%**", "en") == 42
    assert read_whole("42 apples", "en") is None
    assert read_whole("4 and 2", "en") is None


def test_numbers_are_written_exactly() -> None:
    big = 10**40 + 1
    assert written(Fraction(big)) == str(big)
    assert written(Fraction(-1, 8)) == "-0.125"
    assert written(Fraction(1, 7)) == "1/7"


def test_plain_numbers_keep_the_text_around_them() -> None:
    assert with_plain_numbers("von 2.750 auf 3,50", "de") == "von 2750 auf 3.5"
    assert with_plain_numbers("le 24.12.2031", "fr") == "le 24.12.2031"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["1+" * 5000, "1 x " * 2000, "1 = " * 500, "1," * 5000, "- " * 5000, "1 a + " * 2000]
)
def test_no_text_takes_long(text: str) -> None:
    read_answer(f"Answer: {text}", "en")
