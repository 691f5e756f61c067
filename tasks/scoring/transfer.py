"""Estimators of cross-lingual transfer, as pure functions of per-item sums.

Item i has N_i source samples with scores s_ij in [0, 1] and M_i target samples t_ij; `s_i` and
`t_i` are their means. Every estimator takes `Pairs` and returns a `Statistic`, whose `value()` is
the estimate. Axes before the last (models, targets) are carried along.

`hat` is the published estimator (the slope of t on s through the origin) and is biased low by the
sampling noise of s. `hat_corrected` replaces s^2 by its unbiased estimate from pairs of different
samples; nothing is ever clipped at 1, and the intercept stays 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tasks.scoring.statistics import SMALLEST, Array, Statistic, divided, ratio


@dataclass(frozen=True)
class Pairs:
    """Source and target of the same items, arrays [..., item]; `items` is 1 where both exist."""

    s_sum: Array
    s_squares: Array
    s_n: Array
    t: Array
    items: Array

    @property
    def s(self) -> Array:
        """Source pass rate of each item; 0 where there is none."""
        return np.asarray(self.s_sum / np.maximum(self.s_n, 1))

    @property
    def repeated(self) -> Array:
        """1 for items with at least two source samples."""
        return self.items * (self.s_n >= 2)

    @property
    def q(self) -> Array:
        """Unbiased squared pass rate: mean product of two different source samples."""
        distinct = np.maximum(self.s_n * (self.s_n - 1), 1)
        return np.asarray((self.s_sum**2 - self.s_squares) / distinct)

    @property
    def noise(self) -> Array:
        """Sampling variance of the source pass rate, v / N."""
        return self.s**2 - self.q


def pairs(s_sum: Array, s_squares: Array, s_n: Array, t_sum: Array, t_n: Array) -> Pairs:
    """Pairs from the sums of scores, the sums of squared source scores, and the sample counts."""
    items = ((np.asarray(s_n) > 0) & (np.asarray(t_n) > 0)).astype(float)
    t = np.asarray(t_sum) / np.maximum(t_n, 1)
    return Pairs(np.asarray(s_sum), np.asarray(s_squares), np.asarray(s_n), t, items)


def source_accuracy(p: Pairs) -> Statistic:
    """Mean source score."""
    return ratio(p.s, np.ones(1), p.items)


def target_accuracy(p: Pairs) -> Statistic:
    """Mean target score."""
    return ratio(p.t, np.ones(1), p.items)


def xlt_gap(p: Pairs) -> Statistic:
    """Source minus target accuracy."""
    return ratio(p.s - p.t, np.ones(1), p.items)


def transfer_conditional(p: Pairs) -> Statistic:
    """P(target right | source right) = sum(s t) / sum(s)."""
    return ratio(p.s * p.t, p.s, p.items)


def transfer_joint(p: Pairs) -> Statistic:
    """P(both right) = mean(s t)."""
    return ratio(p.s * p.t, np.ones(1), p.items)


def ratio_of_means(p: Pairs) -> Statistic:
    """sum(t) / sum(s)."""
    return ratio(p.t, p.s, p.items)


def hat(p: Pairs) -> Statistic:
    """The published estimator, sum(s t) / sum(s^2)."""
    return ratio(p.s * p.t, p.s**2, p.items)


def hat_corrected(p: Pairs) -> Statistic:
    """sum(s t) / sum(q) over items with at least two source samples.

    Equal to `transfer_conditional` over the probability that a second source sample is right given
    that the first was. With sums over parsed samples only, it is `hat_parsed`.
    """
    return ratio(p.s * p.t, p.q, p.repeated)


def hat_chance_corrected(p: Pairs, s_chance: Array, t_chance: Array) -> Statistic:
    """`hat_corrected` of s' = (s - g) / (1 - g) and t' likewise, g the rate of lucky guesses.

    g = (share of parsed answers) / (number of options), taken as known.
    """
    s = (p.s - s_chance) / (1 - s_chance)
    t = (p.t - t_chance) / (1 - t_chance)
    return ratio(s * t, s**2 - p.noise / (1 - s_chance) ** 2, p.repeated)


def profile_curvature(p: Pairs) -> Statistic:
    """`hat_corrected` - `ratio_of_means`: 0 when the profile is a line through the origin."""
    terms = np.stack(np.broadcast_arrays(p.s * p.t, p.q, p.t, p.s * np.ones_like(p.t)))
    items = np.broadcast_to(p.repeated, terms.shape[1:])
    return Statistic(terms * items, items, _curvature)


def _curvature(sums: Array) -> Array:
    return divided(sums[:2]) - divided(sums[2:])


def hat_integral(p: Pairs) -> Statistic:
    """Twice the integral of the profile a s + b s^2, for 0/1 scores and at least four samples.

    With k passes of N, f_r = k (k-1) ... (k-r+1) / (N (N-1) ... (N-r+1)) is unbiased for s^r; the
    least squares equations in these moments give a and b, and the value a + 2 b / 3.
    """
    f1, f2, f3, f4 = (_factorial_moment(p.s_sum, p.s_n, r) for r in range(1, 5))
    terms = np.stack(np.broadcast_arrays(f1 * p.t, f2 * p.t, f2, f3, f4))
    # One graded item makes all graded: its items without any score would still look like 0/1.
    whole = np.isclose(p.s_squares, p.s_sum).all(-1, keepdims=True)
    items = np.broadcast_to(p.items * (p.s_n >= 4) * whole, terms.shape[1:])
    return Statistic(terms * items, items, _quadratic)


def _factorial_moment(k: Array, n: Array, r: int) -> Array:
    top = np.prod([k - i for i in range(r)], axis=0)
    return np.asarray(top / np.maximum(np.prod([n - i for i in range(r)], axis=0), 1))


def _quadratic(sums: Array) -> Array:
    x, y, f2, f3, f4 = sums
    determinant = f2 * f4 - f3**2
    defined = determinant > SMALLEST
    a = x * f4 - y * f3
    b = y * f2 - x * f3
    return np.where(defined, (a + 2 * b / 3) / np.where(defined, determinant, 1.0), np.nan)


def without_source_pass(p: Pairs) -> Array:
    """The number of items that no source sample solved, [...]; they say nothing about transfer."""
    return np.asarray((p.items * (p.s_sum <= 0)).sum(-1))
