"""A SCORES table as something to look rows up in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.reporting.names import MINUS, is_language, metric
from tasks.reporting.shown import limits, number


class Score(NamedTuple):
    """A row of SCORES."""

    model: str
    baseline: str | None
    benchmark: str
    source: str | None
    target: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    n_items: int | None
    n_samples: int | None
    n_targets: int | None
    coverage: float | None
    temperature: float | None
    note: str | None

    @property
    def is_difference(self) -> bool:
        """Whether it is a model minus its baseline, or one target minus another."""
        return self.baseline is not None or MINUS in self.target

    @property
    def shown(self) -> str:
        """The value in its unit; differences have a sign."""
        return number(self.value, self._unit, self.is_difference)

    @property
    def limits(self) -> str:
        """The interval in the value's unit; empty where there is none."""
        return limits(self.low, self.high, self._unit, self.is_difference)

    @property
    def shown_coverage(self) -> str:
        """The share of readable answers."""
        return number(self.coverage, "percent")

    @property
    def against_zero(self) -> str:
        """On which side of 0 the interval of a difference lies."""
        return side_of_zero(self.low, self.high)

    @property
    def _unit(self) -> str:
        unit = metric(self.metric).unit
        return "points" if self.is_difference and unit == "percent" else unit


def side_of_zero(low: float | None, high: float | None) -> str:
    """On which side of 0 an interval lies, in words."""
    if low is None or high is None:
        return "no interval"
    if low > 0:
        return "excludes 0: higher"
    return "excludes 0: lower" if high < 0 else "includes 0"


@dataclass(frozen=True)
class Scores:
    """All rows of a report."""

    rows: tuple[Score, ...]

    @cached_property
    def _by_key(self) -> dict[tuple[str, str | None, str, str, str], Score]:
        return {(r.model, r.baseline, r.benchmark, r.target, r.metric): r for r in self.rows}

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """(model, baseline) of all differences, as the table has them."""
        return list(dict.fromkeys((r.model, r.baseline) for r in self.rows if r.baseline))

    @cached_property
    def models(self) -> list[str]:
        """The models, baselines first."""
        baselines = {baseline for _, baseline in self.pairs}
        present = dict.fromkeys(r.model for r in self.rows if not r.is_difference)
        return sorted(present, key=lambda model: model not in baselines)

    @cached_property
    def benchmarks(self) -> list[str]:
        """The benchmarks, as the table has them."""
        return list(dict.fromkeys(r.benchmark for r in self.rows))

    def targets(self, benchmark: str, name: str) -> set[str]:
        """The languages for which a benchmark has a metric."""
        return {
            r.target
            for r in self.rows
            if r.benchmark == benchmark and r.metric == name and is_language(r.target)
        }

    def find(
        self, model: str, benchmark: str, target: str, name: str, baseline: str | None = None
    ) -> Score | None:
        """The row of a metric, of the difference to `baseline` where one is given."""
        return self._by_key.get((model, baseline, benchmark, target, name))


def read_scores(table: pa.Table) -> Scores:
    """The rows of a SCORES table; what is not a number is None."""
    return Scores(tuple(Score(**_numbers(row)) for row in table.to_pylist()))


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
