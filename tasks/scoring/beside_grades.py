"""Scores that are not made of grades, as rows that no other score is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import SCORES


def beside_rows(cells: Mapping[str, Sequence[Mapping[str, Any]]]) -> pa.Table:
    """SCORES of MODEL/KIND/BENCHMARK/LANGUAGE -> its metrics, each with value, counts and note.

    They have no interval: published tables have none, and a metric of somebody else's says nothing
    about its own.
    """
    rows: list[dict[str, Any]] = []
    for cell, scores in cells.items():
        model, _, benchmark, language = cell.split("/")
        named = {"model": model, "benchmark": benchmark, "target": language}
        rows += [named | dict(score) for score in scores]
    return pa.Table.from_pylist(rows, SCORES)
