"""Spread over languages, its noise floor, and what is left without noise."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.scoring import pass_rates, spreads
from tasks.scoring.spread import noise_floors, std_corrected
from tests.scoring.invented import grades, rows_of

EIGHT = {code: 0.5 for code in ("en", "fr", "de", "es", "it", "pt", "ja", "ru")}


def test_the_five_spreads() -> None:
    found = spreads(np.array([0.9, 0.5, 0.6, 0.4]))
    assert {name: float(value) for name, value in found.items()} == pytest.approx(
        {
            "range": 0.5,
            "trimmed_range": 0.4,
            "std": np.std([0.9, 0.5, 0.6, 0.4]),
            "iqr": 0.2,
            "cv": np.std([0.9, 0.5, 0.6, 0.4]) / 0.6,
        }
    )


@pytest.mark.parametrize("parallel", [True, False])
def test_equal_languages_spread_as_much_as_their_noise(parallel: bool) -> None:
    observed, floors, corrected = [], [], []
    for seed in range(25):
        frame = grades(EIGHT, models=["m"], items=40, seed=seed, parallel=parallel)
        (rates,) = pass_rates(frame)
        accuracies = (rates.total.sum(-1) / rates.n.sum(-1))[0]
        observed.append(accuracies.std())
        floors.append(noise_floors(rates, seed)[0]["std"])
        corrected.append(std_corrected(rates, 0))
    assert np.mean(floors) == pytest.approx(np.mean(observed), rel=0.12)
    assert np.mean(corrected) < 0.5 * np.mean(observed)


@pytest.mark.parametrize("parallel", [True, False])
def test_the_corrected_std_is_that_of_the_true_rates(parallel: bool) -> None:
    true = dict(zip(EIGHT, np.linspace(0.4, 0.6, 8), strict=True))
    squares = []
    for seed in range(40):
        frame = grades(true, models=["m"], items=60, samples=2, seed=seed, parallel=parallel)
        (rates,) = pass_rates(frame)
        squares.append(std_corrected(rates, 0) ** 2)
    assert np.sqrt(np.mean(squares)) == pytest.approx(np.std(list(true.values())), rel=0.1)


def test_only_differences_of_spreads_have_intervals() -> None:
    frame = grades({"en": 0.9, "fr": 0.7, "de": 0.5, "ja": 0.3}, items=120)
    for metric in ("range", "std", "iqr", "cv", "trimmed_range"):
        rows = rows_of(frame, metric, pairs=[("student", "base")])
        alone, between = rows[rows.baseline.isna()], rows[rows.baseline == "base"]
        assert alone.low.isna().all() and len(alone) == 2
        assert (between.low <= between.value).all() and (between.value <= between.high).all()


def test_two_languages_are_no_spread() -> None:
    assert rows_of(grades({"en": 0.5, "fr": 0.5}), "std").empty
