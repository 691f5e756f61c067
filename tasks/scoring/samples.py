"""The rows of a GRADES table as codes and numbers, checked for what cannot be scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.errors import BadInput
from tasks.scoring.columns import Labels, labels, numbers
from tasks.scoring.statistics import Array, Ints

PARSED = ("right", "wrong", "scored")
UNPARSED = ("unparsed", "truncated", "empty")

Number = TypeVar("Number", bound=np.number[Any])


@dataclass(frozen=True)
class Samples:
    """The rows of a GRADES table, or of one benchmark of it, as codes and numbers."""

    model: Labels
    language: Labels
    item: Labels
    source: Labels
    cluster: Labels
    answer: Labels
    parallel: Array
    sample: Array
    score: Array
    parsed: Array
    options: Array
    temperature: Array

    def restricted(self, rows: Ints) -> Samples:
        """Some of the rows."""
        parts: dict[str, Any] = {
            name: value.restricted(rows) if isinstance(value, Labels) else value[rows]
            for name, value in vars(self).items()
        }
        return Samples(**parts)


def samples(table: pa.Table, source: str) -> Samples:
    """The rows of a table; `source` stands in for an absent `source_language` column."""
    sources = labels(table, "source_language")
    if "source_language" not in table.column_names:
        sources = Labels(np.zeros(table.num_rows, dtype=np.int32), [source])
    score, parsed = _scores(table)
    return Samples(
        model=labels(table, "model"),
        language=labels(table, "language"),
        item=labels(table, "item_id"),
        source=sources,
        cluster=labels(table, "cluster"),
        answer=labels(table, "answer"),
        parallel=numbers(table, "parallel"),
        sample=numbers(table, "sample"),
        score=score,
        parsed=parsed,
        options=numbers(table, "n_options"),
        temperature=numbers(table, "temperature"),
    )


def _scores(table: pa.Table) -> tuple[Array, Array]:
    """Scores with 0 for what has no answer, and 1 for each row that has one."""
    score, status = numbers(table, "score"), labels(table, "status")
    unknown = set(status.names) - {*PARSED, *UNPARSED}
    if unknown:
        raise BadInput(
            f"status {min(unknown)!r} is not one that a grade can have: "
            f"use {', '.join((*PARSED, *UNPARSED))}."
        )
    kinds = np.array([name in PARSED for name in status.names] + [False])
    parsed = np.where(status.codes >= 0, kinds[status.codes], ~np.isnan(score))
    if np.isnan(score[parsed]).any():
        raise BadInput(
            "a score is NaN although its status says that it was graded: "
            "give it a score in [0, 1] or the status 'unparsed'."
        )
    outside = parsed & ((score < 0) | (score > 1))
    if outside.any():
        raise BadInput(f"score {score[outside][0]:g} is outside [0, 1]: divide by its maximum.")
    return np.where(parsed, score, 0.0), parsed.astype(float)


def refuse_duplicates(name: str, rows: Samples, cell: Ints) -> None:
    """Raise BadInput where two rows of a model, language and item have the same sample number."""
    if np.isnan(rows.sample).any():
        raise BadInput(f"benchmark {name!r} has a row without 'sample': number the samples from 0.")
    key = cell * (int(rows.sample.max()) + 1) + rows.sample.astype(np.int64)
    ordered = np.sort(key)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated):
        row = int(np.flatnonzero(key == repeated[0])[0])
        raise BadInput(
            f"sample {int(rows.sample[row])} of item {rows.item.names[rows.item.codes[row]]!r} of "
            f"{name!r} in {rows.language.names[rows.language.codes[row]]!r} by model "
            f"{rows.model.names[rows.model.codes[row]]!r} is there twice: keep one of them."
        )


def same_per_item(
    name: str, column: str, values: npt.NDArray[Number], items: list[str], item: Ints
) -> npt.NDArray[Number]:
    """One value per item, the same in all of its rows."""
    found = np.empty(len(items), dtype=values.dtype)
    found[item] = values
    differs = (found[item] != values) & ~(np.isnan(found[item]) & np.isnan(values))
    if differs.any():
        raise BadInput(
            f"item {items[int(item[np.argmax(differs)])]!r} of benchmark {name!r} has more than "
            f"one {column}: give it the same in every row."
        )
    return found


def temperatures(name: str, rows: Samples) -> Array:
    """The one temperature of each model, NaN where none is stated; [model]."""
    found = np.full(len(rows.model.names), np.nan)
    found[rows.model.codes] = rows.temperature
    differs = found[rows.model.codes] != rows.temperature
    differs &= ~(np.isnan(found[rows.model.codes]) & np.isnan(rows.temperature))
    if differs.any():
        row = int(np.argmax(differs))
        raise BadInput(
            f"model {rows.model.names[rows.model.codes[row]]!r} answered benchmark {name!r} at "
            f"temperatures {rows.temperature[row]:g} and {found[rows.model.codes[row]]:g}: "
            "score them as two models."
        )
    return found
