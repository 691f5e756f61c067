"""Values with intervals, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tasks.scoring.intervals import (
    FEW,
    UNDEFINED_SHARE,
    fieller,
    jackknife,
    percentile,
    student,
)
from tasks.scoring.metrics import BY_PAIRS, BY_SOURCE_PASSES
from tasks.scoring.statistics import Array, Statistic

TOO_FEW = "too few source passes"
NOT_IDENTIFIED = "not identified: its interval is wider than 0.5"
NO_PAIRS = "N = 1: a corrected score needs at least two samples of an item"
WIDEST_INTEGRAL = 0.5


@dataclass(frozen=True)
class Estimates:
    """Arrays [model, target]; NaN and a note where a score is not defined.

    `draws` [..., resample] and `influence` [..., unit] let differences and means be formed from
    the same resamples.
    """

    value: Array
    low: Array
    high: Array
    draws: Array
    influence: Array
    units: Array
    items: Array
    method: str  # bootstrap | fieller | jackknife
    note: npt.NDArray[np.object_]


def estimate(name: str, statistic: Statistic, counts: Array) -> Estimates:
    """One score for all models and targets; `counts` [resample, unit] are the joint resamples."""
    value, draws, influence = statistic.value(), statistic.resampled(counts), statistic.influence()
    units = statistic.units()
    few = counts.shape[1] < FEW
    if few and statistic.is_ratio:
        method, (low, high) = "fieller", fieller(statistic)
    elif few:
        method, (low, high) = "jackknife", jackknife(value, influence, units)
    else:
        method, (low, high) = "bootstrap", percentile(draws)
    note = _notes(name, statistic, value, draws, high - low)
    undefined = np.array(note != "", dtype=bool)
    return Estimates(
        np.where(undefined, np.nan, value),
        np.where(undefined, np.nan, low),
        np.where(undefined, np.nan, high),
        draws,
        influence,
        units,
        statistic.items.sum(-1),
        method,
        note,
    )


def _notes(
    name: str, statistic: Statistic, value: Array, draws: Array, width: Array
) -> npt.NDArray[np.object_]:
    note = np.full(value.shape, "", dtype=object)
    if name in BY_SOURCE_PASSES:
        lost = np.isnan(draws).mean(-1) > UNDEFINED_SHARE
        note[np.isnan(value) | lost | ~_positive(statistic)] = TOO_FEW
    if name == "hat_integral":
        note[(note == "") & ~(width <= WIDEST_INTEGRAL)] = NOT_IDENTIFIED
    if name in BY_PAIRS:
        note[statistic.units() == 0] = NO_PAIRS
    note[(note == "") & np.isnan(value)] = "no items"
    return note


def _positive(statistic: Statistic) -> npt.NDArray[np.bool_]:
    """Whether the denominator is significantly above 0 (two-sided 5 %)."""
    if not statistic.is_ratio:
        return np.ones(statistic.items.shape[:-1], dtype=bool)
    bottom, n = statistic.terms[1], statistic.units()
    mean = bottom.sum(-1) / np.maximum(n, 1)
    variance = ((bottom**2).sum(-1) - n * mean**2) / np.maximum(n * (n - 1), 1)
    margin = student(n - 1) * np.sqrt(np.maximum(variance, 0))
    return np.asarray(mean > np.nan_to_num(margin, nan=np.inf))


def averaged(parts: Estimates, targets: npt.NDArray[np.bool_], statistic: str) -> Estimates:
    """Mean or median over the defined targets of each model, [model]; `items` counts targets."""
    known = targets & ~np.isnan(parts.value)
    count = known.sum(1)
    take = np.nanmedian if statistic == "median" else np.nanmean
    value = _over_targets(take, parts.value, known)
    draws = _over_targets(take, parts.draws, known[..., None])
    share = np.where(known, 1.0, 0.0) / np.maximum(count, 1)[:, None]
    influence = (np.where(known[..., None], parts.influence, 0.0) * share[..., None]).sum(1)
    units = parts.units.max(1)
    # The median is no smooth function, so that its interval is always the bootstrap's.
    smooth = parts.method != "bootstrap" and statistic == "mean"
    low, high = jackknife(value, influence, units) if smooth else percentile(draws)
    note = np.where(count > 0, "", "undefined in every target").astype(object)
    return Estimates(
        value,
        np.where(count > 0, low, np.nan),
        np.where(count > 0, high, np.nan),
        draws,
        influence,
        units,
        count,
        "jackknife" if smooth else "bootstrap",
        note,
    )


def _over_targets(take: object, values: Array, known: npt.NDArray[np.bool_]) -> Array:
    shown = np.where(known, values, np.nan)
    some = (~np.isnan(shown)).any(1)
    filled = np.where(some[:, None], shown, 0.0)
    return np.where(some, take(filled, axis=1), np.nan)  # type: ignore[operator]


def difference(parts: Estimates, one: int, other: int) -> Estimates:
    """Model `one` minus model `other` from the same resamples, over the axes after the first."""
    value = parts.value[one] - parts.value[other]
    draws = parts.draws[one] - parts.draws[other]
    influence = parts.influence[one] - parts.influence[other]
    units = np.minimum(parts.units[one], parts.units[other])
    few = parts.method != "bootstrap"
    low, high = jackknife(value, influence, units) if few else percentile(draws)
    undefined = np.isnan(value)
    note = np.where(undefined, "undefined in one of the two", "").astype(object)
    return Estimates(
        value,
        np.where(undefined, np.nan, low),
        np.where(undefined, np.nan, high),
        draws,
        influence,
        units,
        np.minimum(parts.items[one], parts.items[other]),
        "jackknife" if few else "bootstrap",
        note,
    )
