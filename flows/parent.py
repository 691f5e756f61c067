"""A whole recipe as one Prefect run that dispatches each step to its own deployment."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, cast
from uuid import UUID

from prefect import runtime
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import WorkerStatus
from prefect.states import Cancelled

from flows.approval import Approvals
from flows.bars import RunBar, bar_of
from flows.console import outlive_worker
from flows.dispatch import Dispatch
from flows.models import Done
from flows.pipeline import Node, pipeline
from flows.planning import Planner, usual_device
from flows.summary import markdown_summary, score_rows
from tasks.artifacts.parts import read_table
from tasks.artifacts.store import Store, configured_store
from tasks.errors import StepCancelled
from tasks.estimate import Estimate
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import asked_on, parse_override
from tasks.recipe import Recipe
from tasks.reporting.page import METHODS_PAGE
from tasks.runs import Run, day_of, new_run_id, report_path, slug, start_run
from tasks.score import SCORES


def overridden(given: dict[str, tuple[Any, Any]], settings: list[str]) -> dict[str, Any]:
    """Dotted keys of a form that a person changed: key -> (value, what means unset).

    `settings` are further ones as text, a.b=c; they win.
    """
    changed = {key: value for key, (value, unset) in given.items() if value != unset}
    return changed | dict(parse_override(text) for text in settings)


def run_recipe(
    recipe: Recipe | ModelsRecipe, name: str, force: tuple[str, ...], approve: str
) -> str:
    """Run every step that is not done; the run id. Raises StepFailed with a step's sentence."""
    outlive_worker()
    store = configured_store()
    with get_client(sync_client=True) as client:
        parent = client.read_flow_run(UUID(str(runtime.flow_run.id)))
        assert parent.created is not None
        name = name or recipe.name
        run = new_run_id(name, parent.created, parent.id.hex)
        recipe = asked_on(recipe, day_of(run))
        nodes = pipeline(recipe)
        settings = recipe.model_dump(mode="json")
        labels = [node.label for node in nodes]
        started = start_run(store, run, name, settings, labels, str(parent.id))
        client.update_flow_run(parent.id, name=run)
        estimate = Estimate(store, run, settings, nodes, _slots(client, nodes))
        bar = RunBar(client, bar_of(client, parent.id), estimate)
        approvals = Approvals(store, started, parent, approve)
        tags = _tags(run, recipe)
        planned = partial(_planned, store, recipe, force)
        dispatch = Dispatch(store, client, run, parent.id, tags, bar, approvals, planned, force)
        try:
            _publish(store, started, recipe, _follow(dispatch, nodes), dispatch.reused)
        except StepCancelled as error:
            # The server takes no other end of it, and the worker that would say so may be dead.
            return cast(str, Cancelled(message=str(error)))
    return run


def _planned(
    store: Store, recipe: Recipe | ModelsRecipe, force: tuple[str, ...], done: Done
) -> Planner:
    device = usual_device(recipe)
    return Planner(store, recipe, device, device.price, dict(done), force)


def _follow(dispatch: Dispatch, nodes: list[Node]) -> Done:
    try:
        return dispatch.follow(nodes)
    except BaseException:
        if dispatch.cancelled():
            dispatch.cancel_children()
        raise


def _slots(client: SyncPrefectClient, nodes: list[Node]) -> dict[str, int]:
    """How many runs each pool has at once: its limit, or one for each of its workers."""
    slots = {}
    for pool in {one.pool for one in nodes}:
        limit = client.read_work_pool(pool).concurrency_limit
        workers = client.read_workers_for_work_pool(pool)
        online = sum(worker.status == WorkerStatus.ONLINE for worker in workers)
        slots[pool] = limit or max(1, online)
    return slots


def _tags(run: str, recipe: Recipe | ModelsRecipe) -> list[str]:
    tags = [f"run:{run}", f"recipe:{recipe.name}", f"seed:{recipe.seed}"]
    if isinstance(recipe, Recipe):
        tags += [f"student:{recipe.student}", "round:1", f"method:{recipe.methods[-1]}"]
    return tags


def _publish(
    store: Store, run: Run, recipe: Recipe | ModelsRecipe, done: Done, reused: int
) -> None:
    """What a person sees of the finished run in the UI.

    Keys hold the run's label, so that the UI lists its repetitions as versions of one thing.
    """
    scores = read_table(store, done["score"].parts["scores"], file=SCORES)
    label = slug(run.name)
    create_markdown_artifact(
        markdown_summary(run.run, recipe, scores, reused),
        key=f"summary-{label}",
        description=f"Means over target languages, of {run.run}",
    )
    create_table_artifact(
        score_rows(scores),
        key=f"scores-{label}",
        description=f"Headline scores in each language, of {run.run}",
    )
    _link(store, report_path(store, run.run), f"report-{label}", "Open the report")
    beside = f"runs/{run.run}/report/{METHODS_PAGE}"
    if store.get(beside) is not None:
        _link(store, beside, f"methods-{label}", "Open the comparison of methods")


def _link(store: Store, page: str, key: str, text: str) -> None:
    """A link to a page of a run's report."""
    base = os.environ.get("HOTFIXR_REPORTS_URL")
    create_link_artifact(
        f"{base.rstrip('/')}/{page}" if base else f"{store.uri}/{page}",
        link_text=text,
        key=key,
        description=f"Figures, tables and samples, of {page.split('/')[1]}",
    )
