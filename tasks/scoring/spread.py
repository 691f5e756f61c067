"""How far accuracies lie apart over languages, beside what noise alone would give.

Every spread is a positive function of noisy means, so it is above 0 for a model that is equally
good everywhere; the noise floor is what it comes to when languages are permuted within items.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tasks.scoring.intervals import seeded
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array

PERMUTATIONS = 200

SPREADS: dict[str, Callable[[Array], float]] = {
    "range": lambda a: float(a.max() - a.min()),
    "trimmed_range": lambda a: float(a.max() - np.sort(a)[min(1, len(a) - 1)]),
    "std": lambda a: float(a.std()),
    "iqr": lambda a: float(np.subtract(*np.quantile(a, [0.75, 0.25]))),
    "cv": lambda a: float(a.std() / a.mean()) if a.mean() > 0 else float("nan"),
}


def spreads(accuracies: Array) -> dict[str, float]:
    """Range, trimmed range (best - second worst), population std, IQR (linear), CV."""
    return {name: formula(accuracies) for name, formula in SPREADS.items()}


def noise_floors(rates: PassRates, model: int, seed: int) -> dict[str, float]:
    """The same over languages permuted within items; mean of the permutations.

    Only where items are parallel: elsewhere each language has items of its own.
    """
    if not rates.parallel:
        return {}
    scores = rates.total[model] / np.maximum(rates.n[model], 1)  # [language, item]
    complete = (rates.n[model] > 0).all(0)
    rng = seeded(seed, "noise floor", rates.benchmark, rates.models[model])
    if not complete.any():
        return {}
    drawn = [
        spreads(rng.permuted(scores[:, complete], axis=0).mean(1)) for _ in range(PERMUTATIONS)
    ]
    return {name: float(np.mean([one[name] for one in drawn])) for name in SPREADS}


def std_corrected(rates: PassRates, model: int) -> float:
    """Population std over languages with the sampling variance of the means taken off, from 0."""
    answered = rates.n[model] > 0
    n = np.maximum(answered.sum(1), 1)
    scores = np.where(answered, rates.total[model] / np.maximum(rates.n[model], 1), 0.0)
    means = scores.sum(1) / n
    centred = np.where(answered, scores - means[:, None], 0.0)
    if rates.parallel:
        # Languages share the items, so that only what an item does to one language is noise.
        centred = np.where(answered, centred - centred.sum(0) / np.maximum(answered.sum(0), 1), 0.0)
    noise = (centred**2).sum(1) / np.maximum(n * (n - 1), 1)
    return float(np.sqrt(max(means.var() - noise.mean(), 0.0)))
