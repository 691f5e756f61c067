"""The smallest recipe that has every step, and what a run of it comes to when nothing happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from flows.here import run_here, run_node, write_node
from flows.pipeline import Node, pipeline
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe
from tasks.runs import new_run_id, recorded_step, start_run
from tests.silent import Silent

MINI: dict[str, Any] = {
    "name": "mini",
    "languages": ["en", "fr"],
    "benchmarks": [{"name": "facts", "items": 6}],
    "questions.keep": 4,
    "scoring.resamples": 50,
}
EVALUATED: dict[str, Any] = {"name": "evaluated", "languages": ["en", "de", "ja"]}


def mini(**changes: Any) -> Recipe | ModelsRecipe:
    """Every step: one benchmark in two languages."""
    return read_recipe("smoke", MINI | changes)


def evaluation(items: int = 60, **changes: Any) -> Recipe | ModelsRecipe:
    """No training: a simulated model on a few benchmarks in three languages."""
    benchmarks = [{"name": "facts", "items": 20}, {"name": "sums", "items": items}]
    given = EVALUATED | {"benchmarks": benchmarks, "evaluation.samples": 4} | changes
    return read_recipe("simulated", given)


def scores(store: Store, run: str) -> list[dict[str, Any]]:
    """Every number that a run came to."""
    found = recorded_step(store, run, "score", "main")
    assert found is not None
    table = read_table(store, found.manifest.parts["scores"], file="scores.parquet")
    return table.to_pylist()


def undisturbed(store: Store, recipe: Recipe | ModelsRecipe) -> list[dict[str, Any]]:
    """The scores of a run to which nothing happens."""
    return scores(store, run_here(store, recipe, Silent()))


def attempts(store: Store, step: str) -> dict[str, list[str]]:
    """Digest of each part of a step -> attempts that have data, published or not."""
    found: dict[str, list[str]] = {}
    for path in store.list(f"parts/{step}"):
        _, _, digest, *rest = path.split("/")
        if rest[-1] == "data.parquet":
            found.setdefault(digest, []).append(rest[0])
    return found


def step_by_step(
    store: Store,
    recipe: Recipe | ModelsRecipe,
    through: Callable[[Node, Callable[..., Manifest]], Manifest],
) -> str:
    """Run a recipe here; `through` gets each node and a call that runs it. The run's id."""
    run, nodes = new_run_id(recipe.name), pipeline(recipe)
    labels = [node.label for node in nodes]
    start_run(store, run, recipe.name, recipe.model_dump(mode="json"), labels)
    done: dict[str, Manifest] = {}
    for node in nodes:
        spec = write_node(store, run, node, done)

        def call(force: bool = False, node: Node = node, spec: str = spec) -> Manifest:
            return run_node(store, run, node, spec, Silent(), force)

        done[node.label] = through(node, call)
    return run


def child() -> psutil.Process | None:
    """The compute process of this one, if there is one now."""
    for process in psutil.Process().children():
        try:
            if "--holder" in process.cmdline():
                return process
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return None


@contextmanager
def killed_after(seconds: float) -> Iterator[list[int]]:
    """SIGKILL for the next compute process, so many seconds after it began; whom it has hit."""
    hit: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            found = child()
            if found is not None and time.time() - found.create_time() >= seconds:
                found.kill()
                hit.append(found.pid)
                return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield hit
    finally:
        over.set()
        thread.join()
