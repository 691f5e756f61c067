"""hotfixr run, step, runs, show and diff: runs without a server, and looking at any run."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from deployments.difference_lines import difference_lines
from deployments.terminal import StoreOption, Terminal, chosen_store, say
from flows.here import run_here, run_node, write_node
from flows.pipeline import Node, pipeline
from flows.summary import print_means, sharing_said
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.errors import BadInput
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import parse_override, read_recipe, validated
from tasks.recipe import Recipe
from tasks.run_differences import Difference, changed_parts, changed_scores, changed_settings
from tasks.runs import Run, read_run, recorded_step, report_path, run_ids
from tasks.score import SCORES

NAMED = 6  # parts that a line names at most


def run(
    recipe: Annotated[str, typer.Argument(help="Name, path or URI of a recipe")],
    set_: Annotated[list[str], typer.Option("--set", help="Override: a.b=c")] = [],  # noqa: B006
    name: Annotated[str, typer.Option(help="A label for people")] = "",
    store: StoreOption = "",
    force: Annotated[list[str], typer.Option(help="Step to compute again")] = [],  # noqa: B006
) -> None:
    """Run the whole DAG in this process, without a server."""
    overrides = dict(parse_override(text) for text in set_)
    chosen = read_recipe(recipe, overrides)
    artifacts = chosen_store(store)
    _known_steps(chosen, force)
    run_id = run_here(artifacts, chosen, Terminal(), name, tuple(force))
    _print_scores(artifacts, run_id)
    if shared := sharing_said(chosen):
        say(shared)
    say(f"run {run_id}")
    say(f"report {artifacts.uri}/{report_path(artifacts, run_id)}")


def step(
    step: Annotated[str, typer.Argument(help="A step, or one of its roles: evaluate-student")],
    run: Annotated[str, typer.Option(help="Run id, or its beginning")],
    force: Annotated[bool, typer.Option(help="Compute it though it is there")] = False,
    store: StoreOption = "",
) -> None:
    """Run one step of a run again, in this process."""
    artifacts = chosen_store(store)
    known = read_run(artifacts, run)
    nodes = pipeline(validated(known.recipe))
    chosen = [node for node in nodes if step in {node.step, node.label}]
    if not chosen:
        raise BadInput(f"no step {step!r} in run {known.run}; it has {', '.join(known.labels)}")
    done = _recorded(artifacts, known, nodes)
    for node in chosen:
        _require(node, done, known)
        spec = write_node(artifacts, known.run, node, done, known.flow_run)
        done[node.label] = run_node(artifacts, known.run, node, spec, Terminal(), force)
    after = [node.label for node in nodes if any(one.label in node.needs for one in chosen)]
    if after:
        say(f"{', '.join(after)} read what this step gave; run them the same way")


def runs(store: StoreOption = "") -> None:
    """List the runs of the store, newest last."""
    artifacts = chosen_store(store)
    for run_id in run_ids(artifacts):
        known = read_run(artifacts, run_id)
        nodes = pipeline(validated(known.recipe))
        done = _recorded(artifacts, known, nodes)
        say(f"{run_id}  {len(done)} of {len(nodes)} steps  {known.name}")


def show(
    run: Annotated[str, typer.Argument(help="Run id or its beginning; empty: the newest")] = "",
    store: StoreOption = "",
) -> None:
    """Show a run: what each step resolved to, its scores, where its report is."""
    artifacts = chosen_store(store)
    known = read_run(artifacts, run or _newest(artifacts))
    for node in pipeline(validated(known.recipe)):
        resolved = recorded_step(artifacts, known.run, node.step, node.role)
        state = "missing" if resolved is None else f"{len(resolved.manifest.parts)} parts"
        say(f"{node.label:24} {state:12} {resolved.finished if resolved else ''}")
    _print_scores(artifacts, known.run)
    say(f"run {known.run}")
    if recorded_step(artifacts, known.run, "report", "main"):
        base = os.environ.get("HOTFIXR_REPORTS_URL", artifacts.uri)
        say(f"report {base}/{report_path(artifacts, known.run)}")


def diff(
    run: Annotated[str, typer.Argument(help="Run id, or its beginning")],
    other: Annotated[str, typer.Argument(help="The run that it is compared with")],
    every: Annotated[bool, typer.Option("--all", help="Every target and metric")] = False,
    store: StoreOption = "",
) -> None:
    """Compare two runs: settings, parts, and scores as RUN minus OTHER with intervals."""
    artifacts = chosen_store(store)
    one, two = (read_run(artifacts, name) for name in (run, other))
    say(f"A  {one.run}")
    say(f"B  {two.run}")
    _print_settings(changed_settings(one, two))
    for label, parts in changed_parts(artifacts, one, two).items():
        say(f"{label:24} {parts.told}")
        for name in parts.differing[:NAMED]:
            say(f"    {name}")
        if len(parts.differing) > NAMED:
            say(f"    and {len(parts.differing) - NAMED} more")
    scores = changed_scores(artifacts, one, two)
    for line in difference_lines(scores.rows, every):
        say(line)
    for note in scores.notes:
        say(f"note: {note}")


def _print_settings(changed: list[Difference]) -> None:
    say("settings are the same" if not changed else "settings that differ")
    for found in changed:
        say(f"    {found.what}: {found.one} | {found.other}")


def _known_steps(recipe: Recipe | ModelsRecipe, steps: list[str]) -> None:
    known = list(dict.fromkeys(node.step for node in pipeline(recipe)))
    for name in steps:
        if name not in known:
            raise BadInput(f"--force {name}: no such step; this recipe has {', '.join(known)}")


def _recorded(store: Store, run: Run, nodes: list[Node]) -> dict[str, Manifest]:
    found = {node.label: recorded_step(store, run.run, node.step, node.role) for node in nodes}
    return {label: one.manifest for label, one in found.items() if one is not None}


def _require(node: Node, done: dict[str, Manifest], run: Run) -> None:
    missing = [need for need in node.needs if need not in done]
    if missing:
        raise BadInput(
            f"{node.label} of run {run.run} needs {', '.join(missing)} first; run "
            f"`hotfixr step {missing[0]} --run {run.run}`"
        )


def _newest(store: Store) -> str:
    ids = run_ids(store)
    if not ids:
        raise BadInput(f"no run in {store.uri} yet; start one with: hotfixr run smoke")
    return ids[-1]


def _print_scores(store: Store, run: str) -> None:
    scored = recorded_step(store, run, "score", "main")
    if scored is None:
        return
    scores = read_table(store, scored.manifest.parts["scores"], file=SCORES)
    print_means(scores, say)
