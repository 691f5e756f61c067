"""What a benchmark says over models: coupling, scripts, tokens, size, family, date, thinking.

Intervals are those of the items, for just these models; medians here are over models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tasks.scoring.benchmark_scores import Estimated
from tasks.scoring.comparisons import FEWEST_MODELS, Pair, r2_coupling, unequal_sampling
from tasks.scoring.estimates import Estimates, difference, drawn, median_over, smooth
from tasks.scoring.model_facts import LEVELS, ModelFacts
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.published import BEFORE, FROM, MEAN_OF_TARGETS, SMALL, anchor
from tasks.scoring.scripts import BETWEEN_SCRIPTS
from tasks.scoring.sheet import Row, Sheet, number

TRANSFER = ("hat", "hat_corrected", "hat_chance_corrected")
TOKENS = ("relative_tokens", "relative_reasoning_tokens")
METRICS = ("target_accuracy", *TRANSFER)
EQUAL_SIZE = 1.25  # the larger over the smaller, for models of two families to be compared
FEWEST_SIZES = 3
BREAK = 2025  # the year that the HAT paper splits releases at


class Analyses:
    """The analyses of one benchmark, from the scores of all models on the same resamples."""

    def __init__(self, rates: PassRates, sheet: Sheet, models: Sequence[ModelFacts]) -> None:
        known = {facts.name: facts for facts in models}
        self._rates, self._sheet = rates, sheet
        self._facts = [known.get(name, ModelFacts(name)) for name in rates.models]
        self._kept: dict[str, Estimated] = {}

    def keep(self, found: Estimated) -> None:
        """Keep what an analysis reads; called for every metric."""
        defined = not np.isnan(found.targets.value).all()
        if defined and found.metric in {"source_accuracy", *METRICS, *TOKENS}:
            self._kept[found.metric] = found

    def rows(self) -> Iterator[Row]:
        """Rows of ANALYSES; an analysis without the models that it needs has none."""
        if not self._rates.has_transfer:
            return
        yield from self._coupling()
        yield from self._tokens()
        for metric in (metric for metric in METRICS if metric in self._kept):
            over = self._kept[metric].over
            if BETWEEN_SCRIPTS in over:
                yield self._median("script", metric, BETWEEN_SCRIPTS, over[BETWEEN_SCRIPTS])
            yield from self._sizes(metric, over["mean"])
            yield from self._families(metric, over["mean"])
            yield from self._released(metric, over["mean"])
        for metric in (*METRICS, *TOKENS):
            if metric in self._kept:
                yield from self._thinking(metric, self._kept[metric].over["mean"])

    def _coupling(self) -> Iterator[Row]:
        both = {"source_accuracy", "target_accuracy"}
        if len(self._rates.models) < FEWEST_MODELS or not both <= self._kept.keys():
            return
        source, target = (
            self._kept[name].targets.at((slice(None), np.flatnonzero(self._sheet.targets)))
            for name in ("source_accuracy", "target_accuracy")
        )
        value, draws = (
            r2_coupling(getattr(source, kind), getattr(target, kind)) for kind in ("value", "draws")
        )
        found = drawn(np.atleast_1d(value), np.atleast_2d(draws))
        yield self._row("coupling", "r2_coupling", "", found, len(self._rates.models))

    def _tokens(self) -> Iterator[Row]:
        for metric in TOKENS:
            if metric not in self._kept:
                continue
            kept = self._kept[metric]
            yield self._median("tokens", metric, MEAN_OF_TARGETS, kept.over["mean"])
            for target in np.flatnonzero(self._sheet.targets):
                language = self._rates.languages[target]
                of_target = kept.targets.at((slice(None), target))
                yield self._median("tokens", metric, language, of_target)

    def _sizes(self, metric: str, mean: Estimates) -> Iterator[Row]:
        size = np.array([facts.parameters or np.nan for facts in self._facts])
        small = np.flatnonzero((size >= 1) & (size <= 4))
        if len(small):
            yield self._median("size", metric, SMALL, mean.at(small))
        known = np.flatnonzero(~np.isnan(size) & ~np.isnan(mean.value))
        if len(np.unique(size[known])) < FEWEST_SIZES:
            return
        doublings = np.log2(size[known])
        away = doublings - doublings.mean()
        weight, parts = away / (away**2).sum(), mean.at(known)
        found = smooth(
            np.atleast_1d(weight @ parts.value),
            np.atleast_2d(weight @ parts.draws),
            np.atleast_2d(weight @ parts.influence),
            np.atleast_1d(parts.units.min()),
        )
        yield self._row("size", metric, "per doubling of parameters", found, len(known))

    def _families(self, metric: str, mean: Estimates) -> Iterator[Row]:
        """Every two models of two families, of about equal size and the same thinking."""
        for one, a in enumerate(self._facts):
            for other, b in enumerate(self._facts[:one]):
                if not (a.family and b.family and a.parameters and b.parameters):
                    continue
                ratio = max(a.parameters, b.parameters) / min(a.parameters, b.parameters)
                if a.family != b.family and a.thinking == b.thinking and ratio <= EQUAL_SIZE:
                    yield self._difference("family", metric, mean, one, other, "")

    def _released(self, metric: str, mean: Estimates) -> Iterator[Row]:
        years = np.array([facts.year or 0 for facts in self._facts])
        early = self._middle(mean.at(np.flatnonzero((years > 0) & (years < BREAK))))
        late = self._middle(mean.at(np.flatnonzero(years >= BREAK)))
        for group, found in ((BEFORE, early), (FROM, late)):
            if found is not None:
                yield self._row("released", metric, group, found, int(found.items[0]))
        if early is not None and late is not None:
            models = int(early.items[0] + late.items[0])
            between = difference(late, early)
            yield self._row("released", metric, f"{FROM} - {BEFORE}", between, models)

    def _thinking(self, metric: str, mean: Estimates) -> Iterator[Row]:
        """Each system's settings against its least one."""
        systems: dict[str, list[int]] = defaultdict(list)
        for place, facts in enumerate(self._facts):
            if facts.thinking is not None:
                systems[facts.system or facts.name].append(place)
        for system, places in systems.items():
            least, *others = sorted(places, key=lambda place: _effort(self._facts[place]))
            for place in others:
                said = f"{self._facts[place].thinking} - {self._facts[least].thinking}"
                yield self._difference("thinking", metric, mean, place, least, f"{system}: {said}")

    def _difference(
        self, analysis: str, metric: str, mean: Estimates, one: int, other: int, group: str
    ) -> Row:
        found = difference(mean.at([one]), mean.at([other]))
        apart = unequal_sampling(self._rates, Pair(one, other), varied=analysis)
        if apart is not None:
            found = found.without(np.ones(1, dtype=bool), f"not compared: they {apart}")
        names = f"{self._rates.models[one]} - {self._rates.models[other]}"
        return self._row(analysis, metric, group or names, found, 2)

    def _median(self, analysis: str, metric: str, group: str, parts: Estimates) -> Row:
        found = self._middle(parts)
        if found is None:
            nothing = parts.at([0])
            return self._row(analysis, metric, group, replace(nothing, value=nothing.value), 0)
        return self._row(analysis, metric, group, found, int(found.items[0]))

    def _middle(self, parts: Estimates) -> Estimates | None:
        """The median over the models where it is defined, as an estimate [1]; None without any."""
        known = ~np.isnan(parts.value)
        return median_over(parts.at(None), known[None]) if known.any() else None

    def _row(self, analysis: str, metric: str, group: str, found: Estimates, models: int) -> Row:
        published = anchor(analysis, self._rates.benchmark, metric, group)
        return {
            "analysis": analysis,
            "benchmark": self._rates.benchmark,
            "metric": metric,
            "group": group,
            "value": number(found.value[0]),
            "low": number(found.low[0]),
            "high": number(found.high[0]),
            "n_models": models,
            "published_low": None if published is None else published.low,
            "published_high": None if published is None else published.high,
            "note": str(found.note[0]) or None,
        }


def _effort(facts: ModelFacts) -> float:
    """How much a setting thinks, for an order; a number of tokens lies behind the words."""
    if facts.thinking in LEVELS:
        return LEVELS.index(facts.thinking)
    return len(LEVELS) + float(facts.thinking or 0)
