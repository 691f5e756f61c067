"""Scores of two runs side by side, and their differences, as lines of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.summary import is_headline
from tasks.reporting.scores import side_of_zero

Row = dict[str, Any]  # of SCORES; models are called `ROLE (A)` and `ROLE (B)`
UNPAIRED = "no paired difference"


def difference_lines(scores: list[Row], every: bool = False) -> Iterator[str]:
    """The headline's means over targets, or every target and metric, after a line of titles."""
    rows = [row for row in scores if every or (is_headline(row) and row["target"] == "mean")]
    alone = {_cell(row): row for row in rows if row["baseline"] is None}
    apart = {_cell(row): row for row in rows if row["baseline"] is not None}
    if alone:
        yield _line("role", "benchmark", "target", "metric", "A", "B", "A - B")
    for (model, *rest), row in alone.items():
        role = model.removesuffix(" (A)")
        if role != model:
            other = alone.get((f"{role} (B)", *rest))
            between = apart.get((model, *rest))
            yield _line(role, *rest, _shown(row), _shown(other), _judged(row, other, between))


def _cell(row: Row) -> tuple[str, ...]:
    return row["model"], row["benchmark"], row["target"], row["metric"]


def _line(*cells: str) -> str:
    widths = (14, 12, 10, 22, 24, 24, 0)
    return " ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _shown(row: Row | None, sign: str = "") -> str:
    if row is None or row["value"] is None:
        return "-" if row is None else f"- {row['note'] or ''}".rstrip()
    limits = "" if row["low"] is None else f" [{row['low']:{sign}.3f}, {row['high']:{sign}.3f}]"
    return f"{row['value']:{sign}.3f}{limits}"


def _judged(row: Row, other: Row | None, between: Row | None) -> str:
    """The difference and on which side of 0 it lies; without one, whether intervals overlap."""
    if between is not None:
        return f"{_shown(between, '+')} {side_of_zero(between['low'], between['high'])}"
    if other is None or row["low"] is None or other["low"] is None:
        return UNPAIRED
    overlap = row["low"] <= other["high"] and other["low"] <= row["high"]
    return f"{UNPAIRED}; the intervals {'overlap' if overlap else 'lie apart'}"
