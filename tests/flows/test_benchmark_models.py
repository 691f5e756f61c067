"""Lists of models: the HAT paper's experiment from its published shapes to its figures, played."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from flows.here import run_here
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store, open_store
from tasks.errors import BadInput
from tasks.model_list import ModelsRecipe
from tasks.models.simulated import slope
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step, report_path
from tests.flows.published import write_published
from tests.silent import Silent

pytestmark = pytest.mark.timeout(400)
ITEMS = 36


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> ModelsRecipe:
    sources = write_published(tmp_path_factory.mktemp("published"), ITEMS)
    played = {"machine.engine": "simulated", "evaluation.samples": 4, "scoring.resamples": 200}
    chosen = read_recipe("hat-paper", {**sources, **played})
    assert isinstance(chosen, ModelsRecipe)
    return chosen.model_copy(update={"languages": ("en", "de", "es", "ja", "zh", "hi")})


@pytest.fixture(scope="module")
def finished(recipe: ModelsRecipe, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str]:
    store = open_store(f"file://{tmp_path_factory.mktemp('models')}")
    return store, run_here(store, recipe, Silent())


def table(finished: tuple[Store, str], file: str) -> pd.DataFrame:
    store, run = finished
    found = recorded_step(store, run, "score", "main")
    assert found is not None
    frame: pd.DataFrame = read_table(store, found.manifest.parts["scores"], file=file).to_pandas()
    return frame


def test_each_of_the_twenty_systems_shows_the_slope_that_it_was_given(
    recipe: ModelsRecipe, finished: tuple[Store, str]
) -> None:
    scores = table(finished, "scores.parquet")
    pooled = scores.query("metric == 'hat_corrected' and target == 'pooled'")
    assert set(pooled.benchmark) == {"eclektic", "mgsm-rev2", "mmlu-prox-lite"}
    truth = {one.name: slope(recipe.plays(one), "de") for one in recipe.models}
    missed = [
        row for row in pooled.to_dict("records")
        if not row["low"] - 0.03 <= truth[row["model"]] <= row["high"] + 0.03
    ]  # fmt: skip
    assert len(pooled) == 60 and len(missed) <= 6  # 95 % intervals of few items


def test_every_analysis_of_the_paper_is_there(finished: tuple[Store, str]) -> None:
    analyses = table(finished, "analyses.parquet")
    lite = analyses[analyses.benchmark == "mmlu-prox-lite"]
    assert set(lite.analysis) >= {"coupling", "script", "size", "family", "released", "thinking"}
    groups = set(lite.group)
    assert {"Gemini-2.5-Flash: medium - off", "Gemini-3-Flash: high - minimal"} <= groups
    assert "Qwen3-4B - Gemma-3-4B" in groups and "1B to 4B" in groups
    anchored = lite[lite.published_low.notna()].set_index(["analysis", "group"])
    assert anchored.loc[("released", "from 2025")].published_low == 0.93
    coupling = anchored.loc[("coupling", "")]
    assert coupling.value > 0.9 and coupling.n_models == 20


def test_the_report_names_all_systems_and_says_that_they_are_simulated(
    recipe: ModelsRecipe, finished: tuple[Store, str]
) -> None:
    store, run = finished
    page = store.get(report_path(store, run))
    assert page is not None
    text = page.data.decode()
    assert all(one.name in text for one in recipe.models) and "simulated" in text


def test_one_model_more_costs_only_itself(
    recipe: ModelsRecipe, finished: tuple[Store, str]
) -> None:
    store, _ = finished
    watcher = Silent()
    names = [one.name for one in recipe.models[:3]]
    run_here(store, recipe.with_models(names), watcher)
    assert watcher.computed == ["score", "report"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": []}, "models"),
        ({"models.0.name": "Gemma-3-4B"}, "'gemma-3-4b' twice"),
        ({"models.5.name": "a b"}, r"models\.5\.name"),
        ({"models.5.released": "March"}, r"models\.5\.released"),
        ({"models.0.form": "completion"}, "answers messages only"),
        ({"models.5.model": "gemma"}, "'gemma' does not name a model"),
        ({"machine.engine": "simulated", "models.3.simulated": ""}, "does not say what plays it"),
    ],
)
def test_a_list_that_cannot_be_run_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_recipe("hat-paper", changes)


def test_a_model_that_is_not_listed_is_refused(recipe: ModelsRecipe) -> None:
    with pytest.raises(BadInput, match=r"no model 'GPT-1' in hat-paper; it lists Gemini-2.5"):
        recipe.with_models(["GPT-1"])
