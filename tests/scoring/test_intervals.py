"""Resamples and limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tasks.scoring.intervals import bca, fieller, jackknife, percentile, quantiles, resample_counts
from tasks.scoring.statistics import Statistic, ratio


def mean_of(values: np.ndarray) -> Statistic:
    return ratio(values, np.ones(1), np.ones(values.shape[-1]))


def test_each_stratum_keeps_its_size_in_every_resample() -> None:
    stratum = np.array([0, 0, 0, 1, 1])
    counts = resample_counts(stratum, 50, np.random.default_rng(0))
    assert (counts[:, stratum == 0].sum(1) == 3).all()
    assert (counts[:, stratum == 1].sum(1) == 2).all()


def test_a_resample_is_what_a_loop_over_drawn_items_gives() -> None:
    rng = np.random.default_rng(1)
    top, bottom = rng.random((2, 3, 20)), rng.random((2, 3, 20))
    counts = resample_counts(np.zeros(20, dtype=np.int64), 10, rng)
    found = ratio(top, bottom, np.ones(20)).resampled(counts)
    for place, row in enumerate(counts):
        drawn = np.repeat(np.arange(20), row.astype(int))
        expected = top[..., drawn].sum(-1) / bottom[..., drawn].sum(-1)
        np.testing.assert_allclose(found[..., place], expected)


def test_quantiles_leave_undefined_resamples_out() -> None:
    draws = np.array([[3.0, np.nan, 1.0, 2.0, np.nan]])
    assert quantiles(draws, 0.5) == pytest.approx([2.0])


def test_fieller_of_a_mean_is_the_t_interval() -> None:
    values = np.random.default_rng(2).random(15)
    low, high = fieller(mean_of(values))
    expected = stats.t.interval(0.95, 14, values.mean(), stats.sem(values))
    assert (float(low), float(high)) == pytest.approx(expected)


def test_fieller_is_unbounded_where_the_denominator_may_be_zero() -> None:
    bottom = np.array([1.0, *[0.0] * 11])
    low, high = fieller(ratio(0.5 * bottom, bottom, np.ones(12)))
    assert np.isnan(low) and np.isnan(high)


def test_the_jackknife_of_a_mean_is_nearly_the_t_interval() -> None:
    values = np.random.default_rng(3).random(15)
    statistic = mean_of(values)
    found = jackknife(statistic.value(), statistic.influence(), statistic.units())
    expected = stats.t.interval(0.95, 14, values.mean(), stats.sem(values))
    assert [float(limit) for limit in found] == pytest.approx(expected, abs=1e-9)


def test_bca_agrees_with_scipy() -> None:
    values = np.random.default_rng(4).exponential(size=120)
    counts = resample_counts(np.zeros(120, dtype=np.int64), 20_000, np.random.default_rng(5))
    statistic = mean_of(values)
    found = bca(statistic.value(), statistic.resampled(counts), statistic.influence())
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(6)
    ).confidence_interval
    assert [float(limit) for limit in found] == pytest.approx(expected, abs=0.01)
    plain = percentile(statistic.resampled(counts))
    assert float(found[1]) > float(plain[1])  # a long right tail moves the limits up


def test_units_of_a_cluster_move_together() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0])
    grouped = mean_of(values).grouped(np.array([0, 1, 1, 0]))
    assert grouped.terms[0].tolist() == [0.0, 2.0] and grouped.items.tolist() == [2.0, 2.0]
    assert float(grouped.value()) == 0.5
