"""What is logged of each step of generator training, and when the generator counts as collapsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tasks.artifacts.schemas import ROLLOUTS, TRAINING_LOG
from tasks.questions.gates import duplicate_gate, language_gate
from tasks.questions.parsing import Triple, parse
from tasks.questions.rewards import NAMES, Rollout, row_rewards
from tasks.questions.settings import RewardWeights

# Of what the trainer logs: what the same seed gives again (no times).
TRAINER_METRICS = (
    "loss",
    "reward",
    "reward_std",
    "grad_norm",
    "learning_rate",
    "entropy",
    "completions/mean_length",
    "completions/clipped_ratio",
)


class Logged(NamedTuple):
    """A row of TRAINING_LOG."""

    step: int
    metric: str
    language: str | None
    value: float


def log_table(rows: Iterable[Logged]) -> pa.Table:
    """The rows as a TRAINING_LOG table."""
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=TRAINING_LOG)


def rollout_table(rows: Iterable[Rollout]) -> pa.Table:
    """The rows as a ROLLOUTS table."""
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=ROLLOUTS)


def step_metrics(rows: Sequence[Rollout], group: int, weights: RewardWeights) -> list[Logged]:
    """The metrics of one step; each `group` rows in a row are rollouts of one prompt."""
    step = rows[0].step
    languages = sorted({row.language for row in rows})
    parts = [(None, rows), *((code, [r for r in rows if r.language == code]) for code in languages)]
    means = [
        Logged(step, metric, language, fmean(values))
        for language, part in parts
        for metric, value_of in _MEANS
        if (values := [value for row in part if (value := value_of(row)) is not None])
    ]
    return [*means, *(Logged(step, *logged) for logged in _group_metrics(rows, group, weights))]


def _measured(name: str) -> Callable[[Rollout], float | None]:
    # A refused question's 0 is its rank, not a measurement.
    return lambda row: None if row.reason else getattr(row, name)


def _excess(row: Rollout) -> float | None:
    if row.reason or row.lsi is None or row.lsi_null is None:
        return None
    return row.lsi - row.lsi_null


def _in_language(row: Rollout) -> float | None:
    triple = parse(row.completion)
    if not isinstance(triple, Triple):
        return None
    return float(language_gate(triple.question, row.language) is None)


_MEANS: tuple[tuple[str, Callable[[Rollout], float | None]], ...] = (
    ("format", lambda row: row.format),
    ("parsed", lambda row: float(row.format == 1.0)),
    ("language", _in_language),  # of the parsed ones
    ("measured", lambda row: float(row.reason is None)),
    ("lai", _measured("lai")),
    ("lsi", _measured("lsi")),
    ("lsi_null", _measured("lsi_null")),
    ("lsi_excess", _excess),
)


def _group_metrics(
    rows: Sequence[Rollout], group: int, weights: RewardWeights
) -> Iterator[tuple[str, None, float]]:
    """Equal-reward groups, and each component's share of the reward's variance within groups.

    The share of a component c in the total r is sum cov(c, r) / sum var(r); the shares add up to 1.
    """
    equal = 0
    variance, shared = 0.0, np.zeros(len(NAMES))
    for start in range(0, len(rows), group):
        parts = _weighted(rows[start : start + group], weights)
        total = parts.sum(axis=1)
        deviation = total - total.mean() if len(total) else total
        equal += not np.any(np.abs(deviation) > 1e-9)
        variance += float(deviation @ deviation)
        shared += deviation @ parts
    yield "equal_groups", None, float(equal)
    for name, covariance in zip(NAMES, shared, strict=True):
        if variance > 0:
            yield f"variance_share_{name}", None, float(covariance) / variance


def _weighted(rows: Sequence[Rollout], weights: RewardWeights) -> np.ndarray:
    """Rewarded rows x components; an undefined component of a rewarded row adds nothing."""
    rewards = [row_rewards(row, weights) for row in rows]
    rewarded = [values for values in rewards if any(v is not None for v in values.values())]
    cells = [[getattr(weights, name) * (v[name] or 0.0) for name in NAMES] for v in rewarded]
    return np.array(cells).reshape(-1, len(NAMES))


def distinct_shares(rows: Sequence[Rollout], window: int) -> dict[str | None, float]:
    """Share of the last `window` parsed questions that are no near-duplicate of an earlier one.

    Of all of them (None), and of those in each language; empty while there are not yet that many.
    """
    triples = ((row.language, parse(row.completion)) for row in rows)
    parsed = [(code, one.question) for code, one in triples if isinstance(one, Triple)]
    recent = parsed[-window:]
    if len(recent) < window:
        return {}
    fresh = [
        (code, duplicate_gate(question, [other for _, other in recent[:at]]) is None)
        for at, (code, question) in enumerate(recent)
    ]
    codes = [None, *sorted({code for code, _ in fresh})]
    return {of: fmean(new for code, new in fresh if of in (None, code)) for of in codes}
