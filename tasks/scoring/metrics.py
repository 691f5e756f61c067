"""Which scores are computed of a benchmark, each a statistic over [model, target, item]."""

from __future__ import annotations

import numpy as np

from tasks.scoring import transfer
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array, Statistic, ratio
from tasks.scoring.transfer import Pairs, pairs

# Scores that divide by source passes: undefined where there are too few of them.
BY_SOURCE_PASSES = (
    "transfer_conditional",
    "ratio_of_means",
    "hat",
    "hat_corrected",
    "hat_chance_corrected",
    "hat_integral",
    "hat_parsed",
    "profile_curvature",
)
# Scores of pairs of different samples of one item.
BY_PAIRS = ("hat_corrected", "hat_chance_corrected", "hat_integral", "hat_parsed")
NEEDED_SAMPLES = {"hat_integral": 4}


def statistics(rates: PassRates) -> dict[str, Statistic]:
    """All scores of a benchmark; transfer scores only where they are defined."""
    if not rates.has_transfer:
        return {"target_accuracy": _accuracy(rates)} | _majority(rates)
    both = source_and_target(rates)
    found = {
        "source_accuracy": transfer.source_accuracy(both),
        "target_accuracy": transfer.target_accuracy(both),
        "xlt_gap": transfer.xlt_gap(both),
        "transfer_conditional": transfer.transfer_conditional(both),
        "transfer_joint": transfer.transfer_joint(both),
        "ratio_of_means": transfer.ratio_of_means(both),
        "hat": transfer.hat(both),
        "hat_corrected": transfer.hat_corrected(both),
        "hat_integral": transfer.hat_integral(both),
        "hat_parsed": transfer.hat_corrected(source_and_target(rates, parsed=True)),
        "profile_curvature": transfer.profile_curvature(both),
    }
    if not np.isnan(rates.options).any():
        found["hat_chance_corrected"] = _chance_corrected(rates, both)
    return found | _majority(rates)


def source_and_target(rates: PassRates, parsed: bool = False) -> Pairs:
    """Each item's source sums beside its target sums; with `parsed`, of parsed samples only.

    A language is no target for items that it is the source of.
    """
    counted = rates.parsed if parsed else rates.n
    item = np.arange(len(rates.items))

    def of_source(values: Array) -> Array:
        return values[:, rates.source, item][:, None, :]

    target_n = np.where(_is_source(rates)[None], 0.0, counted)
    return pairs(
        of_source(rates.total),
        of_source(rates.squares),
        of_source(counted),
        np.where(target_n > 0, rates.total, 0.0),
        target_n,
    )


def _is_source(rates: PassRates) -> Array:
    """[language, item]: whether the item was first written in the language."""
    return np.asarray(np.arange(len(rates.languages))[:, None] == rates.source[None, :])


def _accuracy(rates: PassRates) -> Statistic:
    answered = (rates.n > 0).astype(float)
    return ratio(rates.total / np.maximum(rates.n, 1), np.ones(1), answered)


def _majority(rates: PassRates) -> dict[str, Statistic]:
    if rates.majority is None:
        return {}
    answered = (rates.n > 0).astype(float)
    return {"majority_accuracy": ratio(rates.majority, np.ones(1), answered)}


def _chance_corrected(rates: PassRates, both: Pairs) -> Statistic:
    """Guessing is as likely as an answer parses, over the number of options."""
    share = rates.parsed.sum(-1) / np.maximum(rates.n.sum(-1), 1)  # [model, language]
    lucky = share[:, :, None] / rates.options
    item = np.arange(len(rates.items))
    return transfer.hat_chance_corrected(both, lucky[:, rates.source, item][:, None, :], lucky)


def coverage(rates: PassRates) -> Array:
    """Share of samples that could be graded, [model, language]; NaN without samples."""
    n = rates.n.sum(-1)
    return np.where(n > 0, rates.parsed.sum(-1) / np.maximum(n, 1), np.nan)
