"""Translations: sentence scores in [0, 1], corpus scores with the signatures that explain them."""

from __future__ import annotations

import pytest

from tasks.grading import corpus_translation_scores, grade

LINES = {
    "en": "The bakery opens before sunrise.",
    "zh": "面包店在日出之前开门。",
    "ja": "パン屋は日の出前に開きます。",
    "ar": "يفتح المخبز أبوابه قبل شروق الشمس.",
    "ru": "Пекарня открывается до восхода солнца.",
    "th": "ร้านเบเกอรี่เปิดก่อนพระอาทิตย์ขึ้น",
}


@pytest.mark.parametrize(("code", "line"), LINES.items())
def test_identical_is_perfect_in_every_script(code: str, line: str) -> None:
    assert grade("translation", code, [line], f"{line}\r\n").score == pytest.approx(1.0)
    scores = corpus_translation_scores([line], [[line]], code)
    assert scores["chrf"] == pytest.approx(100.0)
    assert scores["bleu"] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("code", "tokenizer"), [("en", "tok:13a"), ("zh", "tok:zh"), ("ja", "tok:char")]
)
def test_the_signature_names_the_tokenizer(code: str, tokenizer: str) -> None:
    scores = corpus_translation_scores([LINES[code]], [[LINES[code]]], code)
    assert tokenizer in str(scores["bleu_signature"])
    assert "nw:2" in str(scores["chrf_signature"])  # the ++ of chrF++


def test_nearer_is_better_and_unrelated_is_low() -> None:
    gold = [LINES["en"]]
    near = grade("translation", "en", gold, "The bakery opens before dawn.").score
    far = grade("translation", "en", gold, "Nine grey geese flew south.").score
    assert far < 0.25 < near < 1.0


def test_the_best_of_several_references_counts() -> None:
    golds = ["The baker's opens before dawn.", LINES["en"]]
    assert grade("translation", "en", golds, LINES["en"]).score == pytest.approx(1.0)


def test_an_empty_translation_stays_in_the_corpus() -> None:
    line = LINES["en"]
    whole = corpus_translation_scores([line, line], [[line], [line]], "en")
    half = corpus_translation_scores([line, ""], [[line], [line]], "en")
    assert float(half["chrf"]) < float(whole["chrf"])


def test_texts_may_have_different_numbers_of_references() -> None:
    line = LINES["en"]
    scores = corpus_translation_scores([line, line], [[line, "Something else."], [line]], "en")
    assert scores["bleu"] == pytest.approx(100.0)
