"""The report's tables as Parquet and CSV beside the page."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.reporting.content import Report

# A spreadsheet reads a cell that begins like this as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_files(report: Report, folder: Path) -> list[str]:
    """Write every table that there is; the names of the files. Text of models is Parquet only."""
    tables = (
        ("scores", report.scores, True),
        ("profiles", report.profiles, False),
        ("validity", report.validity, True),
        ("generator_log", report.generator_log, True),
        ("student_log", report.student_log, True),
        ("rollouts", report.rollouts, False),
        ("gain", report.gain, True),
        ("written", report.written, False),
        ("questions", report.questions, False),
        ("labels", report.labels, False),
    )
    written = []
    for name, table, as_csv in tables:
        if table is None:
            continue
        pq.write_table(table, folder / f"{name}.parquet")
        written.append(f"{name}.parquet")
        if as_csv:
            write_csv(table, folder / f"{name}.csv")
            written.append(f"{name}.csv")
    return written


def write_csv(table: pa.Table, path: Path) -> None:
    """A flat table as CSV, UTF-8; null is empty, and no text cell can be read as a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)  # its line end quotes cells with either half of it
        writer.writerow(table.column_names)
        for row in table.to_pylist():
            writer.writerow([_cell(value) for value in row.values()])


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
