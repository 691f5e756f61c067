"""Validity of deficits: known values, ties, what an interval says, and what takes no part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tasks.artifacts.schemas import VALIDITY
from tasks.scoring.validity import (
    CONTRARY,
    TOO_FEW,
    UNINFORMATIVE,
    auroc,
    spearman,
    validity,
)

ONCE = np.ones((1, 6))


@pytest.mark.parametrize(
    ("score", "wrong", "value"),
    [
        ([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1], 1.0),
        ([1, 2, 3, 4, 5, 6], [1, 1, 1, 0, 0, 0], 0.0),
        ([7, 7, 7, 7, 7, 7], [0, 1, 0, 1, 0, 1], 0.5),
        ([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 6 / 9),
        ([1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1], 0.5),
        ([1, 2, 3, 4, 5, 6], [0.5] * 6, 0.5),
        ([1, 2, 3, 4, 5, 6], [0] * 6, np.nan),
    ],
)
def test_auroc_of_known_cases(score: list[float], wrong: list[float], value: float) -> None:
    found = auroc(np.array(score, float), np.array(wrong, float), ONCE)
    assert found == pytest.approx([value], nan_ok=True)


def test_auroc_is_the_share_of_pairs_of_samples() -> None:
    """A question of pass rate 0.25 at four samples is three wrong ones and a right one."""
    rng = np.random.default_rng(3)
    score, wrong = rng.integers(0, 5, 6).astype(float), rng.integers(0, 5, 6) / 4
    lots = [
        (value, k < 4 * share) for value, share in zip(score, wrong, strict=True) for k in range(4)
    ]
    bad, good = [v for v, is_wrong in lots if is_wrong], [v for v, is_wrong in lots if not is_wrong]
    pairs = [float(b > g) + 0.5 * (b == g) for b in bad for g in good]
    assert auroc(score, wrong, ONCE) == pytest.approx([np.mean(pairs)])


@pytest.mark.parametrize("seed", range(4))
def test_spearman_is_scipys_with_and_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, 6) / 2, rng.normal(size=6)
    wanted = stats.spearmanr(first, second).statistic
    assert spearman(first, second, ONCE) == pytest.approx([wanted])


@pytest.mark.parametrize("statistic", [auroc, spearman])
def test_a_weight_of_two_is_standing_twice_and_of_none_absent(statistic: Any) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(6), rng.random(6)
    counts = np.array([2, 0, 1, 3, 1, 1])
    twice = (np.repeat(one, counts) for one in (first, second))
    wanted = statistic(*twice, np.ones((1, counts.sum())))
    assert statistic(first, second, counts[None, :].astype(float)) == pytest.approx(wanted)


def test_no_correlation_is_defined_with_what_does_not_vary() -> None:
    assert np.isnan(spearman(np.full(6, 0.1), np.arange(6.0), ONCE)).all()


def rows(items: int = 40, towards: float = 1.0, seed: int = 0, **changed: Any) -> list[Any]:
    """Questions in English and French whose deficits follow (or oppose) their outcomes."""
    rng = np.random.default_rng(seed)
    made = []
    for at in range(items):
        for language in ("en", "fr"):
            wrong, gap = rng.random(2)
            noise = rng.normal(0, 0.2, 2)
            row = {
                "benchmark": "facts" if at % 2 else "numbers",
                "item_id": f"i{at}",
                "language": language,
                "wrong": wrong,
                "lai": towards * wrong + noise[0],
                "gap": None if language == "en" else gap,
                "lsi": None if language == "en" else towards * gap + noise[1],
            }
            made.append(row | changed)
    return made


def table(given: list[Any]) -> dict[tuple[str, str | None, str | None], dict[str, Any]]:
    found = validity(given, resamples=300, seed=0)
    assert found.schema == VALIDITY
    return {(row["measure"], row["benchmark"], row["language"]): row for row in found.to_pylist()}


def test_deficits_that_follow_outcomes_are_informative_in_every_cut() -> None:
    found = table(rows())
    cuts = [(None, None), ("numbers", None), ("facts", None), (None, "en"), (None, "fr")]
    assert list(found) == [
        *(("lai_auroc", *cut) for cut in cuts),
        *(("lsi_spearman", *cut) for cut in cuts if cut != (None, "en")),
    ]
    assert all(row["note"] is None for row in found.values())
    whole = found["lai_auroc", None, None]
    assert 0.5 < whole["low"] < whole["value"] < whole["high"] < 1
    assert (whole["n_items"], whole["n_questions"], whole["n_unmeasured"]) == (40, 80, 0)
    assert found["lsi_spearman", None, None]["n_questions"] == 40


def test_an_interval_with_no_relation_in_it_says_uninformative() -> None:
    found = table(rows(towards=0.0))
    for measure, without in (("lai_auroc", 0.5), ("lsi_spearman", 0.0)):
        row = found[measure, None, None]
        assert row["low"] <= without <= row["high"]
        assert row["note"] == UNINFORMATIVE


def test_deficits_that_oppose_outcomes_point_the_wrong_way() -> None:
    found = table(rows(towards=-1.0))
    assert {found[one, None, None]["note"] for one in ("lai_auroc", "lsi_spearman")} == {CONTRARY}


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Without a relation 0.5 and 0 are the truth; 95 % of 200, give or take three errors."""
    covered = [
        table(rows(towards=0.0, seed=seed))[measure, None, None]["note"] == UNINFORMATIVE
        for seed in range(100)
        for measure in ("lai_auroc", "lsi_spearman")
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.05)


def test_what_was_not_measured_is_counted_and_nothing_at_all_is_a_note() -> None:
    found = table(rows(lsi=None))
    row = found["lsi_spearman", None, None]
    assert (row["value"], row["n_questions"], row["n_unmeasured"]) == (None, 0, 40)
    assert row["note"] == "fewer than 3 items were measured"
    assert found["lai_auroc", None, None]["value"] is not None


def test_a_student_that_is_always_right_has_no_auroc() -> None:
    row = table(rows(wrong=0.0))["lai_auroc", None, None]
    assert (row["value"], row["low"], row["note"]) == (None, None, TOO_FEW)


def test_the_order_of_rows_changes_nothing() -> None:
    given = rows()
    one, two = table(given), table(given[::-1])
    for key, row in one.items():
        for name in ("value", "low", "high"):
            assert two[key][name] == pytest.approx(row[name])
