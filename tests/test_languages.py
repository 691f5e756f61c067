"""The rows of the language table: complete, in their own script, and free of contradictions."""

from __future__ import annotations

import unicodedata

import pytest

from tasks.errors import BadInput
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
}
ROWS = [pytest.param(row, id=code) for code, row in LANGUAGES.items()]
KINDS = {"choice", "number", "span", "translation", "math"}


def sentences(row: Language) -> list[str]:
    """All that is written in the language itself."""
    labels = [row.endonym, row.question_word, row.context_word, row.reasoning_word, row.answer_word]
    words = row.answer_words + row.links + row.choosing + row.retractions + row.negations
    words += row.rejections + row.affirmations + row.conjunctions + row.reasons
    marks = row.letters + row.articles + row.elisions + tuple(row.word_letters)
    return [*labels, *words, *marks, *row.instructions.values()]


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


def test_the_roles_are_the_published_ones() -> None:
    assert set(TRAINED) == {"en", "fr", "es", "ar", "pt", "it"}
    assert set(HELD_OUT) == {"de", "ja", "ru", "zh"}
    assert {code for code, row in LANGUAGES.items() if row.role == "other"} == {
        "bn", "sw", "te", "th",
    }  # fmt: skip


def test_an_unknown_code_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'xx' is not known.*\ben, fr\b.*\bth$"):
        language("xx")
    assert language("it").endonym == "italiano"
