"""The rows of ANALYSES: what is said over models, beside what the HAT paper says."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.reporting.names import MINUS, language_name, metric
from tasks.reporting.scores import side_of_zero
from tasks.reporting.shown import limits, number

_BETWEEN = ("family", "script", "thinking")  # analyses of nothing but differences


class Statement(NamedTuple):
    """A row of ANALYSES."""

    analysis: str
    benchmark: str
    metric: str
    group: str
    value: float | None
    low: float | None
    high: float | None
    n_models: int | None
    published_low: float | None
    published_high: float | None
    note: str | None

    @property
    def title(self) -> str:
        """The metric in words."""
        return metric(self.metric).title

    @property
    def about(self) -> str:
        """The group in words."""
        return language_name(self.group) if self.analysis in ("tokens", "script") else self.group

    @property
    def is_difference(self) -> bool:
        """Whether the value is a difference, so that 0 means none."""
        return (
            self.analysis in _BETWEEN
            or MINUS in self.group
            or self.group.startswith("per doubling")
        )

    @property
    def shown(self) -> str:
        """The value in its unit; differences have a sign."""
        return number(self.value, self._unit, self.is_difference)

    @property
    def limits(self) -> str:
        """The interval in the value's unit; empty where there is none."""
        return limits(self.low, self.high, self._unit, self.is_difference)

    @property
    def against_zero(self) -> str:
        """On which side of 0 the interval of a difference lies."""
        return side_of_zero(self.low, self.high)

    @property
    def is_anchored(self) -> bool:
        """Whether the paper has a figure for it."""
        return self.published_low is not None or self.published_high is not None

    @property
    def published(self) -> str:
        """The paper's figure, or its range."""
        low = number(self.published_low, self._unit, self.is_difference)
        high = number(self.published_high, self._unit, self.is_difference)
        if self.published_low is None:
            return f"at most {high}"
        if self.published_high is None:
            return f"at least {low}"
        return low if self.published_low == self.published_high else f"{low} to {high}"

    @property
    def against_published(self) -> str:
        """Where ours lies, seen from the paper's figure."""
        if self.value is None:
            return "ours is undefined"
        least = float("-inf") if self.published_low is None else self.published_low
        most = float("inf") if self.published_high is None else self.published_high
        if least <= self.value <= most:
            return "equal" if least == most else "within the paper's range"
        if self.low is not None and self.high is not None and self.low <= most <= self.high:
            return "our interval includes it"
        if self.low is not None and self.high is not None and self.low <= least <= self.high:
            return "our interval includes it"
        return "ours is higher" if self.value > most else "ours is lower"

    @property
    def _unit(self) -> str:
        unit = metric(self.metric).unit
        return "points" if self.is_difference and unit == "percent" else unit


def read_statements(table: pa.Table) -> list[Statement]:
    """The rows of an ANALYSES table; what is not a number is None."""
    return [Statement(**_numbers(row)) for row in table.to_pylist()]


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


class Analysis(NamedTuple):
    """What is said of one kind, and how to read it."""

    name: str
    title: str
    meaning: str


KINDS = (
    Analysis("coupling", "Source and target accuracy", "Over models and targets: how well the "
             "accuracy in the source language alone says the accuracy in the target language."),
    Analysis("size", "Model size", "Over models with a known number of parameters."),
    Analysis("family", "Family at about equal size", "Two models of about equal size and "
             "different pre-training."),
    Analysis("released", "Release date", "Medians over models, by when they were released."),
    Analysis("thinking", "Thinking", "The same system with two budgets for thinking; the same "
             "questions."),
    Analysis("script", "Script", "Targets in another script than the source language's, less "
             "those in the same; medians over models."),
    Analysis("tokens", "Tokens", "Length of answers over that in the source language, medians "
             "over models: 1.120 is 12 % more."),
)  # fmt: skip


def of_kind(statements: Sequence[Statement], name: str) -> list[Statement]:
    """The statements of one analysis."""
    return [s for s in statements if s.analysis == name]


def anchors(statements: Sequence[Statement]) -> list[Statement]:
    """The statements that the paper has a figure for, but those of single languages."""
    return [s for s in statements if s.is_anchored and s.analysis != "tokens"]


def anchored_tokens(statements: Sequence[Statement]) -> list[tuple[str, str, str]]:
    """(benchmark, metric in words, how many languages lie where), beside the paper's range."""
    found: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for s in statements:
        if s.is_anchored and s.analysis == "tokens":
            found[s.benchmark, s.title, s.published][s.against_published] += 1
    return [
        (
            benchmark,
            f"{title} by language, in the paper {published}",
            ", ".join(f"{words}: {count}" for words, count in counts.most_common()),
        )
        for (benchmark, title, published), counts in found.items()
    ]
