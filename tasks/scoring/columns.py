"""Columns of a GRADES table as integer codes and numbers, with nulls settled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tasks.errors import BadInput
from tasks.scoring.statistics import Array, Ints

REQUIRED = ("model", "benchmark", "item_id", "language", "sample", "score")
USED = (*REQUIRED, "source_language", "parallel", "cluster", "status", "answer", "n_options",
        "completion_tokens", "reasoning_tokens", "temperature", "form", "flags")  # fmt: skip


@dataclass(frozen=True)
class Labels:
    """A text column: `codes` [row] into the sorted `names`; -1 is null."""

    codes: Ints
    names: list[str]


def as_table(grades: pd.DataFrame | pa.Table) -> pa.Table:
    """The columns that scoring reads; those that may be absent are left out when they are."""
    names = list(grades.column_names if isinstance(grades, pa.Table) else grades.columns)
    absent = [name for name in REQUIRED if name not in names]
    if absent:
        raise BadInput(f"the grades have no column {absent[0]!r}: it is needed to score them.")
    if len(grades) == 0:
        raise BadInput("the grades have no rows: there is nothing to score.")
    kept = [name for name in USED if name in names]
    if isinstance(grades, pa.Table):
        return grades.select(kept)
    try:
        return pa.Table.from_pandas(grades[kept], preserve_index=False)
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"a column of the grades has values of several types ({' '.join(map(str, error.args))})"
            ": make them all texts, or all numbers."
        ) from error


def described(table: pa.Table, row: int) -> str:
    """A row in words, for a sentence about it."""
    at = {name: table.column(name)[row].as_py() for name in REQUIRED}
    return (
        f"sample {at['sample']} of item {at['item_id']!r} of {at['benchmark']!r} in "
        f"{at['language']!r} by model {at['model']!r}"
    )


def labels(table: pa.Table, name: str) -> Labels:
    """A text column as codes; all null where the table lacks it."""
    if name not in table.column_names:
        return Labels(np.full(table.num_rows, -1, dtype=np.int32), [])
    column = table.column(name)
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column.cast(pa.string()))
    encoded = column.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # a column without rows keeps its chunks
        return Labels(np.empty(0, dtype=np.int32), [])
    names = np.array([str(value) for value in encoded.dictionary.to_pylist()], dtype=object)
    codes = encoded.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
    # A part of a table keeps the names of all of it.
    present = np.flatnonzero(np.bincount(codes, minlength=len(names) + 1)[: len(names)])
    order = present[np.argsort(names[present], kind="stable")]
    rank = np.full(len(names) + 1, -1, dtype=np.int32)  # the last place serves null
    rank[order] = np.arange(len(order), dtype=np.int32)
    found = Labels(rank[codes], [names[i] for i in order])
    blank = [code for code, text in enumerate(found.names) if not text.strip()]
    absent = (found.codes < 0) | np.isin(found.codes, blank)
    if name in REQUIRED and absent.any():
        raise BadInput(
            f"{int(absent.sum())} of {table.num_rows} rows of the grades are without {name!r}, row "
            f"{int(np.argmax(absent)) + 1} for one; nothing was scored: each needs it."
        )
    return found


def numbers(table: pa.Table, name: str) -> Array:
    """A column of numbers with NaN for null; all NaN where the table lacks it."""
    if name not in table.column_names or table.column(name).null_count == table.num_rows:
        return np.broadcast_to(np.nan, table.num_rows)
    try:
        column = pc.cast(table.column(name), pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(
            f"column {name!r} of the grades holds {table.column(name).type} where numbers are "
            f"needed ({error}): make them numbers."
        ) from error
    return np.asarray(column.fill_null(np.nan).to_numpy())
