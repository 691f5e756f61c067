"""Comparisons of models and methods: which differences are fair, and what the papers count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tasks.errors import BadInput
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array

FEWEST_MODELS = 5


class Pair(NamedTuple):
    """A model and its baseline, as places among the models of a benchmark."""

    model: int
    baseline: int


def fair_pairs(rates: PassRates, pairs: Sequence[tuple[str, str]]) -> list[Pair]:
    """The pairs that a benchmark has both models of; raises BadInput for unequal sampling."""
    known = [pair for pair in pairs if set(pair) <= set(rates.models)]
    found = [Pair(*(rates.models.index(name) for name in pair)) for pair in known]
    for pair in found:
        _refuse_unequal(rates, pair)
    return found


def _refuse_unequal(rates: PassRates, pair: Pair) -> None:
    one, other = rates.models[pair.model], rates.models[pair.baseline]
    hot, cold = rates.temperature[list(pair)]
    if not np.array_equal(hot, cold, equal_nan=True):
        raise BadInput(
            f"{one} and {other} answered {rates.benchmark!r} at temperatures {hot:g} and "
            f"{cold:g}: a difference needs equal sampling; evaluate both alike"
        )
    most = rates.n.max(-1)[
        list(pair)
    ]  # [2, language]: one N per language, some items may lack some
    unequal = (most[0] != most[1]) & (most > 0).all(0)
    if unequal.any():
        place = int(np.argmax(unequal))
        raise BadInput(
            f"{one} and {other} have {most[0, place]:g} and {most[1, place]:g} samples an item of "
            f"{rates.benchmark!r} in {rates.languages[place]}: a difference needs equal sampling; "
            "evaluate both alike"
        )


def pair_notes(rates: PassRates, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Where a difference is not given, or is between answers to different items."""
    for pair in pairs:
        absent = [name for name in pair if name not in rates.models]
        if absent:
            yield f"{rates.benchmark}: no difference of {' and '.join(pair)}: no {absent[0]}"
            continue
        one, other = (rates.n[rates.models.index(name)] > 0 for name in pair)
        apart = int((one != other).any(0).sum())
        if apart:
            yield (
                f"{rates.benchmark}: {apart} items were not answered by both {pair[0]} and "
                f"{pair[1]} in the same languages, so that their difference is not fully paired"
            )


def r2_coupling(source: Array, target: Array) -> float:
    """Squared correlation of source and target accuracy, one point per model and target.

    Arrays [model, target]; NaN for fewer than five models.
    """
    known = ~(np.isnan(source) | np.isnan(target))
    if known.any(1).sum() < FEWEST_MODELS or min(source[known].std(), target[known].std()) == 0:
        return float("nan")
    return float(np.corrcoef(source[known], target[known])[0, 1] ** 2)


class Tally(NamedTuple):
    """How one method stands against another over the same settings."""

    delta: float  # mean difference
    wins: int  # settings in which it is better
    settings: int


def deltas_and_wins(
    method: Sequence[float], others: Mapping[str, Sequence[float]]
) -> dict[str, Tally]:
    """`method` against each of `others`, all listing the same settings (student x task)."""
    mine = np.asarray(method, dtype=float)
    found = {}
    for name, scores in others.items():
        if len(scores) != len(mine):
            raise BadInput(
                f"{name!r} has {len(scores)} settings and the method {len(mine)}: list the same."
            )
        apart = mine - np.asarray(scores, dtype=float)
        found[name] = Tally(float(apart.mean()), int((apart > 0).sum()), len(apart))
    return found


class Avoided(NamedTuple):
    """How much less a method forgets of the held-out languages than others, in their units."""

    against: dict[str, float]
    mean: float  # minus the mean of all others


def forgetting_avoided(method: Sequence[float], others: Mapping[str, Sequence[float]]) -> Avoided:
    """Held-out changes of `method` minus those of others; all list the same languages."""
    against = {name: tally.delta for name, tally in deltas_and_wins(method, others).items()}
    return Avoided(against, float(np.mean(list(against.values()))))
