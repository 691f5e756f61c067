"""Statistics against what is known to be true, by simulation with fixed seeds.

The short form runs in CI; `-m long` runs the full sizes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from tasks.scoring import transfer
from tasks.scoring.intervals import fieller, jackknife, percentile, resample_counts
from tasks.scoring.statistics import Array, Statistic
from tasks.scoring.transfer import Pairs, pairs

SOURCES = {"uniform": (1, 1), "easy": (8, 2), "hard": (2, 8)}
SIZES = pytest.mark.parametrize(
    "sets", [40, pytest.param(400, marks=pytest.mark.long)], ids=["short", "long"]
)


WITHIN = 0.003  # of the truth, for the mean over 400 data sets of 2,500 items


def near(found: Array, truth: float) -> bool:
    """Whether the mean over the data sets is where it should be; fewer sets have more noise."""
    error = found.std() / np.sqrt(len(found))
    tolerance = WITHIN if len(found) >= 400 else max(WITHIN, 4 * error)
    print(f"{found.mean():.4f} of {truth:.4f}, standard error {error:.4f}, {len(found)} sets")
    return bool(abs(found.mean() - truth) <= tolerance)


def drawn(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    beta: tuple[int, int],
    slope: float,
    n: int | npt.NDArray[np.int64] = 10,
    chance: float = 0.0,
) -> Pairs:
    """Pairs [..., item] of a model whose target pass rate is slope times its source's."""
    return drawn_from(rng, rng.beta(*beta, shape), slope, n, chance)


def drawn_from(
    rng: np.random.Generator,
    s: Array,
    slope: float,
    n: int | npt.NDArray[np.int64],
    chance: float,
) -> Pairs:
    """The same from true source pass rates `s`."""
    known, carried = (p + (1 - p) * chance for p in (s, slope * s))
    source, target = rng.binomial(n, known).astype(float), rng.binomial(n, carried).astype(float)
    full = np.broadcast_to(np.asarray(n, dtype=float), s.shape)
    return pairs(source, source, full, target, full)


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
    assert near(transfer.hat_corrected(p).value(), slope)


