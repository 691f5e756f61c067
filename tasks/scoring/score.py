"""From graded samples to the table of scores: the one entry point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from tasks.artifacts.schemas import PROFILES, SCORES
from tasks.errors import BadInput
from tasks.scoring.beside import Row, notes_of, number, profile_rows, spread_rows
from tasks.scoring.estimates import Estimates, averaged, difference, estimate
from tasks.scoring.intervals import resample_counts, seeded
from tasks.scoring.metrics import coverage, statistics
from tasks.scoring.pass_rates import PassRates, pass_rates


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
) -> Scored:
    """All scores of all benchmarks, and differences (model, baseline) from the same resamples.

    Raises BadInput for grades that cannot be scored, and for differences across unequal sampling.
    """
    scores: list[Row] = []
    profiles: list[Row] = []
    notes: list[str] = []
    for rates in pass_rates(grades, source):
        scores += _Benchmark(rates, resamples, seed).rows(pairs)
        scores += spread_rows(rates, seed)
        profiles += profile_rows(rates)
        notes += notes_of(rates)
    return Scored(
        pa.Table.from_pylist(scores, SCORES), pa.Table.from_pylist(profiles, PROFILES), notes
    )


class _Benchmark:
    """The scores of one benchmark, whose resamples all models and languages share."""

    def __init__(self, rates: PassRates, resamples: int, seed: int) -> None:
        self._rates = rates
        rng = seeded(seed, rates.benchmark)
        self._counts = resample_counts(rates.stratum, resamples, rng)
        self._coverage = coverage(rates)
        sources = {rates.languages[i] for i in np.unique(rates.source) if i >= 0}
        self._source = "+".join(sorted(sources)) or None
        # The source language alone is no target; with several sources every language is one.
        only = rates.languages.index(self._source) if len(sources) == 1 else -1
        self._targets = np.arange(len(rates.languages)) != only
        self._has_source = rates.has_transfer

    def rows(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Row]:
        for metric, statistic in statistics(self._rates).items():
            per_item = statistic.grouped(self._rates.unit)
            cells = estimate(metric, per_item, self._counts)
            pooled = estimate(metric, self._only_targets(per_item).pooled(1), self._counts)
            summaries = {
                "mean": averaged(cells, self._targets, "mean"),
                "median": averaged(cells, self._targets, "median"),
                "pooled": pooled,
            }
            for place, model in enumerate(self._rates.models):
                yield from self._of_model(metric, model, None, _row(cells, place), place)
                for target, summary in summaries.items():
                    one = _row(summary, place)
                    yield self._summary(metric, model, None, target, one, place)
            for model, baseline in self._known(pairs):
                first, second = self._place(model), self._place(baseline)
                between = difference(cells, first, second)
                yield from self._of_model(metric, model, baseline, between, first)
                for target, summary in summaries.items():
                    yield self._summary(
                        metric, model, baseline, target, difference(summary, first, second), first
                    )

    def _only_targets(self, statistic: Any) -> Any:
        return statistic.at(slice(None), np.flatnonzero(self._targets).tolist())

    def _place(self, model: str) -> int:
        return self._rates.models.index(model)

    def _known(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        known = [pair for pair in pairs if set(pair) <= set(self._rates.models)]
        for model, baseline in known:
            self._refuse_unequal(self._place(model), self._place(baseline), model, baseline)
        return known

    def _refuse_unequal(self, one: int, other: int, model: str, baseline: str) -> None:
        rates = self._rates
        hot, cold = rates.temperature[one], rates.temperature[other]
        if hot != cold and not (np.isnan(hot) and np.isnan(cold)):
            raise BadInput(
                f"{model} and {baseline} answered {rates.benchmark!r} at temperatures {hot:g} and "
                f"{cold:g}: a difference needs equal sampling; evaluate both alike"
            )
        most, least = rates.n[one].max(), rates.n[other].max()
        if most != least:
            raise BadInput(
                f"{model} and {baseline} have {most:g} and {least:g} samples an item of "
                f"{rates.benchmark!r}: a difference needs equal sampling; evaluate both alike"
            )

    def _of_model(
        self, metric: str, model: str, baseline: str | None, cells: Estimates, place: int
    ) -> Iterator[Row]:
        for target, language in enumerate(self._rates.languages):
            if self._targets[target] or not self._has_source:
                row = self._common(metric, model, baseline, place)
                yield (
                    row
                    | _numbers(cells, target)
                    | {
                        "target": language,
                        "n_items": int(cells.items[target]),
                        "n_samples": int(self._rates.n[place, target].sum()),
                        "coverage": number(self._coverage[place, target]),
                    }
                )

    def _summary(
        self,
        metric: str,
        model: str,
        baseline: str | None,
        target: str,
        summary: Estimates,
        place: int,
    ) -> Row:
        samples = self._rates.n[place, self._targets]
        covered = self._rates.parsed[place, self._targets]
        pooled = target == "pooled"
        row = self._common(metric, model, baseline, place)
        return (
            row
            | _numbers(summary, ())
            | {
                "target": target,
                "n_items": int(summary.items) if pooled else int(samples.any(0).sum()),
                "n_targets": int(self._targets.sum()) if pooled else int(summary.items),
                "n_samples": int(samples.sum()),
                "coverage": number(covered.sum() / max(samples.sum(), 1)),
            }
        )

    def _common(self, metric: str, model: str, baseline: str | None, place: int) -> Row:
        return {
            "model": model,
            "baseline": baseline,
            "benchmark": self._rates.benchmark,
            "source": self._source,
            "metric": metric,
            "temperature": number(self._rates.temperature[place]),
        }


def _row(estimates: Estimates, place: int) -> Estimates:
    return replace(
        estimates,
        **{
            name: value[place]
            for name, value in vars(estimates).items()
            if not isinstance(value, str)
        },
    )


def _numbers(estimates: Estimates, place: int | tuple[()]) -> Row:
    low, high = number(estimates.low[place]), number(estimates.high[place])
    return {
        "value": number(estimates.value[place]),
        "low": low,
        "high": high,
        "interval": estimates.method if low is not None else None,
        "note": str(np.asarray(estimates.note)[place]) or None,
    }
