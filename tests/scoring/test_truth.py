"""Statistics against what is known to be true, by simulation with fixed seeds.

The short form runs in CI; `-m long` runs the full sizes.
"""

from __future__ import annotations

import numpy as np
import pytest

from tasks.scoring import transfer
from tasks.scoring.intervals import fieller, jackknife, percentile, resample_counts
from tasks.scoring.statistics import Array, Statistic
from tasks.scoring.transfer import Pairs, pairs

SOURCES = {"uniform": (1, 1), "easy": (8, 2), "hard": (2, 8)}
SIZES = pytest.mark.parametrize(
    "sets", [40, pytest.param(400, marks=pytest.mark.long)], ids=["short", "long"]
)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], beta: tuple[int, int], slope: float,
          n: int = 10, chance: float = 0.0) -> Pairs:  # fmt: skip
    """Pairs [..., item] of a model whose target pass rate is slope times its source's."""
    s = rng.beta(*beta, shape)
    t = slope * s
    lucky_s, lucky_t = s + (1 - s) * chance, t + (1 - t) * chance
    source, target = rng.binomial(n, lucky_s), rng.binomial(n, lucky_t)
    full = np.full(shape, float(n))
    return pairs(source.astype(float), source.astype(float), full, target.astype(float), full)


@SIZES
@pytest.mark.parametrize(
    ("source", "expected"), [("uniform", 20 / 21), ("easy", 45 / 46), ("hard", 15 / 19)]
)
def test_the_published_estimator_has_the_bias_that_algebra_says(
    source: str, expected: float, sets: int
) -> None:
    p = drawn(np.random.default_rng(1), (sets, 2500), SOURCES[source], 1.0)
    assert transfer.hat(p).value().mean() == pytest.approx(expected, abs=0.005)


@SIZES
@pytest.mark.parametrize("slope", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("source", SOURCES)
def test_the_corrected_one_has_none(source: str, slope: float, sets: int) -> None:
    p = drawn(np.random.default_rng(2), (sets, 2500), SOURCES[source], slope)
    found = transfer.hat_corrected(p).value()
    error = found.std() / np.sqrt(sets)
    assert found.mean() == pytest.approx(slope, abs=max(0.003, 4 * error))


@SIZES
def test_graded_scores_are_corrected_too(sets: int) -> None:
    rng = np.random.default_rng(3)
    s = rng.beta(2, 2, (sets, 2500))
    samples = np.clip(rng.normal(s[..., None], 0.1, (*s.shape, 5)), 0, 1)
    t = np.clip(rng.normal(0.6 * samples.mean(-1), 0.05), 0, 1)
    five = np.full(s.shape, 5.0)
    p = pairs(samples.sum(-1), (samples**2).sum(-1), five, t * 5, five)
    # Scores that follow the observed source share its noise, which `hat` takes for skill.
    assert transfer.hat(p).value().mean() == pytest.approx(0.6, abs=0.01)
    independent = np.clip(rng.normal(0.6 * s, 0.05), 0, 1)
    p = pairs(samples.sum(-1), (samples**2).sum(-1), five, independent * 5, five)
    assert transfer.hat_corrected(p).value().mean() == pytest.approx(0.6, abs=0.006)


@SIZES
def test_chance_correction_takes_lucky_guesses_off(sets: int) -> None:
    p = drawn(np.random.default_rng(4), (sets, 2500), (2, 8), 0.6, chance=0.25)
    g = np.full(p.s_sum.shape, 0.25)
    found = transfer.hat_chance_corrected(p, g, g).value()
    error = found.std() / np.sqrt(sets)
    assert found.mean() == pytest.approx(0.6, abs=max(0.003, 4 * error))


def covered(statistic: Statistic, truth: float, resamples: int) -> float:
    """Share of the data sets [set, item] whose 95 % percentile interval holds the truth."""
    rng = np.random.default_rng(5)
    units = statistic.items.shape[-1]
    counts = resample_counts(np.zeros(units, dtype=np.int64), resamples, rng)
    low, high = percentile(statistic.resampled(counts))
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize(
    ("sets", "low", "high"),
    [(300, 0.90, 0.985), pytest.param(2000, 0.92, 0.98, marks=pytest.mark.long)],
    ids=["short", "long"],
)
@pytest.mark.parametrize("name", ["hat_corrected", "ratio_of_means", "hat_chance_corrected"])
def test_intervals_cover_what_they_say(name: str, sets: int, low: float, high: float) -> None:
    chance = 0.25 if name == "hat_chance_corrected" else 0.0
    p = drawn(np.random.default_rng(6), (sets, 250), (2, 2), 0.7, chance=chance)
    if name == "hat_chance_corrected":
        g = np.full(p.s_sum.shape, 0.25)
        statistic = transfer.hat_chance_corrected(p, g, g)
    else:
        statistic = getattr(transfer, name)(p)
    assert low <= covered(statistic, 0.7, 400) <= high


@pytest.mark.parametrize(
    "sets", [600, pytest.param(4000, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_fieller_holds_at_twelve_items_of_four_samples(sets: int) -> None:
    p = drawn(np.random.default_rng(7), (sets, 12), (2, 2), 0.7, n=4)
    low, high = fieller(transfer.hat_corrected(p))
    bounded = ~np.isnan(low)
    assert bounded.mean() > 0.8
    holds = (low <= 0.7) & (high >= 0.7)
    assert holds[bounded].mean() >= 0.92


def test_the_jackknife_covers_differences_of_few_items() -> None:
    rng = np.random.default_rng(8)
    one = transfer.target_accuracy(drawn(rng, (600, 12), (2, 2), 0.9, n=4))
    other = transfer.target_accuracy(drawn(rng, (600, 12), (2, 2), 0.6, n=4))
    value: Array = one.value() - other.value()
    low, high = jackknife(value, one.influence() - other.influence(), one.units())
    assert ((low <= 0.15) & (high >= 0.15)).mean() >= 0.92
