"""Values with intervals, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tasks.scoring.intervals import (
    FEW,
    UNDEFINED_SHARE,
    bca,
    fieller,
    jackknife,
    percentile,
    student,
)
from tasks.scoring.metrics import TOO_FEW, Metric
from tasks.scoring.statistics import Array, Statistic

NOT_IDENTIFIED = "not identified: its interval is wider than 0.5"
WIDEST_INTEGRAL = 0.5
ALWAYS_ENOUGH = 1e9  # units, for what has no interval but the bootstrap's

Bools = npt.NDArray[np.bool_]
Kind = Literal["percentile", "bca"]


@dataclass(frozen=True)
class Estimates:
    """Arrays of one shape; NaN and a note where a score is not defined.

    `draws` [..., resample] and `influence` [..., unit] let differences and means be formed from
    the same resamples. `items` counts the items behind a value, or the targets behind a mean;
    `method` is bootstrap, fieller or jackknife.
    """

    value: Array
    low: Array
    high: Array
    draws: Array
    influence: Array
    units: Array
    items: Array
    method: npt.NDArray[np.object_]
    note: npt.NDArray[np.object_]

    def at(self, place: Any) -> Estimates:
        """A part of the first axes."""
        return Estimates(**{name: values[place] for name, values in vars(self).items()})

    def within(self, bounds: tuple[float, float]) -> Estimates:
        """The same with limits that are possible values."""
        return replace(self, low=np.clip(self.low, *bounds), high=np.clip(self.high, *bounds))

    def without(self, undefined: Bools, note: str) -> Estimates:
        """The same with some more values undefined; a note that is there already stays."""
        fresh = undefined & np.array(self.note == "", dtype=bool)
        return replace(
            self,
            value=np.where(undefined, np.nan, self.value),
            low=np.where(undefined, np.nan, self.low),
            high=np.where(undefined, np.nan, self.high),
            note=np.where(fresh, note, self.note).astype(object),
        )


def estimate(metric: Metric, counts: Array, kind: Kind = "percentile") -> Estimates:
    """One score for all models and targets; `counts` [resample, unit] are the joint resamples."""
    statistic = metric.statistic
    value, draws, influence = statistic.value(), statistic.resampled(counts), statistic.influence()
    units = statistic.units()
    exact = fieller(statistic) if statistic.is_ratio else jackknife(value, influence, units)
    name = "fieller" if statistic.is_ratio else "jackknife"
    found = _with_limits(value, draws, influence, units, exact, name, kind)
    found = replace(
        found,
        items=statistic.items.sum(-1),
    )
    return _where_defined(metric, found).within(metric.bounds)


def _where_defined(metric: Metric, found: Estimates) -> Estimates:
    found = found.without(found.units == 0, metric.lacking)
    lost = np.isnan(found.value) | (np.isnan(found.draws).mean(-1) > UNDEFINED_SHARE)
    if metric.gate is not None:
        found = found.without(~_positive(metric.gate), TOO_FEW)
    if metric.name == "hat_integral":
        wide = ~(found.high - found.low <= WIDEST_INTEGRAL)
        found = found.without(lost | wide, NOT_IDENTIFIED)
    elif metric.gate is not None:
        found = found.without(lost, TOO_FEW)
    return found.without(np.isnan(found.value), metric.lacking)


def _positive(statistic: Statistic) -> Bools:
    """Whether the denominator of a ratio is significantly above 0 (two-sided 5 %)."""
    bottom, n = statistic.terms[1], statistic.units()
    mean = bottom.sum(-1) / np.maximum(n, 1)
    variance = ((bottom**2).sum(-1) - n * mean**2) / np.maximum(n * (n - 1), 1)
    margin = student(n - 1) * np.sqrt(np.maximum(variance, 0))
    return np.asarray(mean > np.nan_to_num(margin, nan=np.inf))


def _with_limits(
    value: Array,
    draws: Array,
    influence: Array,
    units: Array,
    exact: tuple[Array, Array],
    name: str,
    kind: Kind,
) -> Estimates:
    """The bootstrap's limits, or `exact` ones where there are too few units for it."""
    low, high = bca(value, draws, influence) if kind == "bca" else percentile(draws)
    few = units < FEW
    return Estimates(
        value,
        np.where(few, exact[0], low),
        np.where(few, exact[1], high),
        draws,
        influence,
        units,
        items=units,
        method=np.where(few, name, "bootstrap").astype(object),
        note=np.full(value.shape, "", dtype=object),
    )


def smooth(
    value: Array, draws: Array, influence: Array, units: Array, kind: Kind = "percentile"
) -> Estimates:
    """Estimates from what sums and differences of others have in common."""
    limits = jackknife(value, influence, units)
    return _with_limits(value, draws, influence, units, limits, "jackknife", kind)


def mean_over(parts: Estimates, known: Bools, kind: Kind = "percentile") -> Estimates:
    """Mean over the last axis, where `known`; `items` counts what was averaged."""
    count = known.sum(-1)
    share = np.where(known, 1.0, 0.0) / np.maximum(count, 1)[..., None]

    def averaged(values: Array) -> Array:
        kept = np.where(known[..., None], values, 0.0)
        return np.asarray((share[..., None] * kept).sum(-2))

    value = averaged(parts.value[..., None])[..., 0]
    units = np.where(known, parts.units, np.inf).min(-1, initial=np.inf)
    draws, influence = averaged(parts.draws), averaged(parts.influence)
    found = smooth(value, draws, influence, np.where(count > 0, units, 0), kind)
    return _noted(replace(found, items=count), parts, count)


def _noted(found: Estimates, parts: Estimates, count: Array) -> Estimates:
    """Undefined where all of `parts` are, with their note where it is one for all."""
    for place in np.flatnonzero(count == 0).tolist():
        notes = set(parts.note[place].tolist()) - {""}
        note = notes.pop() if len(notes) == 1 else "undefined in every target"
        found = found.without(np.arange(len(count)) == place, note)
    return found


def median_over(parts: Estimates, known: Bools, kind: Kind = "percentile") -> Estimates:
    """Median over the last axis, where `known`; `items` counts what it was taken of."""
    count = known.sum(-1)

    def middle(values: Array) -> Array:
        kept = [row[chosen] for row, chosen in zip(values, known, strict=True)]
        return np.array([np.median(v, axis=0) if len(v) else np.zeros(v.shape[1:]) for v in kept])

    found = replace(drawn(middle(parts.value), middle(parts.draws), kind), items=count)
    return _noted(found, parts, count)


def drawn(value: Array, draws: Array, kind: Kind = "percentile") -> Estimates:
    """Estimates that are no smooth function of sums: the bootstrap's, however few the items."""
    influence = np.zeros((*value.shape, 1))
    return smooth(value, draws, influence, np.full(value.shape, ALWAYS_ENOUGH), kind)


def difference(first: Estimates, second: Estimates, kind: Kind = "percentile") -> Estimates:
    """`first` - `second`, paired by their resamples and units."""
    found = smooth(
        first.value - second.value,
        first.draws - second.draws,
        first.influence - second.influence,
        np.minimum(first.units, second.units),
        kind,
    )
    found = replace(found, items=np.minimum(first.items, second.items))
    undefined = np.isnan(found.value)
    for note in set(first.note[undefined].tolist()) - {""}:  # for the same reason in both
        alike = np.array((first.note == note) & (second.note == note), dtype=bool)
        found = found.without(undefined & alike, note)
    return found.without(undefined, "undefined in one of the two")
