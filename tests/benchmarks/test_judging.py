"""Answers before a judge, and judges before answers whose worth is known."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import ANSWERS
from tasks.benchmarks import load_items
from tasks.benchmarks.judging import Case, Judging, answer_cases, check_cases, counts, judge
from tasks.errors import BadInput
from tasks.grading.judge import RATING, YES_NO
from tasks.models.simulated import SimulatedEngine
from tests.benchmarks.graded import grade_table
from tests.judges import Engine, Judge, good, lenient, rambling, slot

SETTINGS = Judging(model="simulated:teacher")
PART = "yes-no/check/multihop/de"


def items(benchmark: str = "multihop", code: str = "de", count: int = 20) -> pa.Table:
    return load_items(benchmark, "bundled", code, count).items


def checked(judge_: Judge, cases: list[Case]) -> dict[str, dict[str, int]]:
    found = judge({PART: cases}, YES_NO, SETTINGS, Engine(judge_), 0)
    return counts(found[PART].verdicts)


def accepted(found: dict[str, dict[str, int]]) -> dict[str, float]:
    return {case: count["accepted"] / count["asked"] for case, count in found.items()}


def test_a_good_judge_passes_its_check() -> None:
    found = checked(good, check_cases(items(), 20))
    assert found["blank"] == {"asked": 5, "accepted": 0, "unparsed": 0}
    assert accepted(found) == {"gold": 1.0, "blank": 0.0, "shuffled": 0.0}
    assert found["gold"]["asked"] == 20


def test_one_that_accepts_everything_accepts_blanks() -> None:
    found = accepted(checked(lenient, check_cases(items(), 20)))
    assert found == {"gold": 1.0, "blank": 1.0, "shuffled": 1.0}


def test_verdicts_that_cannot_be_read_are_counted_as_neither() -> None:
    found = checked(rambling, check_cases(items(), 20))
    for count in found.values():
        assert count["unparsed"] == count["asked"] > 0 == count["accepted"]


def test_swapped_slots_are_caught_by_the_blanks() -> None:
    cases = check_cases(items(), 20)
    swapped = [
        case._replace(reference=(case.response,), response=case.reference[0]) for case in cases
    ]
    assert accepted(checked(good, swapped))["blank"] == 1.0


def test_an_items_own_gold_is_never_taken_for_another_items() -> None:
    table = items()
    golds = {row["item_id"]: tuple(row["gold"]) for row in table.to_pylist()}
    shuffled = [case for case in check_cases(table, 20) if case.name == "shuffled"]
    assert len(shuffled) == 20
    for case in shuffled:
        assert case.reference == golds[case.item["item_id"]]
        assert case.response not in case.reference
    same = table.set_column(
        table.schema.get_field_index("gold"), "gold", pa.array([["Rom"]] * len(table))
    )
    assert {case.name for case in check_cases(same, 20)} == {"gold", "blank"}


def test_of_a_choice_a_wrong_letter_is_asked_about_with_the_options_shown() -> None:
    cases = check_cases(items("facts"), 3)
    assert {case.name for case in cases} == {"gold", "blank", "wrong letter"}
    for case in cases:
        [reference] = case.reference
        assert reference in case.question.splitlines()
        if case.name == "wrong letter":
            assert case.response in "ABCD" and not reference.startswith(f"{case.response})")
    engine = SimulatedEngine("teacher")
    found = counts(judge({PART: cases}, RATING, SETTINGS, engine, 0)[PART].verdicts)
    assert accepted(found) == {"gold": 1.0, "blank": 0.0, "wrong letter": 0.0}


def answers(table: pa.Table, texts: list[list[str]]) -> pa.Table:
    rows = [
        {"benchmark": "multihop", "item_id": item["item_id"], "language": "de", "sample": sample,
         "text": text, "finish_reason": "stop", "completion_tokens": 3, "temperature": 1.0}
        for item, own in zip(table.to_pylist(), texts, strict=True)
        for sample, text in enumerate(own)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, ANSWERS)


def test_equal_answers_are_asked_about_once_and_blank_ones_not_at_all() -> None:
    table = items(count=2)
    gold = table["gold"][0].as_py()[0]
    given = answers(table, [[f"Es war {gold}.", f" Es war {gold}. ", ""], ["Nein", "Nein", "?"]])
    engine = Engine(good)
    found = judge({PART: answer_cases(table, given)}, YES_NO, SETTINGS, engine, 0)[PART]
    assert [slot(asked, "response") for asked in engine.asked] == [f"Es war {gold}.", "Nein", "?"]
    assert found.completion_tokens == 6
    grades = grade_table("m", table, given, "de", "chat", verdicts=found.verdicts).to_pylist()
    assert [row["status"] for row in grades] == [
        "right", "right", "empty", "wrong", "wrong", "wrong"
    ]  # fmt: skip
    assert grades[0]["answer"] == f"Es war {gold}."


def test_answers_without_a_readable_verdict_are_not_wrong() -> None:
    table = items(count=1)
    given = answers(table, [["Nein"]])
    found = judge({PART: answer_cases(table, given)}, YES_NO, SETTINGS, Engine(rambling), 0)[PART]
    [row] = found.verdicts.to_pylist()
    assert (row["accepted"], row["votes"]) == (None, [None])
    assert "more or less" in row["replies"][0]
    [grade] = grade_table("m", table, given, "de", None, verdicts=found.verdicts).to_pylist()
    assert grade["status"] == "unparsed"


def test_an_answer_without_a_verdict_is_refused() -> None:
    table = items(count=1)
    one, two = (answers(table, [["Nein"] * count]) for count in (1, 2))
    found = judge({PART: answer_cases(table, one)}, YES_NO, SETTINGS, Engine(good), 0)[PART]
    with pytest.raises(BadInput, match="no verdict on sample 1"):
        grade_table("m", table, two, "de", None, verdicts=found.verdicts)


def test_several_votes_are_drawn_and_most_of_them_count() -> None:
    settings = Judging(model="simulated:slope-1-mean-0.80", votes=5, temperature=0.8)
    engine = SimulatedEngine("slope-1-mean-0.80")
    found = judge({PART: check_cases(items(), 20)}, YES_NO, settings, engine, 0)[PART]
    votes = found.verdicts["votes"].to_pylist()
    assert {len(own) for own in votes} == {5}
    assert any(len(set(own)) == 2 for own in votes)


def test_several_greedy_votes_are_refused() -> None:
    with pytest.raises(ValueError, match="3 votes at temperature 0 are all the same"):
        Judging(model="simulated:teacher", votes=3)
