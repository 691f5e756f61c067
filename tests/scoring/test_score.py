"""The table of scores: what is in it, what is null and why, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tasks.artifacts.schemas import PROFILES, SCORES
from tasks.errors import BadInput
from tasks.scoring import score
from tasks.scoring.metrics import TRANSFER


def grades(
    models: tuple[str, ...] = ("base", "student"),
    languages: tuple[str, ...] = ("en", "fr", "de"),
    items: int = 30,
    samples: int = 4,
    **columns: Any,
) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (model, "numbers", f"i{item}", language, sample, float(rng.random() < 0.6))
        for model in models
        for item in range(items)
        for language in languages
        for sample in range(samples)
    ]
    frame = pd.DataFrame(
        rows, columns=["model", "benchmark", "item_id", "language", "sample", "score"]
    )
    return frame.assign(status=np.where(frame.score > 0, "right", "wrong"), **columns)


def table(frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
    return score(frame, resamples=100, **options).scores.to_pandas()


def test_schemas_hold_and_differences_come_with_intervals() -> None:
    scored = score(grades(), pairs=[("student", "base")], resamples=100)
    assert scored.scores.schema == SCORES and scored.profiles.schema == PROFILES
    rows = scored.scores.to_pandas()
    between = rows[(rows.baseline == "base") & (rows.metric == "target_accuracy")]
    groups = {"mean", "median", "pooled", "same-script", "trained", "held-out"}
    assert set(between.target) == {"fr", "de", *groups}
    assert (between.low <= between.value).all() and (between.value <= between.high).all()


def test_the_same_seed_gives_the_same_table() -> None:
    assert (
        score(grades(), seed=3, resamples=50).scores == score(grades(), seed=3, resamples=50).scores
    )


def test_without_a_source_language_transfer_is_not_defined() -> None:
    frame = grades(languages=("fr", "de"), source_language=None, parallel=False)
    scored = score(frame, resamples=50)
    rows = scored.scores.to_pandas()
    assert rows[rows.metric == "target_accuracy"].value.notna().all()
    undefined = rows[rows.metric.isin(TRANSFER)]
    assert set(undefined.metric) == set(TRANSFER) and undefined.value.isna().all()
    assert set(undefined.note) == {"no parallel items"}
    assert scored.notes == ["numbers: no transfer scores: no parallel items"]


def test_too_few_source_passes_are_null_with_a_note() -> None:
    frame = grades()
    frame.loc[(frame.language == "en") & (frame.item_id != "i0"), ["score", "status"]] = [
        0,
        "wrong",
    ]
    rows = table(frame)
    hats = rows[(rows.metric == "hat_corrected") & (rows.target == "fr")]
    assert hats.value.isna().all() and (hats.note == "too few source passes").all()


def test_one_sample_has_no_corrected_score() -> None:
    rows = table(grades(samples=1))
    hats = rows[(rows.metric == "hat_corrected") & (rows.target == "fr")]
    assert hats.value.isna().all() and hats.note.str.startswith("N = 1").all()


def test_unparsed_answers_count_as_zero_and_lower_the_coverage() -> None:
    frame = grades()
    half = (frame.language == "fr") & (frame["sample"] < 2)
    frame.loc[half, ["score", "status"]] = [0, "unparsed"]
    scored = score(frame, resamples=50)
    rows = scored.scores.to_pandas()
    assert set(rows[(rows.metric == "hat") & (rows.target == "fr")].coverage) == {0.5}
    assert any("base in fr: only 50%" in note for note in scored.notes)


@pytest.mark.parametrize(("cut", "noted"), [(1, False), (2, True)])
def test_answers_cut_by_the_length_limit_are_noted_above_one_in_a_hundred(
    cut: int, noted: bool
) -> None:
    frame = grades()
    rows = frame.index[(frame.language == "fr") & (frame.model == "base")][:cut]
    frame.loc[rows, ["score", "status"]] = [0, "truncated"]
    notes = score(frame, resamples=20).notes
    said = [note for note in notes if "length limit" in note]
    wanted = "numbers: base in fr: 1.7% of the answers reached the length limit before they came"
    assert [note.startswith(wanted) for note in said] == [True] * noted


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: pd.concat([f, f.iloc[:1]]), "is there twice"),
        (lambda f: f.assign(score=2.0), r"720 of 720 rows have a score outside \[0, 1\]"),
        (lambda f: f[f.language != "en"], "'en', the source language"),
        (lambda f: f.drop(columns="score"), "no column 'score'"),
        (lambda f: f.iloc[:0], "no rows"),
        (lambda f: f.assign(status="fine"), "status 'fine'"),
        (
            lambda f: f.assign(temperature=np.where(f.model == "base", 0.2, 1.0)),
            "a difference needs equal sampling",
        ),
    ],
)
def test_bad_input_is_one_sentence(change: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        score(change(grades()), pairs=[("student", "base")], resamples=20)
