"""ANSWERS to GRADES: every answer meets its item as it was shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tasks.artifacts.schemas import GRADES
from tasks.benchmarks import graded_in
from tasks.benchmarks.layout import published_letter, shown_letter
from tasks.errors import BadInput
from tasks.grading import grade

_BATCH = 10_000  # rows that are Python objects at a time

_FROM_ITEM = ("benchmark", "item_id", "source_language", "parallel", "cluster", "flags")
_FROM_ANSWER = ("sample", "completion_tokens", "reasoning_tokens", "temperature")

Row = Mapping[str, Any]


def grade_table(
    model: str,
    items: pa.Table,
    answers: pa.Table,
    language: str,
    form: str | None = None,
    *,
    reasoned: bool = False,
) -> pa.Table:
    """GRADES of one benchmark's ANSWERS in one language, in their order.

    `form` says how they were asked for, such as "chat, 3 examples"; `reasoned`, that reasoning
    stands before the answers.

    The `answer` of a choice is its letter in the published order: samples that saw the options in
    different orders must be comparable, or a majority vote would count places, not options.
    `text` was cut at the stop strings by the engine; no stop is known here any more.

    Raises:
        BadInput: an answer to an item that is not among `items`.
    """
    known: dict[str, Row] = {row["item_id"]: row for row in items.to_pylist()}
    batches = [
        pa.RecordBatch.from_pylist(
            [
                _graded(_of(known, row), row, language, reasoned) | {"model": model, "form": form}
                for row in batch.to_pylist()
            ],
            GRADES,
        )
        for batch in answers.to_batches(max_chunksize=_BATCH)
    ]
    return pa.Table.from_batches(batches, GRADES)


def _of(known: Mapping[str, Row], answer: Row) -> Row:
    if answer["item_id"] not in known:
        raise BadInput(
            f"there is an answer to {answer['item_id']!r} of {answer['benchmark']}, which is not "
            "among the items; grade answers with the items that were asked"
        )
    return known[answer["item_id"]]


def share(grades: pa.Table, status: str) -> float:
    """The share of grades with this status, to four digits; 0 of none."""
    found: int = pc.sum(pc.equal(grades["status"], status)).as_py() or 0
    whole: int = grades.num_rows
    return round(found / max(whole, 1), 4)


def _graded(item: Row, answer: Row, language: str, reasoned: bool) -> dict[str, object]:
    options, gold = _as_shown(item, answer)
    result = grade(
        item["kind"],
        graded_in(item["kind"], language),
        gold,
        answer["text"],
        options=options,
        letters=answer["letters"],
        finish_reason=answer["finish_reason"],
        reasoned=reasoned,
    )
    return {
        **{name: item[name] for name in _FROM_ITEM},
        **{name: answer[name] for name in _FROM_ANSWER},
        "language": language,
        "status": result.status,
        "answer": _as_published(result.answer, answer["order"]),
        "score": result.score,
        "n_options": None if options is None else len(options),
    }


def _as_shown(item: Row, answer: Row) -> tuple[list[str] | None, list[str]]:
    """Options and gold as the model saw them."""
    order = answer["order"]
    if item["options"] is None or order is None:
        return item["options"], item["gold"]
    return [item["options"][at] for at in order], [shown_letter(item["gold"][0], order)]


def _as_published(found: str | None, order: list[int] | None) -> str | None:
    return found if found is None or order is None else published_letter(found, order)
