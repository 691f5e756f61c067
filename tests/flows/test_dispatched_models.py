"""A list of models through the deployment that is for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments.stack import Stack
from tasks.artifacts.parts import read_table
from tasks.runs import recorded_step
from tests.flows.running import ParentRun, recipe, store

pytestmark = pytest.mark.timeout(400)
SMALL = {"benchmarks": [{"name": "sums", "items": 12}], "languages": ["en", "de", "ja"]}


def test_each_model_is_a_run_of_its_own_and_all_are_scored_together(
    stack: Stack, tmp_path: Path
) -> None:
    path = recipe(tmp_path, "simulated-models", name="listed", **SMALL)
    parent = ParentRun(path, deployment="benchmark-models/control", models=["elm-2b", "oak-9b"])
    parent.wait()
    names = {child.name.split(" of ")[0] for child in parent.children()}
    assert names == {"prepare-data", "evaluate-elm-2b", "evaluate-oak-9b", "score", "report"}
    scored = recorded_step(store(), parent.run, "score", "main")
    assert scored is not None
    rows = read_table(store(), scored.manifest.parts["scores"], file="scores.parquet").to_pylist()
    assert {row["model"] for row in rows} == {"elm-2b", "oak-9b"}
    assert "de - ja" in {row["target"] for row in rows}


def test_a_recipe_of_the_other_kind_is_refused_in_one_sentence(
    stack: Stack, tmp_path: Path
) -> None:
    path = recipe(tmp_path, "simulated", name="student")
    parent = ParentRun(path, deployment="benchmark-models/control")
    parent.wait("FAILED")
    state = parent.read().state
    assert state is not None and "has no list of models; start hotfixr with it" in str(
        state.message
    )
