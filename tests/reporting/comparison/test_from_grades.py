"""From graded samples to the page."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tasks.artifacts.schemas import ANALYSES
from tasks.reporting import ModelsReport, write_models_report
from tasks.reporting.names import metric
from tasks.reporting.shown import number
from tasks.scoring import Scored, score

SLOPES = {"strong": 0.95, "weak": 0.6, "mute": 0.0}
LANGUAGES = ("en", "de", "ja", "ar")
ITEMS, SAMPLES = 40, 6


def grades(benchmark: str, **columns: Any) -> pd.DataFrame:
    """0/1 scores whose pass rate in a target is the slope times that in English."""
    chance = np.random.default_rng(3)
    rates = chance.random(ITEMS)
    rows = [
        (model, benchmark, f"i{item}", code, sample, float(chance.random() < rate))
        for model, slope in SLOPES.items()
        for code in LANGUAGES
        for item in range(ITEMS)
        for sample in range(SAMPLES)
        for rate in [rates[item] * slope / (1.0 if code != "en" else max(slope, 1e-9))]
    ]
    names = ["model", "benchmark", "item_id", "language", "sample", "score"]
    frame = pd.DataFrame(rows, columns=names)
    status = np.where(frame.score > 0, "right", "wrong")
    return frame.assign(status=status, temperature=1.0, **columns)


@cache
def scored() -> Scored:
    sums = grades("sums")
    sums = sums[(sums.item_id != "i0") | (sums.language != "ar")]
    both = pd.concat([sums, grades("choices", n_options=4)])
    return score(both, pairs=[("strong", "weak")], resamples=100)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("report")
    found = scored()
    write_models_report(
        ModelsReport({}, found.scores, found.profiles, ANALYSES.empty_table(), [], found.notes),
        folder,
    )
    text = (folder / "index.html").read_text(encoding="utf-8")
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", without)).split())


@pytest.mark.parametrize(
    "name", ["source_accuracy", "target_accuracy", "hat", "hat_corrected", "hat_chance_corrected"]
)
def test_every_mean_is_on_the_page(page: str, name: str) -> None:
    rows = [
        row
        for row in scored().scores.to_pylist()
        if (row["target"], row["metric"], row["baseline"]) == ("mean", name, None)
        and row["value"] is not None
    ]
    assert rows
    for row in rows:
        assert number(row["value"], metric(name).unit) in page


def test_the_page_says_how_it_was_sampled(page: str) -> None:
    assert f"Answers per item and language (N) {SAMPLES} " in page
    assert "Source languages English Target languages 3" in page
    assert f"English {ITEMS} {SAMPLES} 100.0 %" in page


def test_what_is_undefined_says_why(page: str) -> None:
    absent = [row for row in scored().scores.to_pylist() if row["value"] is None]
    assert absent
    for note in {row["note"] or "no reason given" for row in absent}:
        assert note in page


def test_differences_say_on_which_side_of_zero_they_lie(page: str) -> None:
    assert re.search(r"strong − weak mean of targets \+0\.\d+ \[\S+ \S+\] excludes 0: higher", page)


def test_all_notes_are_shown(page: str) -> None:
    assert scored().notes
    assert all(" ".join(note.split()) in page for note in scored().notes)
