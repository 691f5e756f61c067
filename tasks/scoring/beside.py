"""What stands beside the scores: spread over languages, profiles for pictures, notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tasks.scoring.metrics import coverage, source_and_target
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.spread import noise_floors, spreads, std_corrected
from tasks.scoring.statistics import Array

LOW_COVERAGE = 0.95
BINS = 10  # of the observed source pass rate
Row = dict[str, Any]


def number(value: Any) -> float | None:
    """A float for a table; None for NaN."""
    return None if np.isnan(value) else float(value)


def spread_rows(rates: PassRates, seed: int) -> Iterator[Row]:
    """Spread over languages beside its noise floor, rows of SCORES with target `all`."""
    for place, model in enumerate(rates.models):
        answered = rates.n[place].sum(1) > 0
        if answered.sum() < 3:
            continue
        per_item = rates.total[place] / np.maximum(rates.n[place], 1)
        items = np.maximum((rates.n[place] > 0).sum(1), 1)
        accuracies: Array = (per_item.sum(1) / items)[answered]
        floors = noise_floors(rates, place, seed)
        found = spreads(accuracies) | {"std_corrected": std_corrected(rates, place)}
        found |= {f"{name}_noise_floor": value for name, value in floors.items()}
        for metric, value in found.items():
            yield {
                "model": model,
                "benchmark": rates.benchmark,
                "target": "all",
                "metric": metric,
                "value": number(value),
                "n_items": len(rates.items),
                "n_samples": int(rates.n[place].sum()),
                "n_targets": int(answered.sum()),
                "coverage": number(rates.parsed[place].sum() / rates.n[place].sum()),
                "temperature": number(rates.temperature[place]),
            }


def profile_rows(rates: PassRates) -> Iterator[Row]:
    """Mean target pass rate in bins of the observed source pass rate: a picture, no estimate."""
    if not rates.has_transfer:
        return
    both = source_and_target(rates)
    bins = np.minimum(np.round(both.s * BINS), BINS).astype(int)  # [model, 1, item]
    for model, target in np.ndindex(len(rates.models), len(rates.languages)):
        paired = both.items[model, target] > 0
        for place in np.unique(bins[model, 0][paired]):
            chosen = paired & (bins[model, 0] == place)
            yield {
                "model": rates.models[model],
                "benchmark": rates.benchmark,
                "source": "+".join(sorted({rates.languages[i] for i in np.unique(rates.source)})),
                "target": rates.languages[target],
                "source_rate": float(both.s[model, 0][chosen].mean()),
                "target_rate": float(both.t[model, target][chosen].mean()),
                "n_items": int(chosen.sum()),
            }


def notes_of(rates: PassRates) -> Iterator[str]:
    """Missing items, missing coverage, and where transfer is not defined."""
    if not rates.has_transfer:
        why = "no source language" if rates.parallel else "no parallel items"
        yield f"{rates.benchmark}: no transfer scores: {why}"
    covered = coverage(rates)
    for model, language in np.argwhere(covered < LOW_COVERAGE).tolist():
        yield (
            f"{rates.benchmark}: {rates.models[model]} in {rates.languages[language]}: only "
            f"{covered[model, language]:.0%} of the answers could be graded"
        )
    answered = np.asarray((rates.n > 0).any(0))  # [language, item]
    for place, language in enumerate(rates.languages):
        missing = int((~answered[place]).sum())
        if rates.parallel and missing:
            yield f"{rates.benchmark}: {missing} of {len(rates.items)} items missing in {language}"
