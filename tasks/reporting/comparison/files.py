"""The tables of a report over models, as Parquet and CSV beside the page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.reporting.comparison.content import ModelsReport
from tasks.reporting.files import write_csv

MODELS = pa.schema(
    [
        ("name", pa.string()),
        ("family", pa.string()),
        ("system", pa.string()),
        ("parameters", pa.float64()),  # billions
        ("released", pa.string()),  # YYYY-MM
        ("thinking", pa.string()),
    ]
)


def write_files(report: ModelsReport, folder: Path) -> list[str]:
    """Write the four tables in both forms; the names of the files."""
    tables = {
        "scores": report.scores,
        "profiles": report.profiles,
        "analyses": report.analyses,
        "models": pa.Table.from_pylist([asdict(fact) for fact in report.models], MODELS),
    }
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
        write_csv(table, folder / f"{name}.csv")
    return [f"{name}.{ending}" for name in tables for ending in ("parquet", "csv")]
