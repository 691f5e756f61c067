"""Answers meet their items as they were shown."""

from __future__ import annotations

import time
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import ANSWERS, GRADES
from tasks.benchmarks import BENCHMARKS, load_items
from tasks.benchmarks.grade_answers import corpus_columns, corpus_facts
from tasks.benchmarks.prompts import Asked, ask, stops
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED
from tasks.models.engine import Sampling
from tasks.models.simulated import SimulatedEngine, slope
from tests.benchmarks.graded import grade_table

OURS = (*TRAINED, *HELD_OUT)
BUNDLED = ("facts", "multihop", "numbers", "translation", "sums")
CELLS = [(name, code) for name in BUNDLED for code in OURS if BENCHMARKS[name].has(code)]


def prompts_of(name: str, code: str, items: int, samples: int = 2) -> tuple[pa.Table, list[Asked]]:
    table = load_items(name, "bundled", code, items).items
    return table, ask(name, table, code, form="completion", few_shot=0, samples=samples, seed=3)


def answered(name: str, code: str, asked: list[Asked], texts: list[str], finish: str) -> pa.Table:
    rows = [
        {
            "benchmark": name,
            "item_id": one.item_id,
            "language": code,
            "sample": one.sample,
            "order": one.order,
            "letters": one.letters,
            "text": text,
            "finish_reason": finish,
            "completion_tokens": 5,
            "temperature": 1.0,
        }
        for one, text in zip(asked, texts, strict=True)
    ]
    return pa.Table.from_pylist(rows, ANSWERS)


def graded(name: str, code: str, texts: dict[str, str], finish: str = "stop") -> pa.Table:
    """Grades of one text per item, said twice."""
    items, asked = prompts_of(name, code, len(texts))
    said = [texts[one.item_id] for one in asked]
    return grade_table("m", items, answered(name, code, asked, said, finish), code)


def statuses(name: str, code: str, text: str, finish: str = "stop") -> set[str]:
    ids = load_items(name, "bundled", code, 3).items["item_id"].to_pylist()
    return set(graded(name, code, dict.fromkeys(ids, text), finish)["status"].to_pylist())


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_right_answers_are_right_and_wrong_ones_wrong(name: str, code: str) -> None:
    items, asked = prompts_of(name, code, 27)
    hints = [one.prompt.hint for one in asked if one.prompt.hint]
    right = answered(name, code, asked, [f" {hint.right}" for hint in hints], "stop")
    assert set(grade_table("m", items, right, code)["score"].to_pylist()) == {1.0}
    if not all(hint.wrong for hint in hints):
        return
    for which in range(3):
        wrong = answered(name, code, asked, [f" {hint.wrong[which]}" for hint in hints], "stop")
        assert set(grade_table("m", items, wrong, code)["status"].to_pylist()) == {"wrong"}


@pytest.mark.parametrize("code", OURS)
def test_the_right_options_words_are_right_in_any_order(code: str) -> None:
    rows = load_items("facts", "bundled", code, 5).items.to_pylist()
    words = {row["item_id"]: row["options"]["ABCD".index(row["gold"][0])] for row in rows}
    assert set(graded("facts", code, words)["status"].to_pylist()) == {"right"}


def test_the_answer_of_a_choice_is_the_published_letter() -> None:
    items, asked = prompts_of("facts", "en", 3, samples=10)
    keys = {row["item_id"]: row["gold"][0] for row in items.to_pylist()}
    said = [one.prompt.hint.right for one in asked if one.prompt.hint]
    assert len(set(said)) == 4  # the letters shown differ
    grades = grade_table("m", items, answered("facts", "en", asked, said, "stop"), "en")
    assert grades["answer"].to_pylist() == [keys[one.item_id] for one in asked]


def test_translations_are_compared_with_english() -> None:
    rows = load_items("translation", "bundled", "ja", 3).items.to_pylist()
    said = {row["item_id"]: row["gold"][0] for row in rows}
    copied = {row["item_id"]: row["question"] for row in rows}
    assert set(graded("translation", "ja", said)["status"].to_pylist()) == {"scored"}
    assert max(graded("translation", "ja", copied)["score"].to_pylist()) < 0.2


