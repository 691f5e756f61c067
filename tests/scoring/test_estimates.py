"""When a score is defined, which interval it has, and what means and differences are over."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tasks.scoring import score
from tests.scoring.invented import grades, rows_of

PAIRS = [("student", "base")]


def test_few_items_of_a_target_are_few_however_many_the_benchmark_has() -> None:
    rates = {code: 0.5 for code in ("fr", "de", "es", "it", "pt", "ja", "ru", "zh", "ar")}
    rows = rows_of(grades(rates, items=12, parallel=False), "target_accuracy")
    assert set(rows.drop(index=["mean", "median", "pooled"]).interval) == {"fieller"}
    assert set(rows.loc["mean"].interval) == {"jackknife"}
    assert set(rows.loc["pooled"].interval) == {"bootstrap"}  # 108 items


@pytest.mark.parametrize(("items", "method"), [(99, "fieller"), (100, "bootstrap")])
def test_fewer_than_a_hundred_items_are_few(items: int, method: str) -> None:
    rows = rows_of(grades({"en": 0.6, "fr": 0.4}, items=items), "hat_corrected")
    assert set(rows.loc[["fr"]].interval) == {method}


def test_clusters_count_as_units() -> None:
    frame = grades({"en": 0.6, "fr": 0.4}, items=120)
    frame["cluster"] = frame.item_id.str[:2]
    assert set(rows_of(frame, "hat_corrected").loc[["fr"]].interval) == {"fieller"}


def test_whole_clusters_are_drawn_so_that_repeated_items_add_nothing() -> None:
    frame = grades({"en": 0.6, "fr": 0.4}, items=110)
    twice = pd.concat([frame, frame.assign(item_id=frame.item_id + "-again")])
    twice["cluster"] = twice.item_id.str.removesuffix("-again")
    one, two = (rows_of(f, "hat_corrected").loc["pooled"] for f in (frame, twice))
    width = (one.high - one.low).to_numpy()
    np.testing.assert_allclose((two.high - two.low).to_numpy(), width, rtol=0.25)


@pytest.mark.parametrize(
    ("samples", "graded", "note"),
    [
        (1, False, "needs 0/1 scores and at least four samples"),
        (3, False, "needs 0/1 scores and at least four samples"),
        (4, True, "needs 0/1 scores and at least four samples"),
        (4, False, "not identified"),
    ],
)
def test_the_integral_says_why_it_is_missing(samples: int, graded: bool, note: str) -> None:
    frame = grades({"en": 0.6, "fr": 0.4}, samples=samples)
    if graded:
        frame["score"] *= 0.7
    rows = rows_of(frame, "hat_integral").loc[["fr"]]
    assert rows.value.isna().all() and rows.note.str.startswith(note).all()


def test_a_mean_difference_is_over_the_targets_that_both_have() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.5}, items=120)
    frame = frame[(frame.model == "student") | (frame.language != "de")]
    rows = rows_of(frame, "hat", pairs=PAIRS)
    between = rows[rows.baseline == "base"]
    assert between.loc["mean"].value == pytest.approx(between.loc["fr"].value)
    assert between.loc["mean"].n_targets == 1


def test_the_same_answers_differ_by_nothing() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.5}, models=["base"], items=120)
    both = pd.concat([frame, frame.assign(model="student")])
    found = score(both, pairs=PAIRS, resamples=50).scores.to_pandas()
    between = found[(found.baseline == "base") & found.value.notna()]
    assert np.abs(between[["value", "low", "high"]]).to_numpy().max() < 1e-12


def test_pairing_makes_intervals_of_differences_narrow() -> None:
    frame = grades({"en": 0.7, "fr": 0.5}, models=["base"], items=200, samples=2)
    better = frame.assign(model="student")
    better.loc[(better.item_id == "i3") & (better.language == "fr"), "score"] = 1.0
    rows = rows_of(pd.concat([frame, better]), "target_accuracy", pairs=PAIRS).loc["fr"]
    width = rows.high - rows.low
    assert width[rows.baseline == "base"].item() < width[rows.baseline.isna()].min() / 3


def test_each_language_of_a_benchmark_may_be_the_source_of_some_items() -> None:
    frame = grades({"en": 0.7, "fr": 0.6, "de": 0.5}, items=120)
    place = frame.item_id.str[1:].astype(int) % 3
    frame["source_language"] = place.map({0: "en", 1: "fr", 2: "de"})
    rows = rows_of(frame, "hat_corrected")
    assert {"en", "fr", "de"} <= set(rows.index)
    assert set(rows.loc[["en", "fr", "de"]].n_items) == {80}
    assert set(rows.source) == {"de+en+fr"}


def test_held_out_change_is_the_mean_difference_of_held_out_languages() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.5, "ja": 0.4}, items=120)
    change = rows_of(frame, "held_out_change", pairs=PAIRS).loc["mean"]
    rows = rows_of(frame, "target_accuracy", pairs=PAIRS)
    between = rows[rows.baseline == "base"]
    assert change.value == pytest.approx(between.loc[["de", "ja"]].value.mean())
    assert change.n_targets == 2


def test_coverage_and_what_was_read_split_a_gain() -> None:
    frame = grades({"en": 0.7, "fr": 0.5}, items=120)
    unread = (frame.model == "base") & (frame["sample"] == 0)
    frame.loc[unread, ["score", "status"]] = [0, "unparsed"]
    covered, right = (rows_of(frame, m).loc["fr"] for m in ("coverage", "accuracy_parsed"))
    assert covered.value.tolist() == [0.75, 1.0]
    accuracy = rows_of(frame, "target_accuracy").loc["fr"].value
    np.testing.assert_allclose(covered.value * right.value, accuracy)


def test_a_difference_is_what_form_and_what_better_answers_gain() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.4, "ja": 0.3}, items=120)
    unread = (frame.model == "base") & (frame["sample"] == 0)
    frame.loc[unread, ["score", "status"]] = [0, "unparsed"]
    names = ("target_accuracy", "gain_by_coverage", "gain_by_accuracy")
    tables = [rows_of(frame, name, pairs=PAIRS) for name in names]
    whole, form, better = (rows[rows.baseline == "base"] for rows in tables)
    for target in ("fr", "de", "mean", "trained", "held-out"):
        parts = form.loc[target].value + better.loc[target].value
        assert parts == pytest.approx(whole.loc[target].value), target
    assert (form.loc["held-out"].n_targets, form.loc["trained"].n_targets) == (2, 1)
    assert form.loc["held-out"].low > 0.05  # all of the base's unread answers are now read
    assert form.loc["held-out"].interval == "bootstrap"


def test_groups_of_languages_are_given_where_models_are_compared() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.4}, items=20)
    alone = rows_of(frame, "coverage")
    assert {"trained", "held-out"}.isdisjoint(alone.index)
    assert {"trained", "held-out"} <= set(rows_of(frame, "coverage", pairs=PAIRS).index)


def test_bca_is_an_interval_of_its_own() -> None:
    frame = grades({"en": 0.7, "fr": 0.5}, items=120)
    plain, bca = (rows_of(frame, "hat", interval=kind).loc["fr"] for kind in ("percentile", "bca"))
    assert (plain.value == bca.value).all() and (plain.low != bca.low).any()


def test_items_without_a_source_pass_are_counted() -> None:
    frame = grades({"en": 1.0, "fr": 0.5})
    frame.loc[(frame.item_id == "i3") & (frame.language == "en"), "score"] = 0.0
    rows = rows_of(frame, "items_without_source_pass").loc[["fr"]]
    assert rows.value.tolist() == [1.0, 1.0] and set(rows.n_items) == {30}


def test_limits_of_rates_stay_rates_and_hat_is_not_clipped() -> None:
    frame = grades({"en": 0.5, "fr": 0.98}, items=20)
    assert rows_of(frame, "target_accuracy").high.max() <= 1
    assert rows_of(frame, "hat_corrected").value.min() > 1


def test_notes_say_what_is_missing() -> None:
    frame = grades({"en": 0.7, "fr": 0.5, "de": 0.5}, items=10)
    frame = frame[(frame.item_id != "i1") | (frame.language == "en")]
    frame = frame[(frame.item_id != "i2") | (frame.model == "base")]
    notes = " / ".join(score(frame, pairs=PAIRS, resamples=20).notes)
    assert "1 items are in one language only" in notes
    assert "1 of 10 items missing in fr" in notes
    assert "student has no answers to 1 items in fr" in notes
    assert "not answered by both student and base" in notes


def test_one_item_and_one_language_are_enough_to_be_told_so() -> None:
    for rates in ({"en": 1.0}, {"en": 1.0, "fr": 1.0}):
        found = score(grades(rates, items=1, samples=1), pairs=PAIRS, resamples=20)
        assert found.scores.num_rows > 0


def test_coupling_is_told_from_five_models_on() -> None:
    models = [f"m{i}" for i in range(5)]
    frames = [grades({"en": r, "fr": 0.8 * r}, models=[m], seed=3) for m, r in
              zip(models, (0.1, 0.3, 0.5, 0.7, 0.9), strict=True)]  # fmt: skip
    told = score(pd.concat(frames), resamples=20).analyses.to_pandas()
    (coupling,) = told[told.analysis == "coupling"].to_dict("records")
    assert 0.94 < coupling["low"] <= coupling["value"] <= coupling["high"] <= 1
    fewer = score(pd.concat(frames[:4]), resamples=20).analyses.to_pandas()
    assert "coupling" not in set(fewer.analysis)
