"""hotfixr diff on real runs of simulated models: all that differs is said, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.here import run_here
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store, open_store
from tasks.read_recipe import read_recipe
from tasks.run_differences import changed_parts, changed_scores, changed_settings
from tasks.runs import read_run, recorded_step
from tasks.score import SCORES
from tests.deployments.test_cli import hotfixr
from tests.silent import Silent

STRONG, WEAK = "simulated:slope-0.90-mean-0.70", "simulated:slope-0.60-mean-0.70"
SMALL = {"benchmarks.0.items": 100, "languages": ["en", "fr", "de"], "scoring.resamples": 100}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(f"file://{tmp_path_factory.mktemp('diff')}")


@pytest.fixture(scope="module")
def runs(store: Store) -> dict[str, str]:
    changes: dict[str, dict[str, object]] = {
        "strong": {"student": STRONG},
        "again": {"student": STRONG},
        "weak": {"student": WEAK},
        "fewer": {"student": STRONG, "evaluation.samples": 4},
        "more": {"student": STRONG, "evaluation.seed": 1, "languages": ["en", "fr", "de", "ja"]},
    }
    return {
        name: run_here(store, read_recipe("simulated", SMALL | change), Silent(), name)
        for name, change in changes.items()
    }


def diff(store: Store, *words: str) -> str:
    done = hotfixr("diff", *words, "--store", store.uri)
    assert done.returncode == 0, done.stderr
    return re.sub(" +", " ", done.stdout)


def test_settings_parts_and_a_difference_beyond_chance(store: Store, runs: dict[str, str]) -> None:
    said = diff(store, runs["strong"], runs["weak"])
    assert f"student: {STRONG} | {WEAK}" in said and said.count(" | ") == 1
    assert "prepare-data 4 parts the same\n" in said
    assert "evaluate-base 0 parts the same, 6 not\n answers/sums/en" in said
    [hat] = [line for line in said.splitlines() if line.startswith("base sums mean hat_corrected")]
    assert hat.endswith("excludes 0: higher")


def test_differences_come_from_the_same_resamples(store: Store, runs: dict[str, str]) -> None:
    one, other = (read_run(store, runs[name]) for name in ("strong", "weak"))
    rows = changed_scores(store, one, other).rows

    def own(run: str) -> dict[tuple[str, str], float]:
        found = recorded_step(store, run, "score", "main")
        assert found is not None
        table = read_table(store, found.manifest.parts["scores"], file=SCORES).to_pylist()
        return {(row["metric"], row["target"]): row["value"] for row in table}

    strong, weak = own(one.run), own(other.run)
    between = [row for row in rows if row["baseline"] == "base (B)"]
    alone = {
        (row["model"], row["metric"], row["target"]): row for row in rows if not row["baseline"]
    }
    paired = 0
    for row in between:
        key = row["metric"], row["target"]
        if row["low"] is None or key not in strong:  # some rows are only of pairs
            continue
        assert row["value"] == pytest.approx(strong[key] - weak[key], abs=1e-9)
        assert row["low"] <= row["value"] <= row["high"]
        widths = [
            found["high"] - found["low"]
            for name in ("base (A)", "base (B)")
            if (found := alone[name, *key])["low"] is not None
        ]
        paired += row["high"] - row["low"] < sum(widths)
    assert paired > 5


def test_the_same_again_differs_in_nothing(store: Store, runs: dict[str, str]) -> None:
    said = diff(store, runs["strong"], runs["again"])
    assert "settings are the same" in said and "not" not in said.replace("note:", "")
    assert "note: base on sums: the same grades in both runs" in said


def test_unequal_sampling_gives_scores_side_by_side(store: Store, runs: dict[str, str]) -> None:
    said = diff(store, runs["strong"], runs["fewer"])
    assert "evaluation.samples: 10 | 4" in said
    assert "note: no difference is given: base (A) and base (B) have 10 and 4 samples" in said
    assert "no paired difference; the intervals overlap" in said


def test_what_only_one_run_has_is_said(store: Store, runs: dict[str, str]) -> None:
    one, other = (read_run(store, runs[name]) for name in ("strong", "more"))
    found = {change.what: change for change in changed_settings(one, other)}
    assert found["languages"].other == ["en", "fr", "de", "ja"]
    assert "items/sums/ja" in changed_parts(store, one, other)["prepare-data"].differing
    every = diff(store, runs["strong"], runs["more"], "--all")
    assert re.search(r"^base sums fr hat_corrected ", every, re.MULTILINE)
    assert "includes 0" in every


def test_grades_that_are_gone_are_named(tmp_path: Path) -> None:
    store = open_store(f"file://{tmp_path}")
    recipe = SMALL | {"benchmarks.0.items": 4}
    ids = [
        run_here(store, read_recipe("simulated", recipe | {"student": student}), Silent())
        for student in (STRONG, WEAK)
    ]
    found = recorded_step(store, ids[0], "evaluate", "base")
    assert found is not None
    store.delete(f"{found.manifest.parts['grades/sums/fr'].folder}/data.parquet")
    said = diff(store, *ids)
    assert "note: base on sums: not compared, parts/evaluate/" in said


@pytest.mark.parametrize("words", [["x", "y"], [""]])
def test_runs_that_are_not_there_are_one_sentence(store: Store, words: list[str]) -> None:
    done = hotfixr("diff", *words, "--store", store.uri)
    assert done.returncode == 2 and "Traceback" not in done.stderr