@SIZES
@pytest.mark.parametrize("slope", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("source", SOURCES)
def test_graded_scores_are_corrected_too(source: str, slope: float, sets: int) -> None:
    """Scores as chrF gives them: beta distributed around each item's own mean."""
    rng = np.random.default_rng(3)
    five = np.full(2500, 5.0)
    found = []
    for _ in range(sets):
        s = rng.beta(*SOURCES[source], (2500, 1)).clip(0.001, 0.999)
        samples = rng.beta(4 * s, 4 * (1 - s), (2500, 5))
        targets = rng.beta(4 * slope * s, 4 * (1 - slope * s), (2500, 5))
        p = pairs(samples.sum(-1), (samples**2).sum(-1), five, targets.sum(-1), five)
        found.append(float(transfer.hat_corrected(p).value()))
    assert near(np.array(found), slope)


@SIZES
def test_unequal_numbers_of_samples_are_corrected_too(sets: int) -> None:
    rng = np.random.default_rng(9)
    p = drawn(rng, (sets, 2500), (2, 8), 0.6, n=rng.integers(2, 11, (sets, 2500)))
    assert near(transfer.hat_corrected(p).value(), 0.6)


@SIZES
@pytest.mark.parametrize(("name", "truth"), [("line", 0.7), ("square", 2 / 3), ("bent", 0.8)])
def test_the_integral_follows_a_curved_profile(name: str, truth: float, sets: int) -> None:
    """Twice the integral of 0.7 s, s^2 and 1.6 s - 1.2 s^2, whatever the items' difficulty."""
    rng = np.random.default_rng(10)
    s = rng.beta(2, 2, (sets, 2500))
    t = {"line": 0.7 * s, "square": s**2, "bent": 1.6 * s - 1.2 * s**2}[name]
    source, target = rng.binomial(10, s).astype(float), rng.binomial(10, t).astype(float)
    ten = np.full(s.shape, 10.0)
    assert near(transfer.hat_integral(pairs(source, source, ten, target, ten)).value(), truth)


def test_the_estimators_agree_with_their_definitions_item_by_item() -> None:
    rng = np.random.default_rng(11)
    samples, targets = rng.random((40, 6)), rng.random((40, 6))
    six = np.full(40, 6.0)
    p = pairs(samples.sum(-1), (samples**2).sum(-1), six, targets.sum(-1), six)
    products = [np.outer(row, row) for row in samples]
    q = np.array([(m.sum() - np.trace(m)) / 30 for m in products])
    s, t = samples.mean(-1), targets.mean(-1)
    expected = {
        transfer.hat: (s @ t) / (s @ s),
        transfer.hat_corrected: (s @ t) / q.sum(),
        transfer.ratio_of_means: t.sum() / s.sum(),
        transfer.transfer_conditional: (s @ t) / s.sum(),
        transfer.transfer_joint: (s * t).mean(),
        transfer.xlt_gap: (s - t).mean(),
        transfer.profile_curvature: (s @ t) / q.sum() - t.sum() / s.sum(),
    }
    for estimator, value in expected.items():
        assert float(estimator(p).value()) == pytest.approx(value)
    g = np.full(40, 0.2)
    u, w, v = (s - 0.2) / 0.8, (t - 0.2) / 0.8, samples.var(-1, ddof=1)
    corrected = (u @ w) / (u**2 - v / (6 * 0.8**2)).sum()
    assert float(transfer.hat_chance_corrected(p, g, g).value()) == pytest.approx(corrected)


@SIZES
@pytest.mark.parametrize("slope", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("source", SOURCES)
def test_chance_correction_takes_lucky_guesses_off(source: str, slope: float, sets: int) -> None:
    p = drawn(np.random.default_rng(4), (sets, 2500), SOURCES[source], slope, chance=0.25)
    g = np.full(p.s_sum.shape, 0.25)
    assert near(transfer.hat_chance_corrected(p, g, g).value(), slope)


def covered(statistics: list[Statistic], truth: float) -> float:
    """Share of the data sets [set, item] whose percentile interval of first - second holds it."""
    units = statistics[0].items.shape[-1]
    counts = resample_counts(np.zeros(units, dtype=np.int64), 500, np.random.default_rng(5))
    draws = [statistic.resampled(counts) for statistic in statistics]
    low, high = percentile(draws[0] - draws[1] if len(draws) > 1 else draws[0])
    return float(((low <= truth) & (truth <= high)).mean())


def student_and_base(sets: int, items: int, n: int, chance: float) -> list[Pairs]:
    """The same items, easier for the student; slopes 0.8 and 0.6."""
    rng = np.random.default_rng(6)
    s = rng.beta(2, 2, (sets, items))
    return [
        drawn_from(rng, easier, slope, n, chance) for easier, slope in ((s, 0.8), (0.9 * s, 0.6))
    ]


def estimators(chance: float) -> dict[str, Callable[[Pairs], Statistic]]:
    g = np.full(1, chance)
    return {
        "hat_corrected": transfer.hat_corrected,
        "ratio_of_means": transfer.ratio_of_means,
        "hat_chance_corrected": lambda p: transfer.hat_chance_corrected(p, g, g),
    }


@pytest.mark.parametrize(
    "sets", [2000, pytest.param(20_000, marks=pytest.mark.long)], ids=["short", "long"]
)
@pytest.mark.parametrize("compared", [False, True], ids=["alone", "difference"])
@pytest.mark.parametrize("name", ["hat_corrected", "ratio_of_means", "hat_chance_corrected"])
def test_the_bootstrap_covers_at_250_items(name: str, compared: bool, sets: int) -> None:
    chance = 0.25 if name == "hat_chance_corrected" else 0.0
    estimator = estimators(chance)[name]
    found = [estimator(p) for p in student_and_base(sets, 250, 10, chance)]
    share = covered(found, 0.2) if compared else covered(found[:1], 0.8)
    print(f"{name} {'difference' if compared else 'alone'} of {sets}: {share:.4f}")
    assert 0.92 <= share <= 0.98


FEW = pytest.mark.parametrize(
    "sets", [2000, pytest.param(20_000, marks=pytest.mark.long)], ids=["short", "long"]
)


@FEW
@pytest.mark.parametrize("name", ["hat_corrected", "ratio_of_means", "hat_chance_corrected"])
def test_fieller_covers_at_twelve_items_of_four_samples(name: str, sets: int) -> None:
    chance = 0.25 if name == "hat_chance_corrected" else 0.0
    low, high = fieller(estimators(chance)[name](student_and_base(sets, 12, 4, chance)[0]))
    bounded = ~np.isnan(low)
    share = ((low <= 0.8) & (high >= 0.8))[bounded].mean()
    print(f"{name} of {sets}: {share:.4f} of the {bounded.mean():.3f} that are bounded")
    assert share >= 0.92


@FEW
@pytest.mark.parametrize("name", ["hat_corrected", "ratio_of_means", "hat_chance_corrected"])
def test_the_jackknife_covers_differences_of_twelve_items(name: str, sets: int) -> None:
    chance = 0.25 if name == "hat_chance_corrected" else 0.0
    pair = [estimators(chance)[name](p) for p in student_and_base(sets, 12, 10, chance)]
    bounded = ~np.isnan(fieller(pair[0])[0] + fieller(pair[1])[0])
    influence = pair[0].influence() - pair[1].influence()
    low, high = jackknife(pair[0].value() - pair[1].value(), influence, pair[0].units())
    share = ((low <= 0.2) & (high >= 0.2))[bounded].mean()
    print(f"{name} of {sets}: {share:.4f} of the {bounded.mean():.3f} that are defined")
    assert share >= 0.92
