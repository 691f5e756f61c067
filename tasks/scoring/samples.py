"""The rows of a GRADES table as codes and numbers, checked against one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.errors import BadInput
from tasks.scoring.columns import Labels, labels, numbers
from tasks.scoring.row_checks import possible, scores
from tasks.scoring.statistics import Array, Ints

MOST = 1_000_000  # samples of an item: above it a number is some other one, such as a seed

Number = TypeVar("Number", bound=np.number[Any])


@dataclass(frozen=True)
class Samples:
    """The rows of one benchmark of a GRADES table as codes and numbers."""

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
    truncated: Array  # 1 where the length limit came before an answer
    options: Array
    tokens: Array
    reasoning: Array
    temperature: Array
    form: Labels
    remarks: tuple[str, ...]  # what is odd about rows, each as the rest of a sentence

    def taken(self, order: Ints) -> Samples:
        """The rows at these places."""
        columns: dict[str, Any] = {
            name: Labels(column.codes[order], column.names)
            if isinstance(column, Labels)
            else column[order]
            for name, column in vars(self).items()
            if name != "remarks"
        }
        return Samples(**columns, remarks=self.remarks)


def samples(table: pa.Table, source: str) -> Samples:
    """The rows of a table; `source` stands in for an absent `source_language` column."""
    sources = labels(table, "source_language")
    if "source_language" not in table.column_names:
        sources = Labels(np.zeros(table.num_rows, dtype=np.int32), [source])
    score, parsed, remarks = scores(table)
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
        truncated=_with_status(table, "truncated"),
        options=possible(table, "n_options"),
        tokens=possible(table, "completion_tokens"),
        reasoning=possible(table, "reasoning_tokens"),
        temperature=possible(table, "temperature"),
        form=labels(table, "form"),
        remarks=remarks,
    )


def _with_status(table: pa.Table, name: str) -> Array:
    """1 for the rows that have this status."""
    status = labels(table, "status")
    kinds = np.array([known == name for known in status.names] + [False])
    return kinds[status.codes].astype(float)


def sample_keys(name: str, rows: Samples, cell: Ints) -> Ints:
    """A number of its own for each row, in the order of cells and samples; [row].

    Raises BadInput for samples that have no number, and for two of the same one.
    """
    whole = (rows.sample >= 0) & (rows.sample == np.floor(rows.sample)) & (rows.sample < MOST)
    if not whole.all():
        row = int(np.argmin(whole))
        raise BadInput(
            f"{int((~whole).sum())} of {len(whole)} rows of {name!r} are without 'sample' as "
            f"a whole number below {MOST:,}, {_where(rows, row)} for one "
            f"({rows.sample[row]:g}); nothing was scored: number the samples of each item from 0."
        )
    key = cell * (int(rows.sample.max()) + 1) + rows.sample.astype(np.int64)
    ordered = np.sort(key)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated):
        row = int(np.flatnonzero(key == repeated[0])[0])
        raise BadInput(
            f"sample {int(rows.sample[row])} of {_where(rows, row)} of {name!r} is there twice "
            f"(such rows: {len(repeated)}); nothing was scored: keep one of each, or number them "
            "apart."
        )
    return np.asarray(key)


def _where(rows: Samples, row: int) -> str:
    item, language, model = (
        column.names[column.codes[row]] for column in (rows.item, rows.language, rows.model)
    )
    return f"item {item!r} in {language!r} by model {model!r}"


def sum_order(score: Array, key: Ints) -> Ints | None:
    """The order in which fractions are added up, so that sums do not depend on that of the rows.

    None where any will do: sums of zeros and ones are exact.
    """
    exact = ((score == 0) | (score == 1)).all()
    return None if exact else np.argsort(key, kind="stable")


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


def forms(name: str, rows: Samples) -> list[str | None]:
    """How each model was asked, [model]; None where not stated."""
    found = np.full(len(rows.model.names), -1)
    found[rows.model.codes] = rows.form.codes
    differs = found[rows.model.codes] != rows.form.codes
    if differs.any():
        model = rows.model.names[rows.model.codes[int(np.argmax(differs))]]
        raise BadInput(
            f"model {model!r} was asked benchmark {name!r} in more than one form "
            f"({', '.join(rows.form.names)}): score them as two models."
        )
    return [rows.form.names[code] if code >= 0 else None for code in found]


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
