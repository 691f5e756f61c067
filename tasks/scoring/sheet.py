"""What all rows of one benchmark share, and the rows of a score."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tasks.scoring.comparisons import Pair
from tasks.scoring.estimates import Bools, Estimates
from tasks.scoring.metrics import target_counts
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array

Row = dict[str, Any]
TRAINED_TARGETS, HELD_OUT_TARGETS = "trained", "held-out"  # means over a method's languages
AVERAGED = ("mean", "median", TRAINED_TARGETS, HELD_OUT_TARGETS)
EVERY_LANGUAGE = "all"  # the target of what is taken over languages and is no aggregate of targets


class Sheet:
    """Rows of SCORES for one benchmark."""

    def __init__(self, rates: PassRates) -> None:
        self._rates = rates
        # Of a target: without the items that it is itself the source of.
        self._samples, self._parsed = (
            target_counts(rates, counted).sum(-1) for counted in (rates.n, rates.parsed)
        )
        self._coverage = np.where(self._samples > 0, self._parsed, np.nan) / np.maximum(
            self._samples, 1
        )
        sources = np.unique(rates.source[rates.source >= 0])
        names = sorted(rates.languages[i] for i in sources)
        self.source = "+".join(names) or None
        # The source language alone is no target; with several sources every language is one.
        only = sources[0] if len(sources) == 1 else -1
        self.targets: Bools = np.asarray(np.arange(len(rates.languages)) != only)

    @cached_property
    def _answered(self) -> Array:
        """[model]: items with an answer in any target."""
        return np.asarray((self._rates.n[:, self.targets] > 0).any(1).sum(-1), dtype=float)

    def per_target(self, metric: str, found: Estimates, who: Pair) -> Iterator[Row]:
        """One row for each target that the model has answers in; `found` is [target]."""
        for target in np.flatnonzero(self.targets & (self._samples[who.model] > 0)):
            yield self._row(metric, self._rates.languages[target], who) | {
                **_numbers(found, int(target)),
                "n_items": int(found.items[target]),
                "n_samples": int(self._samples[who.model, target]),
                "coverage": number(self._coverage[who.model, target]),
            }

    def aggregate(self, metric: str, target: str, found: Estimates, who: Pair) -> Row:
        """A score over targets or between two; `found` holds one value.

        `items` of a mean or median counts its targets, that of a pooled one pairs of item and
        target.
        """
        averaged = target in AVERAGED
        samples = self._samples[who.model, self.targets]
        return self._row(metric, target, who) | {
            **_numbers(found, ()),
            "n_items": int(self._answered[who.model] if averaged else found.items),
            "n_targets": int(found.items if averaged else (samples > 0).sum()),
            "n_samples": int(samples.sum()),
            "coverage": number(self._parsed[who.model, self.targets].sum() / max(samples.sum(), 1)),
        }

    def over_languages(self, metric: str, found: Estimates | float | None, who: Pair) -> Row:
        """A spread, which is taken over all languages of a model."""
        samples, parsed = self._rates.n[who.model].sum(-1), self._rates.parsed[who.model].sum()
        value = _numbers(found, ()) if isinstance(found, Estimates) else _alone(found)
        return self._row(metric, EVERY_LANGUAGE, who) | {
            **value,
            "n_items": len(self._rates.items),
            "n_samples": int(samples.sum()),
            "n_targets": int((samples > 0).sum()),
            "coverage": number(parsed / max(samples.sum(), 1)),
        }

    def count(self, metric: str, target: int, value: float, who: Pair, items: float) -> Row:
        """A number of items, which has no interval."""
        return self._row(metric, self._rates.languages[target], who) | {
            "value": float(value),
            "n_items": int(items),
            "n_samples": int(self._samples[who.model, target]),
            "coverage": number(self._coverage[who.model, target]),
        }

    def _row(self, metric: str, target: str, who: Pair) -> Row:
        models = self._rates.models
        return {
            "model": models[who.model],
            "baseline": None if who.baseline < 0 else models[who.baseline],
            "benchmark": self._rates.benchmark,
            "source": self.source,
            "target": target,
            "metric": metric,
            "temperature": number(self._rates.temperature[who.model]),
        }


def number(value: Any) -> float | None:
    """A float for a table; None for what is no number."""
    return float(value) if np.isfinite(value) else None


def _alone(value: float | None) -> Row:
    return {"value": value, "note": "the mean is 0" if value is None else None}


def _numbers(found: Estimates, place: int | tuple[()]) -> Row:
    low, high = number(found.low[place]), number(found.high[place])
    return {
        "value": number(found.value[place]),
        "low": low,
        "high": high,
        "interval": None if low is None else str(np.asarray(found.method)[place]),
        "note": str(np.asarray(found.note)[place]) or None,
    }
