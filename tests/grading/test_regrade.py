from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import BadInput
from tasks.grading.regrade import grade_lines

CASES = Path(__file__).parents[3] / "shared" / "cases" / "grade_cases.jsonl"
CITIES = ["Oslo", "Lima", "Rabat", "Quito"]


def graded(**row: Any) -> dict[str, Any]:
    (line,) = grade_lines([json.dumps(row)])
    return dict(json.loads(line))


def number(text: str, **more: Any) -> dict[str, Any]:
    return {"kind": "number", "language": "en", "gold": "7", "text": text, **more}


def choice(**more: Any) -> dict[str, Any]:
    return {"kind": "choice", "language": "en", "gold": "B", "text": "Answer: B", **more}


def test_order_and_fields_are_kept_and_three_are_added() -> None:
    given = [number("It is 7.", id="b", notes={"by": "Ö"}), number("8", id="a"), number("", id="c")]
    lines = list(grade_lines(json.dumps(row) + "\n" for row in given))
    found = [json.loads(line) for line in lines]
    assert [row["status"] for row in found] == ["right", "wrong", "empty"]
    assert [row["answer"] for row in found] == ["7", "8", None]
    assert [row["score"] for row in found] == [1.0, 0.0, 0.0]
    assert [{k: row[k] for k in one} for row, one in zip(found, given, strict=True)] == given
    assert "Ö" in lines[0]


@pytest.mark.parametrize(
    ("stop", "status"),
    [(None, "wrong"), ("\n\nQ:", "right"), (["###", "\n\nQ:"], "right"), ([], "wrong")],
)
def test_text_behind_a_stop_is_cut_before_grading(stop: object, status: str) -> None:
    assert graded(**number("Answer: 7\n\nQ: 1+1?\nAnswer: 2", stop=stop))["status"] == status


@pytest.mark.parametrize("gold", ["7", 7, 7.0, [8, "7"], ["7.00"]])
def test_a_gold_is_a_text_a_number_or_a_list(gold: object) -> None:
    assert graded(**number("Answer: 7") | {"gold": gold})["status"] == "right"


def test_a_small_gold_is_written_out() -> None:
    assert graded(**number("0.00001") | {"gold": 1e-05})["status"] == "right"


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"options": CITIES}, "right"),
        ({"options": CITIES, "text": "Lima"}, "right"),
        ({"options": CITIES, "letters": ["А", "Б", "В", "Г"], "language": "ru", "text": "Ответ: Б"},
         "right"),
        ({"options": CITIES, "letters": ["А", "Б", "В", "Г"], "language": "ru", "text": "Ответ: В",
          "gold": "В"}, "right"),
        ({"letters": ["A", "B", "C"]}, "right"),
    ],
)  # fmt: skip
def test_a_choice_has_a_latin_letter_or_one_as_shown(more: dict[str, Any], status: str) -> None:
    assert graded(**choice() | more)["status"] == status


def test_a_grade_that_was_there_is_replaced() -> None:
    found = graded(**number("7", status="wrong", score=0))
    assert (found["status"], found["score"]) == ("right", 1.0)


def test_an_answer_cut_by_the_length_limit_is_truncated() -> None:
    assert graded(**number("I think", finish_reason="length"))["status"] == "truncated"


def test_half_a_surrogate_pair_is_no_fault() -> None:
    line = json.dumps(number("Answer: 7 \ud83d"))
    (found,) = grade_lines([line])
    assert json.loads(found.encode().decode())["status"] == "right"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"kind": "number"', "this is not JSON"),
        ("[1, 2]", "this is not a JSON object"),
        (json.dumps({"kind": "number", "gold": "1", "text": "1"}), "there is no 'language'"),
        (json.dumps(number("7") | {"kind": "essay"}), "'essay' is no kind of answer"),
        (json.dumps(number("7") | {"language": "xx"}), "language 'xx' is not known"),
        (json.dumps(number("7") | {"text": 7}), "'text' is 7; write a text"),
        (json.dumps(number("7") | {"gold": []}), "'gold' is an empty list"),
        (json.dumps(number("7") | {"gold": {"value": 7}}), "'gold' holds {\"value\": 7}"),
        (json.dumps(number("7") | {"gold": "many"}), "the gold 'many' is not read as a number"),
        (json.dumps(number("7") | {"noted": float("nan")}), "NaN is not JSON"),
        (json.dumps(choice()), "there are 0 'options' and 0 'letters'"),
        (
            json.dumps(choice(options=CITIES, letters=["A"])),
            "there are 4 'options' and 1 'letters'",
        ),
        (json.dumps(choice(options=CITIES, gold="@")), "'@' is not one of the letters A, B, C, D"),
    ],
)
def test_a_bad_line_is_one_sentence_with_its_number(line: str, message: str) -> None:
    rows = grade_lines([json.dumps(number("7")), "", line])
    next(rows)
    with pytest.raises(BadInput) as raised:
        next(rows)
    assert str(raised.value).startswith("line 3: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not part of the project")
def test_stored_cases_come_out_as_a_person_would_say() -> None:
    lines = CASES.read_text().splitlines()
    for line, found in zip(lines, map(json.loads, grade_lines(lines)), strict=True):
        case = json.loads(line)
        assert found["status"] == case.get("status", found["status"]), case
        assert found["score"] == pytest.approx(case.get("score", found["score"])), case
        assert case.get("min", 0) <= found["score"] <= case.get("max", 1), case
