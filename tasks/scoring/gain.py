"""Trained against untrained generator on the same prompts: every reward component, with intervals.

    format               share of the format's conditions that hold
    parsed               share of texts with all of them
    language, distinct   of the parsed: in the language asked; nearly like no earlier one
    passed               share of texts whose question passes every gate
    lai, lsi, reward     as the trainer would have had them: 0 for what is refused; without texts
                         that could not be measured, which it leaves out as well
    lai_measured, lsi_measured, lsi_null, lsi_excess     of the questions that were measured

Intervals are percentiles over resampled seeds, all prompts of a seed and both generators together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tasks.artifacts.schemas import GAIN
from tasks.scoring.intervals import UNDEFINED_SHARE, percentile, resample_counts, seeded
from tasks.scoring.statistics import Array

GAIN_VERSION = 1
UNTRAINED, TRAINED = "untrained", "trained"
DIFFERENCE = f"{TRAINED} - {UNTRAINED}"
RESAMPLES = 2000
UNDEFINED = "undefined in too many resamples"

Row = Mapping[str, Any]
Value = Callable[[Row], float | None]  # None: takes no part


def _if(condition: str, value: Value) -> Value:
    return lambda row: value(row) if row[condition] else None


def _excess(row: Row) -> float | None:
    if row["lsi"] is None or row["lsi_null"] is None:
        return None
    return float(row["lsi"] - row["lsi_null"])


def _parsed(row: Row) -> bool:
    return row["question"] is not None


class Weights(NamedTuple):
    """Of the reward's components."""

    format: float
    lai: float
    lsi: float

    def rewarded(self, row: Row) -> bool:
        """Whether the trainer would have taken the row: all that has a weight was measured."""
        parts = zip(self, self._fields, strict=True)
        return all(row[name] is not None for weight, name in parts if weight)

    def of(self, name: str) -> Value:
        """A component of rewarded rows."""
        return lambda row: row[name] if self.rewarded(row) else None

    def reward(self, row: Row) -> float | None:
        """The weighted sum."""
        if not self.rewarded(row):
            return None
        parts = zip(self, self._fields, strict=True)
        return float(sum(weight * row[name] for weight, name in parts if weight))


def _values(weights: Weights) -> dict[str, Value]:
    return {
        "format": lambda row: row["format"],
        "parsed": lambda row: float(_parsed(row)),
        "language": lambda row: (
            float(row["detected_language"] == row["language"]) if _parsed(row) else None
        ),
        "distinct": lambda row: float(not row["repeated"]) if _parsed(row) else None,
        "passed": lambda row: float(row["passed"]),
        **{name: weights.of(name) for name in ("lai", "lsi") if getattr(weights, name)},
        "reward": weights.reward,
        "lai_measured": _if("passed", lambda row: row["lai"]),
        "lsi_measured": _if("passed", lambda row: row["lsi"]),
        "lsi_null": _if("passed", lambda row: row["lsi_null"]),
        "lsi_excess": _if("passed", _excess),
    }


def gain(written: pa.Table, weights: Weights, seed: int) -> pa.Table:
    """GAIN of WRITTEN: over all languages, then of each."""
    rows = written.to_pylist()
    languages = sorted({row["language"] for row in rows})
    cuts = [
        (None, rows),
        *((code, [r for r in rows if r["language"] == code]) for code in languages),
    ]
    found = [
        {"metric": name, "language": language} | estimate
        for language, cut in cuts
        for name, value in _values(weights).items()
        for estimate in _estimates(cut, value, seed)
    ]
    return pa.Table.from_pylist(found, GAIN)


def _estimates(rows: Sequence[Row], value: Value, seed: int) -> list[dict[str, Any]]:
    """Of both generators and of their difference, from the same resamples of seeds."""
    seeds = sorted({row["seed_id"] for row in rows})
    counts = resample_counts(np.zeros(len(seeds), int), RESAMPLES, seeded(seed, "gain"))
    counts = np.vstack([np.ones((1, len(seeds))), counts])
    found: list[dict[str, Any]] = []
    drawn = {}
    for generator in (UNTRAINED, TRAINED):
        own = [row for row in rows if row["generator"] == generator]
        known = [(row["seed_id"], v) for row in own if (v := value(row)) is not None]
        drawn[generator] = _means(known, seeds, counts)
        said = {"generator": generator, "n_prompts": len(own), "n_values": len(known)}
        found.append(said | _limited(drawn[generator]))
    both = {name: min(one[name] for one in found) for name in ("n_prompts", "n_values")}
    between = _limited(drawn[TRAINED] - drawn[UNTRAINED])
    return [*found, {"generator": DIFFERENCE, **both, **between}]


def _means(known: Sequence[tuple[str, float]], seeds: Sequence[str], counts: Array) -> Array:
    """The mean in each resample; NaN where it has no value."""
    place = [seeds.index(seed) for seed, _ in known]
    values = np.array([value for _, value in known], dtype=float)
    total = np.bincount(place, values, len(seeds)) if known else np.zeros(len(seeds))
    number = np.bincount(place, minlength=len(seeds)) if known else np.zeros(len(seeds))
    top, bottom = counts @ total, counts @ number
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)


def _limited(draws: Array) -> dict[str, Any]:
    """The value on all seeds, and its interval from the resamples of them."""
    value, rest = float(draws[0]), draws[1:]
    if np.isnan(value) or np.isnan(rest).mean() > UNDEFINED_SHARE:
        return {"note": UNDEFINED}
    low, high = (float(limit) for limit in percentile(rest))
    return {"value": value, "low": low, "high": high}
