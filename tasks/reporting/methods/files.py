"""The tables of a report over methods as Parquet and CSV, its figures as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.reporting.files import write_csv
from tasks.reporting.methods.estimates import Cell
from tasks.reporting.methods.grids import Table
from tasks.untrusted import one_line

TEXT, NUMBER, COUNT = pa.string(), pa.float64(), pa.int64()

# One row per cell of a table; scores are in points of 100.
CELLS = pa.schema(
    [
        ("student", TEXT),  # empty: a mean over students
        ("row", TEXT),
        ("column", TEXT),
        ("value", NUMBER),
        ("low", NUMBER),
        ("high", NUMBER),
        ("n_items", COUNT),
        ("n_samples", COUNT),
        ("coverage", NUMBER),
        ("std_eval", NUMBER),  # of one student evaluated n_eval times
        ("n_eval", COUNT),
        ("std_seed", NUMBER),  # of students trained with n_seed seeds
        ("n_seed", COUNT),
        ("published", NUMBER),
        ("differs", TEXT),  # in what the published number is another one; empty: in nothing
        ("note", TEXT),
    ]
)


def cells_table(table: Table) -> pa.Table:
    """All cells of a table, one after the other."""
    rows: list[dict[str, Any]] = [
        {"student": line.student, "row": line.title, "column": column, **_told(cell, line.said)}
        for line in table.lines
        for column, cell in zip(table.columns, line.cells, strict=True)
    ]
    cleaned = [
        {name: one_line(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    return pa.Table.from_pylist(cleaned, CELLS)


def _told(cell: Cell, said: str) -> dict[str, Any]:
    return cell._asdict() | {"note": "; ".join(part for part in (said, cell.note) if part)}


def write_tables(tables: Sequence[Table], folder: Path) -> list[str]:
    """Write every table in both forms; the names of the files."""
    written = []
    for table in tables:
        found = cells_table(table)
        pq.write_table(found, folder / f"{table.name}.parquet")
        write_csv(found, folder / f"{table.name}.csv")
        written += [f"{table.name}.parquet", f"{table.name}.csv"]
    return written
