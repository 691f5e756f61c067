"""The whole DAG in this process, without a server; compute steps in processes of their own."""

from __future__ import annotations

from typing import Any, Protocol

from flows.pipeline import Node, pipeline
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.compute.environment import package_version
from tasks.compute.specs import SpecFile, write_spec
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import asked_on
from tasks.recipe import Recipe
from tasks.run_step import compute, reuse
from tasks.runs import day_of, new_run_id, record_step, recorded_step, start_run


class Watcher(Protocol):
    """What a person sees of a run."""

    def started(self, node: Node) -> None:
        """A step begins."""

    def reused(self, node: Node) -> None:
        """A step needs no work."""

    def finished(self, node: Node) -> None:
        """A step is done."""

    def progress(self, done: int, total: int, what: str) -> None:
        """How far the present step is."""


def run_here(
    store: Store,
    recipe: Recipe | ModelsRecipe,
    watcher: Watcher,
    name: str = "",
    force: tuple[str, ...] = (),
) -> str:
    """Run a recipe from data to report; its run id. Raises the failing step's HotfixrError."""
    run = new_run_id(name or recipe.name)
    recipe = asked_on(recipe, day_of(run))
    nodes = pipeline(recipe)
    start_run(
        store,
        run,
        name or recipe.name,
        recipe.model_dump(mode="json"),
        [node.label for node in nodes],
    )
    done: dict[str, Manifest] = {}
    for node in nodes:
        path = write_node(store, run, node, done)
        done[node.label] = run_node(store, run, node, path, watcher, node.step in force)
    return run


def write_node(
    store: Store,
    run: str,
    node: Node,
    done: dict[str, Manifest],
    parent: str | None = None,
    sharers: int = 1,
) -> str:
    """Write the spec of a node whose needs are done; its path."""
    spec = node.spec(done)
    file: SpecFile[Any] = SpecFile(
        package=package_version(),
        run=run,
        step=node.step,
        label=node.role,
        parent=parent,
        sharers=sharers,
        spec=spec,
    )
    return write_spec(store, file)


def run_node(
    store: Store, run: str, node: Node, spec: str, watcher: Watcher, force: bool
) -> Manifest:
    """Reuse or compute one node and record what the run resolved it to."""
    manifest = None if force else reuse(store, node.step, spec)
    if manifest is not None:
        watcher.reused(node)
    else:
        watcher.started(node)
        manifest = compute(store, node.step, spec, watcher, force)
        watcher.finished(node)
    record_step(store, run, node.step, node.role, spec, manifest)
    return manifest


def resolved(store: Store, run: str, node: Node) -> Manifest | None:
    """What this run resolved the node to before, if it did."""
    known = recorded_step(store, run, node.step, node.role)
    return None if known is None else known.manifest
