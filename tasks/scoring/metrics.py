"""Which scores are computed of a benchmark, each a statistic over [model, target, item]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tasks.scoring import transfer
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array, Statistic, ratio
from tasks.scoring.transfer import Pairs, pairs

TOO_FEW = "too few source passes"
NO_ITEMS = "no items answered in both source and target"
NO_ANSWERS = "no answers"
NO_SOURCE = "no source language"
NOT_PARALLEL = "no parallel items"
ONE_LANGUAGE = "answers in one language only"
NO_OPTIONS = "needs the number of options of every item"
NO_TOKENS = "tokens were not counted in both source and target"
NO_PAIRS = "N = 1: a corrected score needs at least two samples of an item"
NO_MOMENTS = "needs 0/1 scores and at least four samples of an item"
UNBOUNDED = (-np.inf, np.inf)
POSITIVE = (0.0, np.inf)
RATE = (0.0, 1.0)
# What needs the same items in a source language.
TRANSFER = (
    "source_accuracy", "xlt_gap", "transfer_joint", "transfer_conditional", "ratio_of_means", "hat",
    "hat_corrected", "hat_parsed", "hat_integral", "profile_curvature", "hat_chance_corrected",
)  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """A score and when it is defined.

    `gate` is the ratio whose denominator must be significantly above 0; None: it has none that
    could vanish. `lacking` is the note where no item qualifies; limits are kept within `bounds`.
    """

    name: str
    statistic: Statistic
    bounds: tuple[float, float] = RATE
    gate: Statistic | None = None
    lacking: str = NO_ITEMS

    def changed(self, change: Callable[[Statistic], Statistic]) -> Metric:
        """The same score of other sums."""
        gate = None if self.gate is None else change(self.gate)
        return replace(self, statistic=change(self.statistic), gate=gate)


def metrics(rates: PassRates) -> Iterator[Metric]:
    """All scores of a benchmark; what is not defined has no items and says why."""
    if rates.has_transfer:
        both = source_and_target(rates)
        yield Metric("source_accuracy", transfer.source_accuracy(both))
        yield Metric("target_accuracy", transfer.target_accuracy(both))
        yield Metric("xlt_gap", transfer.xlt_gap(both), (-1.0, 1.0))
        yield Metric("transfer_joint", transfer.transfer_joint(both))
        yield _gated("transfer_conditional", transfer.transfer_conditional(both), bounds=RATE)
        yield _gated("ratio_of_means", transfer.ratio_of_means(both))
        yield _gated("hat", transfer.hat(both))
        yield from _corrected(rates, both)
        yield from _tokens(rates, both)
    else:
        yield Metric("target_accuracy", accuracy(rates), lacking=NO_ANSWERS)
        why = no_transfer(rates)
        for name in TRANSFER:
            yield Metric(name, _nothing(rates), lacking=why)
    yield from _answers(rates)


def no_transfer(rates: PassRates) -> str:
    """Why a benchmark has no transfer scores."""
    if rates.sourceless:
        return f"no answers in its source language {'+'.join(sorted(set(rates.sourceless)))}"
    if not rates.parallel:
        return NOT_PARALLEL
    return ONE_LANGUAGE if len(rates.languages) == 1 else NO_SOURCE


def _nothing(rates: PassRates) -> Statistic:
    return ratio(np.zeros(rates.n.shape), np.zeros(1), np.zeros(rates.n.shape))


def _gated(
    name: str,
    statistic: Statistic,
    gate: Statistic | None = None,
    lacking: str = NO_ITEMS,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Metric:
    return Metric(name, statistic, bounds, statistic if gate is None else gate, lacking)


def _corrected(rates: PassRates, both: Pairs) -> Iterator[Metric]:
    """The scores that need several samples of an item."""
    corrected = transfer.hat_corrected(both)
    parsed = transfer.hat_corrected(source_and_target(rates, parsed=True))
    yield _gated("hat_corrected", corrected, lacking=NO_PAIRS)
    yield _gated("hat_parsed", parsed, lacking=NO_PAIRS)
    yield _gated("hat_integral", transfer.hat_integral(both), corrected, NO_MOMENTS)
    yield _gated("profile_curvature", transfer.profile_curvature(both), corrected, NO_PAIRS)
    if np.isnan(rates.options).any():
        yield Metric("hat_chance_corrected", _nothing(rates), lacking=NO_OPTIONS)
    else:
        # Below chance, squares look like success: the source must lie above it.
        yield _chance_corrected(rates, both)


def _tokens(rates: PassRates, both: Pairs) -> Iterator[Metric]:
    """Tokens of the answers relative to the source's to the same items; 1.1 is a tenth more."""
    for name, tokens in (
        ("relative_tokens", rates.tokens),
        ("relative_reasoning_tokens", rates.reasoning_tokens),
    ):
        if tokens is None:
            continue
        item = np.arange(len(rates.items))
        source = tokens[:, rates.source, item][:, None, :]
        counted = both.items * ~np.isnan(tokens + source)
        statistic = ratio(np.nan_to_num(tokens), np.nan_to_num(source), counted)
        yield Metric(name, statistic, POSITIVE, lacking=NO_TOKENS)


