"""How far accuracies lie apart over languages, beside what noise alone would give.

Every spread is a positive function of noisy means, so it is above 0 for a model that is equally
good everywhere; the noise floor is what it comes to when languages are permuted within items. Only
a difference between models on the same items has an interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.scoring.intervals import seeded
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array

PERMUTATIONS = 100
FEWEST_LANGUAGES = 3

# Along the last axis. Trimmed: best - second worst; IQR: linear quantiles; std: population.
SPREADS: dict[str, Callable[[Array], Array]] = {
    "range": lambda a: a.max(-1) - a.min(-1),
    "trimmed_range": lambda a: a.max(-1) - np.sort(a, axis=-1)[..., 1],
    "std": lambda a: a.std(-1),
    "iqr": lambda a: np.subtract(*np.quantile(a, [0.75, 0.25], axis=-1)),
    "cv": lambda a: a.std(-1) / np.where(a.mean(-1) > 0, a.mean(-1), np.nan),
}


def spreads(accuracies: Array) -> dict[str, Array]:
    """Each spread over the languages, the last axis of `accuracies`."""
    return {name: np.asarray(formula(accuracies)) for name, formula in SPREADS.items()}


def answered_languages(rates: PassRates) -> npt.NDArray[np.bool_]:
    """[model, language]: where a model has any answers."""
    return np.asarray(rates.n.sum(-1) > 0)


def noise_floors(rates: PassRates, seed: int) -> list[dict[str, float]]:
    """For each model, the mean of each spread over permutations of its languages.

    Parallel: within items. Otherwise each language has items of its own, and the items are dealt
    anew to the languages. A spread of fewer than three languages has no floor.
    """
    answered = answered_languages(rates)
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for model, row in enumerate(answered):
        alike[tuple(np.flatnonzero(row).tolist())].append(model)
    floors: list[dict[str, float]] = [{} for _ in rates.models]
    for languages, models in alike.items():
        if len(languages) >= FEWEST_LANGUAGES:
            found = _floors(rates, models, list(languages), seed)
            for place, model in enumerate(models):
                floors[model] = {name: float(values[place]) for name, values in found.items()}
    return floors


def _floors(
    rates: PassRates, models: list[int], languages: list[int], seed: int
) -> dict[str, Array]:
    """Name -> [model], from permutations that the models share."""
    place = np.ix_(models, languages)
    there = (rates.n[place] > 0).astype(float).swapaxes(1, 2)  # [model, item, language]
    scores = (rates.total[place] / np.maximum(rates.n[place], 1)).swapaxes(1, 2)
    scores, there = np.ascontiguousarray(scores), np.ascontiguousarray(there)
    rng = seeded(seed, "noise floor", rates.benchmark)
    permuted = _within_items if rates.parallel else _across_items
    drawn = [spreads(permuted(scores, there, rng)) for _ in range(PERMUTATIONS)]
    return {name: np.mean([one[name] for one in drawn], axis=0) for name in SPREADS}


def _within_items(scores: Array, there: Array, rng: np.random.Generator) -> Array:
    items, languages = scores.shape[1:]
    order = np.argsort(rng.random((items, languages)), axis=-1)
    place = (languages * np.arange(items)[:, None] + order).ravel()  # one order for all models

    def totals(values: Array) -> Array:
        dealt = np.take(values.reshape(len(values), -1), place, axis=1)
        return np.asarray(dealt.reshape(values.shape).sum(1))

    if there.all():
        return np.asarray(totals(scores) / items)
    return np.asarray(totals(scores) / np.maximum(totals(there), 1))


def _across_items(scores: Array, there: Array, rng: np.random.Generator) -> Array:
    order = rng.permutation(there.shape[1])
    totals = np.einsum("mi,mil->ml", scores.sum(-1), there[:, order])
    counts = np.einsum("mi,mil->ml", there.sum(-1), there[:, order])
    return np.asarray(totals / np.maximum(counts, 1))


def std_corrected(rates: PassRates, model: int) -> float:
    """Population std over languages with the sampling variance of the means taken off, from 0."""
    answered = rates.n[model][answered_languages(rates)[model]] > 0
    scores = (rates.total[model] / np.maximum(rates.n[model], 1))[answered_languages(rates)[model]]
    n = np.maximum(answered.sum(1), 1)
    means = (scores * answered).sum(1) / n
    centred = np.where(answered, scores - means[:, None], 0.0)
    noise_share = 1 - 1 / len(means)  # of a language's own noise, in the variance over languages
    if rates.parallel:
        # Languages share the items, so that only what an item does to one language is noise; what
        # is left after its mean is taken off has that share already.
        centred = np.where(answered, centred - centred.sum(0) / np.maximum(answered.sum(0), 1), 0.0)
        noise_share = 1.0
    noise = (centred**2).sum(1) / np.maximum(n * (n - 1), 1) * noise_share
    return float(np.sqrt(max(means.var() - noise.mean(), 0.0)))


def of_languages(values: Array, answered: Any) -> dict[str, Array]:
    """Each spread of one model: `values` [language, ...] of which `answered` count."""
    return spreads(np.moveaxis(values[answered], 0, -1))
