"""Whether LAI and LSI say anything about a student: do they go with what it gets wrong?

    lai_auroc     P(LAI of a wrong answer's question > LAI of a right one's), ties counted half;
                  every sample of a question counts, so no pass rate is cut into right and wrong
    lsi_spearman  rank correlation of LSI with |s - t|, how far the pass rates in English and in the
                  question's language lie apart

Intervals are percentiles over resampled items, all languages of an item together, within each
benchmark. Without a relation the first is 0.5 and the second 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tasks.artifacts.schemas import VALIDITY
from tasks.scoring.intervals import UNDEFINED_SHARE, percentile, resample_counts, seeded
from tasks.scoring.statistics import Array, Ints

VALIDITY_VERSION = 1
UNINFORMATIVE = "the reward is uninformative for this student"
CONTRARY = "the reward points the wrong way for this student"
TOO_FEW = "too few questions differ in it"
FEWEST = 3  # items


@dataclass(frozen=True)
class Measure:
    """A statistic of a deficit and an outcome, weighted: [resample, question] to [resample]."""

    name: str
    deficit: str  # column of the rows
    outcome: str
    statistic: Callable[[Array, Array, Array], Array]
    without_relation: float


def validity(rows: Sequence[Mapping[str, Any]], resamples: int, seed: int) -> pa.Table:
    """VALIDITY of both measures: over everything, per benchmark, and per language.

    `rows` have benchmark, item_id, language, lai, lsi, wrong (share of the samples) and gap
    (|s - t|); what is None takes no part.
    """
    found = []
    for measure in MEASURES:
        # English questions have no gap, so they are nothing to LSI.
        own = [row for row in rows if row[measure.outcome] is not None]
        for benchmark, language in _cuts(own):
            cut = [row for row in own if _in(row, benchmark, language)]
            said = {"measure": measure.name, "benchmark": benchmark, "language": language}
            found.append(said | _estimate(measure, cut, resamples, seed))
    return pa.Table.from_pylist(found, VALIDITY)


def _cuts(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str | None, str | None]]:
    benchmarks = dict.fromkeys(row["benchmark"] for row in rows)
    languages = dict.fromkeys(row["language"] for row in rows)
    return [(None, None), *((one, None) for one in benchmarks), *((None, one) for one in languages)]


def _estimate(
    measure: Measure, rows: Sequence[Mapping[str, Any]], resamples: int, seed: int
) -> dict[str, Any]:
    """Value, interval and note of one cut."""
    used = [row for row in rows if row[measure.deficit] is not None]
    items = sorted(set(map(_item, used)))
    counted: dict[str, Any] = {"n_items": len(items), "n_questions": len(used)}
    counted["n_unmeasured"] = len(rows) - len(used)
    if len(items) < FEWEST:
        return counted | {"note": f"fewer than {FEWEST} items were measured"}
    deficit, outcome = (
        np.array([row[name] for row in used], float) for name in (measure.deficit, measure.outcome)
    )
    place = np.array([items.index(_item(row)) for row in used])
    counts = _counts([benchmark for benchmark, _ in items], place, resamples, seed)
    [value] = measure.statistic(deficit, outcome, np.ones((1, len(used))))
    draws = measure.statistic(deficit, outcome, counts)
    if np.isnan(value) or np.isnan(draws).mean() > UNDEFINED_SHARE:
        return counted | {"note": TOO_FEW}
    low, high = (float(limit) for limit in percentile(draws))
    note = _note(measure.without_relation, low, high)
    return counted | {"value": float(value), "low": low, "high": high, "note": note}


def _in(row: Mapping[str, Any], benchmark: str | None, language: str | None) -> bool:
    return benchmark in (None, row["benchmark"]) and language in (None, row["language"])


def _item(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["benchmark"], row["item_id"]


def _counts(benchmarks: Sequence[str], place: Ints, resamples: int, seed: int) -> Array:
    """How often each question is drawn, [resample, question], with the item that it is of."""
    names = {name: at for at, name in enumerate(dict.fromkeys(benchmarks))}
    stratum = np.array([names[name] for name in benchmarks])
    return resample_counts(stratum, resamples, seeded(seed, "validity"))[:, place]


def _note(without: float, low: float, high: float) -> str | None:
    if low <= without <= high:
        return UNINFORMATIVE
    return CONTRARY if high < without else None


def auroc(score: Array, wrong: Array, weights: Array) -> Array:
    """Area under the ROC curve; `wrong` in [0, 1] splits each question's weight into two."""
    positive, negative = (_grouped(score, weights * share) for share in (wrong, 1.0 - wrong))
    below = negative.cumsum(-1) - negative / 2
    pairs = positive.sum(-1) * negative.sum(-1)
    won = (positive * below).sum(-1)
    return np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1.0), np.nan)


def spearman(first: Array, second: Array, weights: Array) -> Array:
    """Correlation of mid-ranks, where a question of weight 2 stands twice."""
    total = weights.sum(-1, keepdims=True)
    ranks = []
    for values in (first, second):
        rank = _mid_ranks(values, weights)
        ranks.append(rank - (weights * rank).sum(-1, keepdims=True) / total)
    a, b = ranks
    spread = (weights * a * a).sum(-1) * (weights * b * b).sum(-1)
    together = (weights * a * b).sum(-1)
    # Ranks of equal values differ by rounding alone.
    some = spread > 1e-12 * total[:, 0] ** 4
    return np.where(some, together / np.sqrt(np.where(some, spread, 1.0)), np.nan)


def _mid_ranks(values: Array, weights: Array) -> Array:
    grouped = _grouped(values, weights)
    middle = grouped.cumsum(-1) - grouped / 2
    _, place = np.unique(values, return_inverse=True)
    return np.asarray(middle[:, place])


def _grouped(values: Array, weights: Array) -> Array:
    """The weights [resample, question] added up over equal values: [resample, value in order]."""
    order = np.argsort(values, kind="stable")
    _, starts = np.unique(values[order], return_index=True)
    return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))


MEASURES = (
    Measure("lai_auroc", "lai", "wrong", auroc, 0.5),
    Measure("lsi_spearman", "lsi", "gap", spearman, 0.0),
)
