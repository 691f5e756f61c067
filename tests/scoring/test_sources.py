"""Source languages: one, one per item, absent for some items, absent for a whole benchmark."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tasks.scoring import score
from tests.scoring.invented import grades, rows_of


def test_a_benchmark_without_the_source_is_null_beside_one_that_has_it() -> None:
    other = grades({"de": 0.5}, models=["base"]).assign(benchmark="sayings")
    scored = score(pd.concat([grades({"en": 0.9, "fr": 0.6}), other]), resamples=20)
    rows = scored.scores.to_pandas().set_index(["benchmark", "metric", "target"])
    hat = rows.loc[("sayings", "hat", "de")]
    assert np.isnan(hat.value) and hat.note == "no answers in its source language en"
    assert rows.loc[("sayings", "target_accuracy", "de")].value == pytest.approx(other.score.mean())
    assert "sayings: no transfer scores: no answers in its source language en" in scored.notes


def test_items_whose_source_nobody_answered_are_left_out_and_told() -> None:
    frame = grades({"en": 0.9, "fr": 0.6}, models=["base"])
    part = frame.item_id.str[1:].astype(int) < 10
    frame["source_language"] = np.where(part, "he", "en")
    rows = rows_of(frame, "hat")
    assert rows.loc["fr"].n_items == 20 and rows.loc["fr"].value > 0
    notes = " ".join(score(frame, resamples=20).notes)
    assert "10 items have no transfer score, since nobody answered in their source" in notes
    expected = rows_of(frame[~part], "hat").loc["fr"].value
    assert rows.loc["fr"].value == pytest.approx(expected)


def test_a_target_does_not_count_the_items_that_it_is_the_source_of() -> None:
    frame = grades({"en": 0.9, "fr": 0.6}, models=["base"])
    half = frame.item_id.str[1:].astype(int) < 10
    rows = rows_of(frame.assign(source_language=np.where(half, "fr", "en")), "hat")
    assert (rows.loc["fr"].n_items, rows.loc["fr"].n_samples) == (20, 80)
    assert (rows.loc["en"].n_items, rows.loc["en"].n_samples) == (10, 40)


def test_a_source_below_chance_says_nothing_about_transfer() -> None:
    frame = grades({"en": 0.0, "fr": 0.0}, items=120, n_options=4)
    found = rows_of(frame, "hat_chance_corrected").loc["fr"].iloc[0]
    assert np.isnan(found.value) and found.note == "too few source passes"
