"""Scores that stand beside published tables only, as rows that no other score is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import SCORES


def compared(cells: Mapping[str, Sequence[Mapping[str, Any]]]) -> pa.Table:
    """SCORES of MODEL/BENCHMARK/LANGUAGE -> its metrics, each with value, counts and note.

    They have no interval, as the tables have none.
    """
    rows: list[dict[str, Any]] = []
    for cell, scores in cells.items():
        model, benchmark, language = cell.split("/")
        named = {"model": model, "benchmark": benchmark, "target": language}
        rows += [named | dict(score) for score in scores]
    return pa.Table.from_pylist(rows, SCORES)
