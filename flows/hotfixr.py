"""The whole experiment as one Prefect run that dispatches each step to its own deployment."""

from __future__ import annotations

import os
from typing import Any, Literal
from uuid import UUID

from prefect import flow, runtime
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
)
from prefect.client.orchestration import SyncPrefectClient, get_client

from flows.dispatch import Dispatch
from flows.pipeline import pipeline
from flows.summary import markdown_summary, score_rows
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store, configured_store
from tasks.recipe import Recipe, asked_on, read_recipe
from tasks.runs import day_of, new_run_id, report_path, start_run
from tasks.score import SCORES

StepName = Literal[
    "prepare-data",
    "prepare-models",
    "train-generator",
    "generate-questions",
    "label-questions",
    "train-student",
    "evaluate",
    "score",
    "report",
]


@flow(name="hotfixr")
def hotfixr(
    recipe: str = "quickstart",
    name: str = "",
    student: str = "",
    samples: int = 0,
    items: int = 0,
    seed: int = -1,
    force: list[StepName] = [],  # noqa: B006  Prefect reads it for its form and never changes it
) -> str:
    """Run HOTFIXR from seeds to a report, for one recipe.

    Args:
        recipe: Name of a bundled recipe (quickstart, smoke, simulated, mgsm), or its URI.
        name: A label for people; empty for the recipe's name.
        student: Model reference such as hf:ORG/NAME@COMMIT; empty for the recipe's.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything random; -1 for the recipe's.
        force: Steps to compute again though they are there; what reads them follows.
    """
    store = configured_store()
    overrides: dict[str, Any] = {
        key: value
        for key, value, unset in (
            ("student", student, ""),
            ("evaluation.samples", samples, 0),
            ("seed", seed, -1),
        )
        if value != unset
    }
    chosen = read_recipe(recipe, overrides)
    if items:
        chosen = chosen.with_items(items)
    with get_client(sync_client=True) as client:
        return _run(store, client, chosen, name or chosen.name, tuple(force))


def _run(
    store: Store, client: SyncPrefectClient, recipe: Recipe, name: str, force: tuple[str, ...]
) -> str:
    parent = client.read_flow_run(UUID(str(runtime.flow_run.id)))
    assert parent.created is not None
    run = new_run_id(name, parent.created, parent.id.hex)
    recipe = asked_on(recipe, day_of(run))
    nodes = pipeline(recipe)
    settings = recipe.model_dump(mode="json")
    start_run(store, run, name, settings, [node.label for node in nodes], str(parent.id))
    client.update_flow_run(parent.id, name=run)
    tags = [f"run:{run}", f"recipe:{recipe.name}", f"student:{recipe.student}", "round:1"]
    tags += [f"seed:{recipe.seed}", f"method:{recipe.methods[-1]}"]
    bar = create_progress_artifact(progress=0.0, description="starting")
    assert isinstance(bar, UUID)
    dispatch = Dispatch(store, client, run, parent.id, tags, bar, force)
    try:
        done = dispatch.follow(nodes)
    except BaseException:
        if dispatch.cancelled():
            dispatch.cancel_children()
        raise
    _publish(store, run, recipe, done, dispatch.reused)
    return run


def _publish(store: Store, run: str, recipe: Recipe, done: Any, reused: int) -> None:
    """What a person sees of the finished run in the UI."""
    scores = read_table(store, done["score"].parts["scores"], file=SCORES)
    key = run.lower().replace("_", "-")
    create_markdown_artifact(markdown_summary(run, recipe, scores, reused), key=f"summary-{key}")
    create_table_artifact(score_rows(scores), key=f"scores-{key}")
    base = os.environ.get("HOTFIXR_REPORTS_URL")
    page = report_path(store, run)
    link = f"{base.rstrip('/')}/{page}" if base else f"{store.uri}/{page}"
    create_link_artifact(link, link_text="report", key=f"report-{key}")
