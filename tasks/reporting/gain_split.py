"""Where a difference in accuracy comes from, trained and held-out languages apart."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.reporting.names import language_name
from tasks.reporting.scores import Score, Scores

GROUPS = ("trained", "held-out")
COLUMNS = (
    "target_accuracy", "gain_by_coverage", "gain_by_accuracy", "coverage", "accuracy_parsed",
)  # fmt: skip


@dataclass(frozen=True)
class SplitRow:
    """One pair of models on one benchmark and group of languages; cells in the order of COLUMNS."""

    benchmark: str
    models: str
    languages: str
    cells: list[Score | None]


def split_rows(scores: Scores) -> list[SplitRow]:
    """Every pair that is compared, on every benchmark that has the group."""
    return [
        SplitRow(benchmark, f"{model} − {base}", language_name(group), cells)
        for model, base in scores.pairs
        for benchmark in scores.benchmarks
        for group in GROUPS
        if any(cells := [scores.find(model, benchmark, group, name, base) for name in COLUMNS])
    ]
