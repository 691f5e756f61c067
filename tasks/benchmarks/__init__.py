"""The benchmarks' items, from published files to rows whose gold answers pass their graders."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from tasks.artifacts.schemas import ITEMS
from tasks.benchmarks.published import Published
from tasks.benchmarks.seeds import load_seeds, read_seeds, seeds_revision
from tasks.benchmarks.table import BENCHMARKS, Benchmark, benchmark_named, graded_in
from tasks.errors import BadInput
from tasks.grading import check_gold


class Loaded(NamedTuple):
    """ITEMS whose gold answers their grader accepts, and the others with the reason."""

    items: pa.Table
    refused: list[tuple[str, str]]


def load_items(benchmark: str, source: str, language: str, items: int | None = None) -> Loaded:
    """The first `items` published items (None: all), each gold put through its own grader.

    Counting comes before checking, so that every language is cut at the same item.

    Raises:
        BadInput: an unknown benchmark, no data in this language or at `source`, a malformed row.
    """
    row = benchmark_named(benchmark)
    if not row.has(language):
        raise BadInput(
            f"benchmark {benchmark!r} has no items in {language!r}; "
            f"it has {', '.join(row.languages)}"
        )
    kept: list[dict[str, object]] = []
    refused: list[tuple[str, str]] = []
    seen: set[str] = set()
    for item in row.origin.load(source, language, items):
        reason = item.refused or _fault(row, language, item, seen)
        seen.add(item.item_id)
        if reason is None:
            kept.append(_item_row(row, language, item))
        else:
            refused.append((item.item_id, reason))
    return Loaded(pa.Table.from_pylist(kept, ITEMS), refused)


def _fault(row: Benchmark, language: str, item: Published, seen: set[str]) -> str | None:
    if item.item_id in seen:
        return "its id is that of an earlier item"
    if not item.question.strip():
        return "there is no question"
    return check_gold(row.kind, graded_in(row.kind, language), item.gold, item.options)


def revision(benchmark: str, source: str) -> str:
    """SHA-256 (hex) of what shapes a benchmark's items, wherever they lie. Raises BadInput."""
    return benchmark_named(benchmark).origin.revision(source)


def _item_row(row: Benchmark, language: str, item: Published) -> dict[str, object]:
    return {
        "benchmark": row.name,
        "item_id": item.item_id,
        "language": language,
        "kind": row.kind,
        "question": item.question,
        "context": item.context,
        "options": item.options,
        "gold": item.gold,
        "source_language": item.source_language or row.source_language,
        "parallel": row.parallel,
        "cluster": item.cluster,
        "flags": item.flags,
    }


__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Loaded",
    "benchmark_named",
    "graded_in",
    "load_items",
    "load_seeds",
    "read_seeds",
    "revision",
    "seeds_revision",
]
