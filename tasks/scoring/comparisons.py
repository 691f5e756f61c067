"""Comparisons of models and methods: which differences are fair, and what the papers count."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tasks.errors import BadInput
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import SMALLEST, Array

FEWEST_MODELS = 5


class Pair(NamedTuple):
    """A model and its baseline, as places among the models of a benchmark."""

    model: int
    baseline: int


def fair_pairs(
    rates: PassRates, pairs: Sequence[tuple[str, str]], reasoned: Collection[str] = ()
) -> list[Pair]:
    """The pairs that a benchmark has both models of; raises BadInput for unequal sampling.

    `reasoned` are models whose method is how they are asked to reason: there that may differ.
    """
    known = [pair for pair in pairs if set(pair) <= set(rates.models)]
    found = [Pair(*(rates.models.index(name) for name in pair)) for pair in known]
    for pair in found:
        names = {rates.models[place] for place in pair}
        apart = unequal_sampling(rates, pair, "reasoning" if names & set(reasoned) else "")
        if apart:
            raise BadInput(
                f"{rates.models[pair.model]} and {rates.models[pair.baseline]} {apart} in "
                f"{rates.benchmark!r}: a difference needs equal sampling; evaluate both alike"
            )
    return found


def unequal_sampling(rates: PassRates, pair: Pair, varied: str = "") -> str | None:
    """In what the answers of two models were not drawn alike; None where they were.

    `varied` names the part of their forms that a comparison is about, such as thinking.
    """
    hot, cold = rates.temperature[list(pair)]
    if not np.array_equal(hot, cold, equal_nan=True):
        hot, cold = ("none that is stated" if np.isnan(t) else f"{t:g}" for t in (hot, cold))
        return f"were sampled at temperatures {hot} and {cold}"
    form, other = (_form(rates.form[place], varied) for place in pair)
    if form != other:
        return f"were asked in the forms {form!r} and {other!r}"
    # One N per language: some items may lack some samples.
    most = rates.n.max(-1)[list(pair)]  # [2, language]
    unequal = (most[0] != most[1]) & (most > 0).all(0)
    if unequal.any():
        place = int(np.argmax(unequal))
        return (
            f"have {most[0, place]:g} and {most[1, place]:g} samples an item in "
            f"{rates.languages[place]}"
        )
    return None


def _form(form: str | None, varied: str) -> str | None:
    """A form such as "chat, 3 examples, thinking high" without the part that is varied."""
    if form is None or not varied:
        return form
    return ", ".join(part for part in form.split(", ") if not part.startswith(f"{varied} "))


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


def r2_coupling(source: Array, target: Array) -> Array:
    """Squared correlation of source and target accuracy, one point per model and target.

    Arrays [model, target, ...], and [...] comes out; NaN for fewer than five models. A point is
    left out where either is undefined.
    """
    known = ~(np.isnan(source) | np.isnan(target))
    if known.any(1).reshape(len(known), -1).all(1).sum() < FEWEST_MODELS:
        return np.full(source.shape[2:], np.nan)
    count = known.sum((0, 1))

    def centred(values: Array) -> Array:
        kept = np.where(known, values, 0.0)
        return np.asarray(np.where(known, values - kept.sum((0, 1)) / count, 0.0))

    x, y = centred(source), centred(target)
    both, own = (x * y).sum((0, 1)) ** 2, (x**2).sum((0, 1)) * (y**2).sum((0, 1))
    return np.asarray(np.where(own > SMALLEST, both / np.maximum(own, SMALLEST), np.nan))


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
