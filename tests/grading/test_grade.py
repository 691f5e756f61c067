"""Verdicts that a person would give; each row is a kind of fault that graders really have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.errors import BadInput
from tasks.grading import answer_form, check_gold, corpus_translation_scores, grade, same_answer

CASES = Path(__file__).parents[3] / "shared" / "cases" / "grade_cases.jsonl"
CITIES = ["Oslo", "Lima", "Rabat", "Quito"]


@pytest.mark.parametrize(
    ("language", "gold", "text", "status"),
    [
        ("en", "640", "The total comes to 640.00 euros.", "right"),
        ("en", "4800", "Answer: 4,800", "right"),
        ("en", "8", "The answer is 48", "wrong"),  # no suffix match
        ("en", "8", "Answer: -8", "wrong"),
        ("de", "3200", "Die Antwort ist 3.200.", "right"),  # grouping
        ("de", "3.2", "Antwort: 3,2", "right"),
        ("de", "32", "Antwort: 3,2", "wrong"),
        ("fr", "12500", "La réponse est 12\u202f500.", "right"),
        ("es", "7500", "La respuesta es 7,500.", "right"),  # a lone mark before three digits
        ("it", "0.375", "Risposta: 0,375", "right"),  # but not behind a leading zero
        ("ru", "2", "Ответ: 7,2", "wrong"),
        ("ar", "35", "الجواب هو ٣٥", "right"),
        ("ja", "420", "答えは４２０円です。", "right"),
        ("zh", "36", "一共12个，每个3元。答案：36", "right"),
        ("fr", "90", "Réponse : 60 + 30 = 90", "right"),  # the last right-hand side
        ("en", "40", "Answer: 40% of them", "right"),
        ("en", "7", "I cannot tell.", "unparsed"),
        ("en", "7", "   ", "empty"),
        ("en", "7", "<think>the answer: 7", "truncated"),
        ("en", "7", "<think>the answer: 3</think> Answer: 7", "right"),
    ],
)
def test_numbers(language: str, gold: str, text: str, status: str) -> None:
    assert grade("number", language, gold, text).status == status


@pytest.mark.parametrize(
    ("language", "gold", "text", "status"),
    [
        ("en", "C", "It must be Rabat, so the answer is (C).", "right"),
        ("en", "C", "Rabat", "right"),
        ("en", "D", "Not C. I choose D", "right"),
        ("en", "A", "That depends.", "unparsed"),
        ("en", "A", "Answer: H", "unparsed"),
        ("de", "B", "Antwort: A\nNein, das ist falsch.\nAntwort: B", "right"),
        ("it", "D", "Risposta: Di solito è D", "right"),
        ("pt", "B", "A resposta é B", "right"),
        ("ar", "B", "الجواب: ب", "right"),
        ("ja", "A", "正解は「Ａ」です。", "right"),
        ("ru", "D", "Ответ: Г", "right"),
        ("zh", "C", "答案是 C。", "right"),
    ],
)
def test_letters(language: str, gold: str, text: str, status: str) -> None:
    assert grade("choice", language, gold, text, options=CITIES).status == status


@pytest.mark.parametrize(
    ("language", "gold", "text", "score"),
    [
        ("en", "the harbour", "Harbour.", 1.0),
        ("de", "der Hafen", "Hafen", 1.0),
        ("fr", "l'école", "École", 1.0),
        ("en", "The The", "The The", 1.0),
        ("en", "The The", "Blur", 0.0),
        ("zh", "火车站", "火车站。", 1.0),
        ("zh", "火车站", "火车", 0.8),  # characters are the tokens: precision 1, recall 2/3
        ("en", "3", "3 3", 2 / 3),
        ("en", "1.5", "15", 0.0),
    ],
)
def test_spans(language: str, gold: str, text: str, score: float) -> None:
    assert grade("span", language, [gold], text).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("gold", "text", "status"),
    [
        (r"\frac{5}{8}", r"So it is \boxed{\frac{5}{8}}", "right"),
        (r"\frac{5}{8}", r"\boxed{0.625}", "right"),
        ("3", r"\boxed{3\frac{1}{2}}", "wrong"),
        ("41", "**41**", "right"),
    ],
)
def test_formulas(gold: str, text: str, status: str) -> None:
    assert grade("math", "en", gold, text).status == status


def test_translations_are_scored_not_judged() -> None:
    gold = ["The ferry leaves at noon."]
    assert grade("translation", "en", gold, gold[0]) == ("scored", gold[0], pytest.approx(1.0))
    assert grade("translation", "en", gold, "Seven cups of rice.").score < 0.25
    assert grade("translation", "en", gold, "").status == "empty"


def test_a_corpus_score_names_its_tokenizer() -> None:
    scores = corpus_translation_scores(
        ["明天会下雨吗？我想会的。"], [["明天会下雨吗？我想会的。"]], "zh"
    )
    assert scores["bleu"] == pytest.approx(100.0) and "tok:zh" in str(scores["bleu_signature"])


def test_a_gold_that_fails_its_own_grader_is_refused_with_a_reason() -> None:
    assert check_gold("choice", "de", ["@"], ["x", "y", "z"]) == (
        "the key '@' is not one of the 3 options"
    )
    assert "no gold" in str(check_gold("number", "en", []))
    assert check_gold("number", "de", ["2,125"]) is None


@pytest.mark.parametrize(
    ("text", "language", "form"),
    [
        ("B", "fr", "letter"),
        ("(b)", "en", "letter"),
        ("C) the third", "en", "letter"),
        ("1.500,5 €", "de", "number"),
        ("-7", "ja", "number"),
        ("$x^2 + 1$", "en", "math"),
        ("\\boxed{\\frac{1}{3}}", "es", "math"),
        ("ein Satz ohne Zahl", "de", None),
        ("3 cats chased 2 dogs", "en", None),
    ],
)
def test_free_answers_have_a_form(text: str, language: str, form: str | None) -> None:
    assert answer_form(text, language) == form


@pytest.mark.parametrize(
    ("form", "first", "second", "language", "same"),
    [
        ("letter", "B", "(b) the second", "en", True),
        ("letter", "A", "B", "fr", False),
        ("number", "1.500", "1500,0", "de", True),
        ("number", "2,5", "25", "de", False),
        ("math", "$2x$", "$x + x$", "en", True),
        ("math", "\\boxed{\\frac{1}{2}}", "0.5", "en", True),
        ("math", "$x^2$", "$x^3$", "en", False),
        (None, "the Andes", "Andes.", "en", True),
        (None, "Andes", "Alps", "en", False),
    ],
)
def test_labels_agree_by_the_graders_own_rules(
    form: str | None, first: str, second: str, language: str, same: bool
) -> None:
    assert same_answer(form, first, second, language) is same


@pytest.mark.parametrize("kind", ["choice", "number", "span", "math"])
def test_what_the_length_limit_cut_is_truncated(kind: str) -> None:
    def status(text: str, finish_reason: str) -> str:
        found = grade(kind, "en", "A", text, options=CITIES, finish_reason=finish_reason)
        return found.status

    assert status("... ", "length") == "truncated"
    assert status("... ", "stop") == "unparsed"
    assert status("", "stop") == "empty"
    assert status("<think>Answer: A", "stop") == "truncated"
    assert status("<think>Answer: A</think>", "stop") == "empty"


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BadInput, match="'essay' is no kind of answer"):
        grade("essay", "en", "x", "y")


@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases are not here")
def test_every_shared_case_gets_the_verdict_of_a_person() -> None:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        extra = {name: case[name] for name in ("options", "letters", "stop") if name in case}
        found = grade(case["kind"], case["language"], case["gold"], case["text"], **extra)
        assert found.status == case.get("status", found.status), case
        assert found.score == pytest.approx(case.get("score", found.score)), case
        assert case.get("min", 0.0) <= found.score <= case.get("max", 1.0), case
