"""Translations through whole runs: corpus scores as facts, and a metric of the worker's own."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest

from flows.here import run_here
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe
from tasks.runs import recorded_step
from tasks.score import SCORES
from tests.grading.test_plugged import SAME
from tests.silent import Silent


def recipe(**changes: Any) -> Recipe:
    given: dict[str, Any] = {
        "languages": ["en", "de", "ja"],
        "benchmarks": [{"name": "translation", "items": 4}, {"name": "facts", "items": 2}],
        "evaluation.samples": 2,
        "scoring.resamples": 50,
    }
    chosen = read_recipe("simulated", given | {k.replace("__", "."): v for k, v in changes.items()})
    assert isinstance(chosen, Recipe)
    return chosen


def test_a_named_metric_scores_translations_and_asks_no_model_again(
    file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(SAME)}"
    monkeypatch.setenv("HOTFIXR_METRIC_SAME", command)
    watcher = Silent()
    plain = run_here(file_store, recipe(), watcher)
    run = run_here(file_store, recipe(evaluation__translation_metric="same"), watcher)
    before, after = (recorded_step(file_store, one, "evaluate", "base") for one in (plain, run))
    assert before is not None and after is not None
    added = set(after.manifest.parts) - set(before.manifest.parts)
    assert added == {"plugged/translation/de", "plugged/translation/ja"}
    assert after.manifest.parts.items() >= before.manifest.parts.items()
    corpus = after.manifest.parts["grades/translation/de"].facts["corpus"]
    assert "tok:13a" in corpus["bleu_signature"]
    scored = recorded_step(file_store, run, "score", "main")
    assert scored is not None
    rows = read_table(file_store, scored.manifest.parts["scores"], file=SCORES).to_pylist()
    chrf, bleu = (
        next(row for row in rows if (row["metric"], row["target"]) == (metric, "de"))
        for metric in ("corpus_chrf", "corpus_bleu")
    )
    assert (chrf["value"], chrf["note"]) == (corpus["chrf"], corpus["chrf_signature"])
    assert (bleu["value"], bleu["note"]) == (corpus["bleu"], corpus["bleu_signature"])
    assert (bleu["n_items"], bleu["n_samples"], bleu["low"]) == (4, 8, None)
    own = {row["target"]: row for row in rows if row["metric"] == "plugged_same"}
    grades = read_table(file_store, after.manifest.parts["grades/translation/ja"]).to_pylist()
    right = [row["score"] > 0.999 for row in grades]
    assert own["ja"]["value"] == pytest.approx(sum(right) / len(right))
    assert (own["ja"]["n_items"], own["ja"]["n_samples"], own["ja"]["low"]) == (4, 8, None)
