"""Short answers: what counts as the same words, and how far others overlap."""

from __future__ import annotations

import pytest

from tasks.grading import grade
from tasks.grading.span import normalised, token_f1


@pytest.mark.parametrize(
    ("code", "gold", "text"),
    [
        ("en", "the Andes", "Andes."),
        ("en", "an owl", "OWL"),
        ("de", "ein Uhu", "der Uhu"),
        ("de", "Ende", "das Ende"),
        ("fr", "l'Aude", "Aude"),
        ("fr", "les Andes", "« Andes »"),
        ("it", "un'isola", "l\u2019isola"),
        ("es", "los Andes", "Andes"),
        ("pt", "os Andes", "Andes"),
        ("ar", "الجزائر", "جزائر"),
        ("ar", "مَكَّة", "مكة"),
        ("ru", "Орёл", "орел"),
        ("zh", "长江，黄河", "长江、黄河。"),
        ("ja", "富士山", "「富士山」"),
        ("zh", "1949年", "１９４９年"),
        ("de", "Weißensee", "WEISSENSEE"),
        ("en", "J.S. Bach", "JS Bach"),
        ("en", "O\u2019Neill", "O'Neill"),
        ("en", "4,250", "4250"),
        ("de", "4.250", "4250"),
        ("fr", "4 250", "4\u202f250"),
        ("en", "2.50", "2.5"),
        ("en", "1914-1918", "1914–1918"),
        ("es", "Costa\u200b Rica", "Costa Rica"),
        ("en", "The The", "the the"),
        ("en", "???", "???"),
        ("en", "vitamin A", "Vitamin A"),
        ("pt", "A", "a"),
        ("en", "Lima", "The answer is Lima."),
        ("en", "Lima", "**Answer:** Lima\n\nIt is the capital of Peru."),
        ("zh", "利马", "答案是利马。"),
    ],
)
def test_the_same_answer_in_another_dress_is_right(code: str, gold: str, text: str) -> None:
    assert grade("span", code, [gold], text)[::2] == ("right", 1.0)


@pytest.mark.parametrize(
    ("code", "gold", "text"),
    [
        ("en", "The The", "Sell Out"),
        ("en", "???", "Lima"),
        ("pt", "A", "O"),
        ("en", "3.5", "35"),
        ("en", "10:45", "1045"),
        ("en", "-7", "7"),
        ("de", "3,5", "35"),
        ("en", "no", "yes"),
        ("ja", "富士山", "大阪"),
    ],
)
def test_another_answer_is_wrong(code: str, gold: str, text: str) -> None:
    assert grade("span", code, [gold], text)[::2] == ("wrong", 0.0)


@pytest.mark.parametrize(
    ("code", "gold", "text", "score"),
    [
        ("en", "blue whale", "whale", 2 / 3),
        ("en", "7", "7 7 7", 1 / 2),  # a multiset: precision 1/3, recall 1
        ("en", "vitamin A", "vitamin", 2 / 3),  # the last word is no article
        ("pt", "A", "tipo A", 2 / 3),  # the gold's article is a word, so the answer's is too
        ("zh", "火车站", "火车", 4 / 5),
        ("ja", "名古屋城", "名古屋", 6 / 7),
        ("ru", "Нижний Новгород", "Новгород", 2 / 3),
    ],
)
def test_overlap_is_scored(code: str, gold: str, text: str, score: float) -> None:
    assert grade("span", code, [gold], text)[::2] == ("scored", pytest.approx(score))


def test_the_best_of_several_golds_counts() -> None:
    assert grade("span", "en", ["the United Kingdom", "UK"], "uk").status == "right"


def test_punctuation_is_no_answer() -> None:
    assert grade("span", "en", ["Lima"], "...").status == "unparsed"


def test_f1_is_symmetric_and_ignores_order() -> None:
    assert token_f1("red blue", "blue red green", "en") == pytest.approx(4 / 5)
    assert token_f1("blue red green", "red blue", "en") == pytest.approx(4 / 5)


def test_articles_go_unless_nothing_else_is_left() -> None:
    assert normalised("The owl and the cat", "en") == ["owl", "and", "cat"]
    assert normalised("the", "en") == ["the"]
    assert normalised("die Eule", "en") == ["die", "eule"]  # German ones only in German