@pytest.mark.parametrize(
    ("name", "text", "finish", "status"),
    [
        ("numbers", "", "stop", "empty"),
        ("numbers", " ich weiß es nicht", "stop", "unparsed"),
        ("numbers", " ich weiß es noch nicht", "length", "truncated"),
        ("facts", "", "stop", "empty"),
    ],
)
def test_answers_that_cannot_be_read_say_why(
    name: str, text: str, finish: str, status: str
) -> None:
    assert statuses(name, "de", text, finish) == {status}


def test_grades_are_rows_of_the_schema_in_the_order_of_the_answers() -> None:
    items, asked = prompts_of("facts", "en", 6)
    asked = asked[::-1]
    answers = answered("facts", "en", asked, ["A"] * len(asked), "stop")
    grades = grade_table("student", items, answers, "en")
    assert grades.schema == GRADES
    for column in ("item_id", "sample", "completion_tokens", "temperature"):
        assert grades[column].to_pylist() == answers[column].to_pylist()
    assert set(grades["n_options"].to_pylist()) == {4}
    assert set(grades["model"].to_pylist()) == {"student"}
    assert set(grades["source_language"].to_pylist()) == {"en"}


def test_no_answers_give_no_grades() -> None:
    items, _ = prompts_of("facts", "en", 2)
    assert grade_table("m", items, ANSWERS.empty_table(), "en").equals(GRADES.empty_table())


def test_an_answer_to_another_item_is_bad_input() -> None:
    items, asked = prompts_of("facts", "en", 2)
    answers = answered("facts", "en", asked, ["A"] * len(asked), "stop")
    with pytest.raises(BadInput, match="'facts-02' of facts, which is not among the items"):
        grade_table("m", items.slice(0, 1), answers, "en")


@pytest.mark.parametrize("name", ["facts", "sums"])
def test_a_simulated_models_transfer_is_found_again(name: str) -> None:
    rates = {}
    for code in ("en", "ja"):
        items, asked = prompts_of(name, code, 27, samples=40)
        sampling = Sampling(stop=stops("completion"), max_tokens=16)
        engine = SimulatedEngine("base")
        said = engine.complete([one.prompt for one in asked], sampling, seed=1)
        answers = answered(name, code, asked, [one.text for [one] in said], "stop")
        grades = grade_table("base", items, answers, code)
        assert set(grades["status"].to_pylist()) == {"right", "wrong"}
        rates[code] = sum(grades["score"].to_pylist()) / grades.num_rows
    assert rates["ja"] / rates["en"] == pytest.approx(slope("base", "ja"), abs=0.1)


def test_ten_thousand_answers_take_seconds() -> None:
    items, asked = prompts_of("sums", "fr", 1000, samples=10)
    answers = answered(
        "sums", "fr", asked, [f" La réponse est {n}." for n in range(10_000)], "stop"
    )
    started = time.monotonic()
    grades = grade_table("m", items, answers, "fr")
    assert grades.num_rows == 10_000
    assert time.monotonic() - started < 10


def _corpus(items: pa.Table, grades: pa.Table) -> dict[str, Any]:
    return corpus_facts(items, grades.select(list(corpus_columns(items))), "ja")


def test_translations_have_corpus_scores_with_signatures_over_all_samples() -> None:
    items = load_items("translation", "bundled", "ja", 4).items
    golds = {row["item_id"]: row["gold"][0] for row in items.to_pylist()}
    right = _corpus(items, graded("translation", "ja", golds))["corpus"]
    assert (right["chrf"], right["bleu"]) == (pytest.approx(100.0), pytest.approx(100.0))
    # The answers are English, whatever language was translated.
    assert "tok:13a" in right["bleu_signature"] and "nw:2" in right["chrf_signature"]
    half = dict.fromkeys(golds, "") | dict(list(golds.items())[:2])
    found = _corpus(items, graded("translation", "ja", half))["corpus"]
    assert 0 < found["bleu"] < 100 and 0 < found["chrf"] < 100, "empty answers stay in"
    facts = load_items("facts", "bundled", "ja", 2).items
    letters = {row["item_id"]: "A" for row in facts.to_pylist()}
    assert _corpus(facts, graded("facts", "ja", letters)) == {}
