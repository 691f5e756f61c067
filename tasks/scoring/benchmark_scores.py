"""All scores of one benchmark, per target and over targets; differences on the same resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from tasks.scoring.comparisons import Pair
from tasks.scoring.estimates import (
    Bools,
    Estimates,
    Kind,
    difference,
    estimate,
    mean_over,
    median_over,
)
from tasks.scoring.metrics import Metric, metrics
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.scripts import BETWEEN_SCRIPTS, OTHER_SCRIPT, SAME_SCRIPT, script_pairs
from tasks.scoring.sheet import Row, Sheet
from tasks.scoring.statistics import Array, Statistic

AGGREGATES = {"mean": mean_over, "median": median_over}
POOLED = "pooled"


class Estimated(NamedTuple):
    """One metric of all models: [model, target], and [model] for what is taken over targets."""

    metric: str
    targets: Estimates
    over: dict[str, Estimates]


@dataclass(frozen=True)
class BenchmarkScores:
    """One benchmark, whose resamples all models and languages share."""

    rates: PassRates
    sheet: Sheet
    counts: Array  # [resample, unit]
    pairs: tuple[Pair, ...]
    languages: tuple[Pair, ...]  # compared with one another, as places among the languages
    held_out: Bools  # [language]
    interval: Kind

    def estimated(self) -> Iterator[Estimated]:
        """Every metric."""
        for metric in metrics(self.rates):
            yield self._estimated(metric)

    def rows(self, found: Estimated) -> Iterator[Row]:
        """Each model, its differences between languages, then each difference of models."""
        alone = [Pair(place, -1) for place in range(len(self.rates.models))]
        yield from self._listed(found, alone)
        yield from self._between_languages(found, alone)
        if self.pairs:
            yield from self._between_models(found)

    @cached_property
    def _groups(self) -> dict[str, Array]:
        """What is pooled: name -> [target, item], 1 where it belongs to the group."""
        targets = np.zeros(self.rates.n.shape[1:])
        targets[self.sheet.targets] = 1.0
        return {POOLED: targets} | script_pairs(self.rates)

    def _estimated(self, metric: Metric) -> Estimated:
        grouped = metric.changed(lambda statistic: statistic.grouped(self.rates.unit))
        cells = estimate(grouped, self.counts, self.interval)
        over = {
            name: found.within(metric.bounds)
            for name, found in self._averages(cells, ~np.isnan(cells.value)).items()
        }
        for name, where in self._groups.items():
            pooled = metric.changed(partial(self._pooled, where))
            over[name] = estimate(pooled, self.counts, self.interval)
        if {SAME_SCRIPT, OTHER_SCRIPT} <= set(over):
            over[BETWEEN_SCRIPTS] = self._minus(over[OTHER_SCRIPT], over[SAME_SCRIPT])
        return Estimated(metric.name, cells, over)

    def _pooled(self, where: Array, statistic: Statistic) -> Statistic:
        return statistic.pooled(where).grouped(self.rates.unit)

    def _averages(self, cells: Estimates, known: Bools) -> dict[str, Estimates]:
        """Mean and median over the targets that are known."""
        targets = (slice(None), np.flatnonzero(self.sheet.targets))
        return {
            name: summary(cells.at(targets), known[targets], self.interval)
            for name, summary in AGGREGATES.items()
        }

    @property
    def _minus(self) -> partial[Estimates]:
        return partial(difference, kind=self.interval)

    def _between_languages(self, found: Estimated, who: Sequence[Pair]) -> Iterator[Row]:
        for first, second in self.languages:
            one, other = (found.targets.at((slice(None), place)) for place in (first, second))
            between = self._minus(one, other)
            target = f"{self.rates.languages[first]} - {self.rates.languages[second]}"
            for pair in who:
                yield self.sheet.aggregate(found.metric, target, between.at(pair.model), pair)

    def _between_models(self, found: Estimated) -> Iterator[Row]:
        """Means and medians are over the targets in which both models are defined."""
        first, second = np.array(self.pairs).T
        one, other = found.targets.at(first), found.targets.at(second)
        both = ~np.isnan(one.value) & ~np.isnan(other.value)
        mine = {name: values.at(first) for name, values in found.over.items()}
        theirs = {name: values.at(second) for name, values in found.over.items()}
        mine |= self._averages(one, both)
        theirs |= self._averages(other, both)
        over = {name: self._minus(mine[name], theirs[name]) for name in found.over}
        between = self._minus(one, other)
        yield from self._listed(Estimated(found.metric, between, over), self.pairs)
        held = both & self.held_out & self.sheet.targets
        if found.metric == "target_accuracy" and held.any():
            change = mean_over(between, held, self.interval)
            for place, pair in enumerate(self.pairs):
                yield self.sheet.aggregate("held_out_change", "mean", change.at(place), pair)

    def _listed(self, found: Estimated, who: Sequence[Pair]) -> Iterator[Row]:
        for place, pair in enumerate(who):
            yield from self.sheet.per_target(found.metric, found.targets.at(place), pair)
            for target, summary in found.over.items():
                yield self.sheet.aggregate(found.metric, target, summary.at(place), pair)