def _answers(rates: PassRates) -> Iterator[Metric]:
    """What the answers themselves say: how many could be read, and how those did."""
    answered = (target_counts(rates, rates.n) > 0).astype(float)
    n = np.maximum(rates.n, 1)
    one, lacking = np.ones(1), NO_ANSWERS
    yield Metric("coverage", ratio(rates.parsed / n, one, answered), lacking=lacking)
    read = ratio(rates.total / n, rates.parsed / n, answered)
    yield Metric("accuracy_parsed", read, lacking="no answer could be read")
    if rates.majority is not None:
        yield Metric("majority_accuracy", ratio(rates.majority, one, answered), lacking=lacking)


def source_and_target(rates: PassRates, parsed: bool = False) -> Pairs:
    """Each item's source sums beside its target sums; with `parsed`, of parsed samples only."""
    counted = rates.parsed if parsed else rates.n
    item = np.arange(len(rates.items))

    def of_source(values: Array) -> Array:
        return np.where(rates.source >= 0, values[:, rates.source, item], 0.0)[:, None, :]

    target_n = target_counts(rates, counted)
    return pairs(
        of_source(rates.total),
        of_source(rates.squares),
        of_source(counted),
        np.where(target_n > 0, rates.total, 0.0),
        target_n,
    )


def target_counts(rates: PassRates, counted: Array) -> Array:
    """Samples in each target: a language is no target for items that it is the source of."""
    is_source = np.arange(len(rates.languages))[:, None] == rates.source[None, :]
    return np.where(is_source[None], 0.0, counted)


def accuracy(rates: PassRates) -> Statistic:
    """Mean score in each language, of all its items."""
    answered = (rates.n > 0).astype(float)
    return ratio(rates.total / np.maximum(rates.n, 1), np.ones(1), answered)


def _chance_corrected(rates: PassRates, both: Pairs) -> Metric:
    """Guessing is as likely as an answer parses, over the number of options."""
    lucky = np.nan_to_num(coverage(rates))[:, :, None] / rates.options
    of_source = lucky[:, rates.source, np.arange(len(rates.items))][:, None, :]
    statistic = transfer.hat_chance_corrected(both, of_source, lucky)
    above = ratio(both.t, (both.s - of_source) / (1 - of_source), both.repeated)
    return _gated("hat_chance_corrected", statistic, above, NO_PAIRS)


def coverage(rates: PassRates) -> Array:
    """Share of samples that could be graded, [model, language]; NaN without samples."""
    n = rates.n.sum(-1)
    return np.where(n > 0, rates.parsed.sum(-1) / np.maximum(n, 1), np.nan)
