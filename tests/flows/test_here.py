"""Whole runs without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.here import run_here
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store, open_store
from tasks.errors import PartDamaged
from tasks.languages import HELD_OUT, TRAINED
from tasks.models.simulated import slope
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tests.silent import Silent

MGSM = Path(__file__).parents[3] / "shared" / "data" / "mgsm"


def scores(store: Store, run: str) -> list[dict[str, object]]:
    found = recorded_step(store, run, "score", "main")
    assert found is not None
    rows: list[dict[str, object]] = read_table(
        store, found.manifest.parts["scores"], file="scores.parquet"
    ).to_pylist()
    return rows


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str]:
    store = open_store(f"file://{tmp_path_factory.mktemp('simulated')}")
    return store, run_here(store, read_recipe("simulated"), Silent())


@pytest.mark.parametrize("language", [*TRAINED[1:], *HELD_OUT])
def test_a_known_slope_is_found_again(simulated: tuple[Store, str], language: str) -> None:
    [row] = [
        row
        for row in scores(*simulated)
        if (row["metric"], row["target"]) == ("hat_corrected", language)
    ]
    assert row["value"] == pytest.approx(slope("base", language), abs=0.03)
    assert row["n_items"] == 1000 and row["n_samples"] == 10_000 and row["coverage"] == 1.0


def test_samples_are_uncorrelated_across_languages_given_the_item(
    simulated: tuple[Store, str],
) -> None:
    import numpy as np

    store, run = simulated
    found = recorded_step(store, run, "evaluate", "base")
    assert found is not None

    def residuals(language: str) -> np.ndarray:
        part = found.manifest.parts[f"grades/sums/{language}"]
        right = np.array(read_table(store, part, columns=["score"])["score"]).reshape(1000, 10)
        return right - right.mean(axis=1, keepdims=True)

    for one, other in [("en", "de"), ("fr", "ja"), ("zh", "ar")]:
        correlation = np.corrcoef(residuals(one).ravel(), residuals(other).ravel())[0, 1]
        assert abs(correlation) < 0.04  # four standard errors of 10,000 pairs


def test_a_second_run_computes_nothing_and_an_eleventh_item_costs_only_itself(
    simulated: tuple[Store, str],
) -> None:
    store, _ = simulated
    again = Silent()
    run_here(store, read_recipe("simulated"), again)
    assert again.computed == []
    fewer = Silent()
    run_here(store, read_recipe("simulated", {"languages": ["en", "fr"]}), fewer)
    assert fewer.computed == ["score", "report"]  # of two languages; their answers were there


def test_a_damaged_part_stops_the_run_that_reads_it(tmp_path: Path) -> None:
    store = open_store(f"file://{tmp_path}/store")
    small = {"benchmarks": [{"name": "sums", "items": 5}]}
    run = run_here(store, read_recipe("simulated", small), Silent())
    found = recorded_step(store, run, "evaluate", "base")
    assert found is not None
    part = found.manifest.parts["grades/sums/de"]
    store.put(f"{part.folder}/data.parquet", b"not what it was")
    with pytest.raises(PartDamaged, match=r"hotfixr step evaluate --run .* --force"):
        run_here(store, read_recipe("simulated", small | {"scoring.seed": 9}), Silent())


@pytest.mark.skipif(not MGSM.is_dir(), reason="the published MGSM files are not here")
def test_mgsm_files_go_through_data_evaluation_and_scores(tmp_path: Path) -> None:
    store = open_store(f"file://{tmp_path}/store")
    changes = {
        "benchmarks.0.source": f"file://{MGSM}",
        "student": "simulated:base",
        "benchmarks.0.items": 20,
    }
    run = run_here(store, read_recipe("mgsm", changes), Silent())
    found = recorded_step(store, run, "prepare-data", "main")
    assert found is not None
    items = [part for name, part in found.manifest.parts.items() if name.startswith("items/")]
    assert len(items) == 11 and all(part.facts["rows"] == 20 for part in items)
    targets = {row["target"] for row in scores(store, run) if row["metric"] == "hat"}
    assert targets >= {"de", "es", "fr", "ja", "ru", "zh", "bn", "sw", "te", "th"}
