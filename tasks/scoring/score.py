"""From graded samples to the table of scores: the one entry point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tasks.artifacts.schemas import PROFILES, SCORES
from tasks.errors import BadInput
from tasks.languages import HELD_OUT
from tasks.scoring.beside import count_rows, curved_profiles, notes_of, profile_rows, spread_rows
from tasks.scoring.columns import as_table
from tasks.scoring.comparisons import Pair, fair_pairs, pair_notes
from tasks.scoring.estimates import (
    Bools,
    Estimates,
    Kind,
    difference,
    estimate,
    mean_over,
    median_over,
)
from tasks.scoring.intervals import resample_counts, seeded
from tasks.scoring.metrics import Metric, metrics
from tasks.scoring.pass_rates import PassRates, pass_rates
from tasks.scoring.sheet import Row, Sheet
from tasks.scoring.statistics import Array, Statistic

AGGREGATES = {"mean": mean_over, "median": median_over}


class Scored(NamedTuple):
    """SCORES, PROFILES, and what a reader should know beside them."""

    scores: pa.Table
    profiles: pa.Table
    notes: list[str]


def score(
    grades: pd.DataFrame | pa.Table,
    *,
    source: str = "en",
    pairs: Sequence[tuple[str, str]] = (),
    resamples: int = 1000,
    seed: int = 0,
    interval: Kind = "percentile",
    held_out: Sequence[str] = HELD_OUT,
) -> Scored:
    """All scores of all benchmarks, and differences (model, baseline) from the same resamples.

    `grades` has the columns of GRADES; without `source_language`, `source` is that of all items.
    `interval` says which limits the bootstrap gives from 100 items on. Raises BadInput for grades
    that cannot be scored, and for differences across unequal sampling.
    """
    table = as_table(grades)
    _refuse_strangers(table, pairs)
    scores: list[Row] = []
    profiles: list[Row] = []
    notes: list[str] = []
    for rates in pass_rates(table, source):
        counts = resample_counts(rates.stratum, resamples, seeded(seed, rates.benchmark))
        fair = tuple(fair_pairs(rates, pairs))
        held = np.isin(rates.languages, list(held_out))
        sheet = Sheet(rates)
        one = _Benchmark(rates, sheet, counts, fair, interval, held)
        found = [row for metric in metrics(rates) for row in one.rows(metric)]
        scores += found
        scores += count_rows(rates, sheet)
        scores += spread_rows(rates, sheet, counts, fair, seed)
        profiles += profile_rows(rates, sheet)
        notes += [*notes_of(rates, sheet), *curved_profiles(found), *pair_notes(rates, pairs)]
    return Scored(
        pa.Table.from_pylist(scores, SCORES), pa.Table.from_pylist(profiles, PROFILES), notes
    )


def _refuse_strangers(table: pa.Table, pairs: Sequence[tuple[str, str]]) -> None:
    known = set(pc.unique(table.column("model")).to_pylist()) if pairs else set()
    for name in {name for pair in pairs for name in pair} - known:
        raise BadInput(
            f"there are no grades of model {name!r}, which is to be compared: "
            f"name one of {', '.join(sorted(map(str, known)))}."
        )


@dataclass(frozen=True)
class _Benchmark:
    """One benchmark, whose resamples all models and languages share."""

    rates: PassRates
    sheet: Sheet
    counts: Array  # [resample, unit]
    pairs: tuple[Pair, ...]
    interval: Kind
    held_out: Bools  # [language]

    def rows(self, metric: Metric) -> Iterator[Row]:
        """Each model, then each difference: per target, then over targets."""
        metric = metric.changed(lambda statistic: statistic.grouped(self.rates.unit))
        cells = estimate(metric, self.counts, self.interval)
        pooled = estimate(metric.changed(self._pooled), self.counts, self.interval)
        known = self.sheet.targets & ~np.isnan(cells.value)
        summaries = {
            name: over(cells, known, self.interval).within(metric.bounds)
            for name, over in AGGREGATES.items()
        } | {"pooled": pooled}
        yield from self._listed(
            metric.name, cells, summaries, [Pair(i, -1) for i in range(len(self.rates.models))]
        )
        if self.pairs:
            yield from self._differences(metric.name, cells, pooled, known)

    def _pooled(self, statistic: Statistic) -> Statistic:
        places = np.flatnonzero(self.sheet.targets).tolist()
        return statistic.at(slice(None), places).pooled(1)

    def _differences(
        self, name: str, cells: Estimates, pooled: Estimates, known: Bools
    ) -> Iterator[Row]:
        """Means and medians are over the targets in which both models are defined."""
        first, second = np.array(self.pairs).T
        minus = partial(difference, kind=self.interval)
        both = known[first] & known[second]
        summaries = {
            target: minus(
                over(cells.at(first), both, self.interval),
                over(cells.at(second), both, self.interval),
            )
            for target, over in AGGREGATES.items()
        } | {"pooled": minus(pooled.at(first), pooled.at(second))}
        between = minus(cells.at(first), cells.at(second))
        yield from self._listed(name, between, summaries, self.pairs)
        held = both & self.held_out
        if name == "target_accuracy" and held.any():
            change = mean_over(between, held, self.interval)
            for place, pair in enumerate(self.pairs):
                yield self.sheet.aggregate("held_out_change", "mean", change.at(place), pair)

    def _listed(
        self,
        name: str,
        cells: Estimates,
        summaries: dict[str, Estimates],
        who: Sequence[Pair],
    ) -> Iterator[Row]:
        for place, pair in enumerate(who):
            yield from self.sheet.per_target(name, cells.at(place), pair)
            for target, summary in summaries.items():
                yield self.sheet.aggregate(name, target, summary.at(place), pair)
