"""What the importer tests share: the logs beside them, and rows of a table as tuples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

DATA = Path(__file__).parent / "data"
LM_EVAL = DATA / "lm_eval" / "acme__scripted-1"


def rows(table: pa.Table, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in table.to_pylist()]


def scores(table: pa.Table) -> dict[tuple[str, str], list[float]]:
    """The scores of each item and language, in the order of their samples."""
    found: dict[tuple[str, str], list[float]] = {}
    for item, language, sample, score in rows(table, "item_id", "language", "sample", "score"):
        found.setdefault((item, language), []).append(score)
        assert sample == len(found[item, language]) - 1
    return found
