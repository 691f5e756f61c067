"""What the report says of a generator's training: it and its untrained self on the same prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tasks.reporting.scores import side_of_zero
from tasks.reporting.shown import limits, number

# Metric: what it is called, its unit, what it is a mean of.
METRICS = {
    "format": ("Format reward", "ratio", "all texts"),
    "parsed": ("In the right form", "percent", "all texts"),
    "language": ("In the language asked", "percent", "texts in the right form"),
    "distinct": ("Unlike the ones before", "percent", "texts in the right form"),
    "passed": ("Through every gate", "percent", "all texts"),
    "lai": ("LAI reward", "ratio", "rewarded texts; 0 where refused"),
    "lsi": ("LSI reward", "ratio", "rewarded texts; 0 where refused"),
    "reward": ("Whole reward", "ratio", "rewarded texts"),
    "lai_measured": ("LAI", "ratio", "questions that were measured"),
    "lsi_measured": ("LSI", "ratio", "questions that were measured"),
    "lsi_null": ("LSI of two English answers", "ratio", "questions that were measured"),
    "lsi_excess": ("LSI above that", "ratio", "questions that were measured"),
}


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, and for a difference on which side of 0 that lies."""

    value: str
    limits: str
    verdict: str = ""


@dataclass(frozen=True)
class GainRow:
    """One metric over all languages."""

    title: str
    of: str
    untrained: Estimate
    trained: Estimate
    difference: Estimate
    counts: str  # values behind the two generators


def gain_rows(table: pa.Table | None) -> list[GainRow]:
    """The rows of GAIN over all languages; none where nothing was compared."""
    rows = [] if table is None else table.to_pylist()
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["language"] is None:
            found.setdefault(row["metric"], []).append(row)
    return [_row(name, *three) for name, three in found.items()]


def compared_prompts(table: pa.Table | None) -> int:
    """How many prompts both generators wrote to."""
    return 0 if table is None else max(table.column("n_prompts").to_pylist())


def _row(
    name: str, untrained: dict[str, Any], trained: dict[str, Any], between: dict[str, Any]
) -> GainRow:
    title, unit, of = METRICS[name]
    return GainRow(
        title,
        of,
        _estimate(untrained, unit),
        _estimate(trained, unit),
        _difference(between, unit),
        f"{untrained['n_values']} / {trained['n_values']}",
    )


def _estimate(row: dict[str, Any], unit: str) -> Estimate:
    return Estimate(number(row["value"], unit), limits(row["low"], row["high"], unit))


def _difference(row: dict[str, Any], unit: str) -> Estimate:
    unit = "points" if unit == "percent" else unit
    low, high = row["low"], row["high"]
    return Estimate(
        number(row["value"], unit, signed=True),
        limits(low, high, unit, signed=True),
        side_of_zero(low, high) if row["value"] is not None else "",
    )
