"""The command line. Every error that a person can cause ends in one sentence and a code not 0."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer

from deployments import scoring_commands
from deployments.stack import FIRST_PORTS, Stack, home, open_doors
from flows.here import run_here, run_node, write_node
from flows.pipeline import Node, pipeline
from flows.summary import print_means
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store, configured_store, open_store
from tasks.errors import BadInput, HotfixrError
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import parse_override, read_recipe, validated
from tasks.recipe import Recipe
from tasks.runs import Run, read_run, recorded_step, report_path, run_ids
from tasks.score import SCORES

app = typer.Typer(
    help="Find where a model is weak in some languages, mend it, and measure transfer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
StoreOption = Annotated[str, typer.Option("--store", help="s3://BUCKET/PREFIX or file:///FOLDER")]
PROGRESS_EVERY = 10.0  # seconds between progress lines


class Terminal:
    """What a run says on the terminal."""

    def __init__(self) -> None:
        self._since = self._last = time.monotonic()

    def started(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        self._since = time.monotonic()
        typer.echo(f"{node.label}: started")

    def reused(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        typer.echo(f"{node.label}: reused")

    def finished(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        typer.echo(f"{node.label}: done in {time.monotonic() - self._since:.1f} s")

    def progress(self, done: int, total: int, what: str) -> None:
        """See `flows.here.Watcher`."""
        if time.monotonic() - self._last > PROGRESS_EVERY:
            self._last = time.monotonic()
            typer.echo(f"    {done} of {total}: {what}")


@app.command()
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
    artifacts = _store(store)
    _known_steps(chosen, force)
    run_id = run_here(artifacts, chosen, Terminal(), name, tuple(force))
    _print_scores(artifacts, run_id)
    typer.echo(f"run {run_id}")
    typer.echo(f"report {artifacts.uri}/{report_path(artifacts, run_id)}")


@app.command()
def step(
    step: Annotated[str, typer.Argument(help="A step, or one of its roles: evaluate-student")],
    run: Annotated[str, typer.Option(help="Run id, or its beginning")],
    force: Annotated[bool, typer.Option(help="Compute it though it is there")] = False,
    store: StoreOption = "",
) -> None:
    """Run one step of a run again, in this process."""
    artifacts = _store(store)
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
        typer.echo(f"{', '.join(after)} read what this step gave; run them the same way")


@app.command()
def runs(store: StoreOption = "") -> None:
    """List the runs of the store, newest last."""
    artifacts = _store(store)
    for run_id in run_ids(artifacts):
        known = read_run(artifacts, run_id)
        nodes = pipeline(validated(known.recipe))
        done = _recorded(artifacts, known, nodes)
        typer.echo(f"{run_id}  {len(done)} of {len(nodes)} steps  {known.name}")


@app.command()
def show(
    run: Annotated[str, typer.Argument(help="Run id or its beginning; empty: the newest")] = "",
    store: StoreOption = "",
) -> None:
    """Show a run: what each step resolved to, its scores, where its report is."""
    artifacts = _store(store)
    known = read_run(artifacts, run or _newest(artifacts))
    for node in pipeline(validated(known.recipe)):
        resolved = recorded_step(artifacts, known.run, node.step, node.role)
        state = "missing" if resolved is None else f"{len(resolved.manifest.parts)} parts"
        typer.echo(f"{node.label:24} {state:12} {resolved.finished if resolved else ''}")
    _print_scores(artifacts, known.run)
    typer.echo(f"run {known.run}")
    if recorded_step(artifacts, known.run, "report", "main"):
        base = os.environ.get("HOTFIXR_REPORTS_URL", artifacts.uri)
        typer.echo(f"report {base}/{report_path(artifacts, known.run)}")


app.command()(scoring_commands.score)
app.command()(scoring_commands.grade)


@app.command()
def up(
    prefect_port: Annotated[int, typer.Option(help="Of the UI")] = FIRST_PORTS["prefect"],
    s3_port: Annotated[int, typer.Option(help="Of the store")] = FIRST_PORTS["s3"],
    reports_port: Annotated[int, typer.Option(help="Of the reports")] = FIRST_PORTS["reports"],
) -> None:
    """Start the local stack: store, Prefect server, workers, reports. All on loopback."""
    stack = Stack(home())
    stack.create({"prefect": prefect_port, "s3": s3_port, "reports": reports_port})
    os.environ.update(stack.environment)
    stack.up()
    _print_status(stack)


@app.command()
def down() -> None:
    """Stop the local stack; data stays."""
    stopped = Stack(home()).down()
    typer.echo(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")


@app.command()
def status() -> None:
    """Say what runs, and where."""
    stack = Stack(home())
    _print_status(stack)
    if not all(stack.running().values()):
        raise typer.Exit(1)


@app.command()
def deploy() -> None:
    """Bring bucket, pools, automations and deployments of the configured server up to date."""
    from deployments.bootstrap import make_ready

    make_ready()
    typer.echo("bucket, pools, automations and deployments are up to date")


@app.command()
def trigger(
    recipe: Annotated[str, typer.Argument(help="Name or URI of a recipe")] = "quickstart",
    force: Annotated[list[str], typer.Option(help="Step to compute again")] = [],  # noqa: B006
) -> None:
    """Start the deployment that a recipe is for, as the UI's button does, and wait."""
    from deployments.trigger import trigger_and_wait

    listed = isinstance(read_recipe(recipe), ModelsRecipe)
    flow = "benchmark-models" if listed else "hotfixr"  # compare-methods differs in its form only
    trigger_and_wait(flow, recipe, force, typer.echo)


@app.command()
def doctor() -> None:
    """Say what is wrong with server, workers, store and machine, and how to mend it."""
    from deployments.doctor import examine

    findings = examine()
    for finding in findings:
        typer.echo(f"{'ok  ' if finding.ok else 'BAD '} {finding.what}: {finding.found}")
        if not finding.ok:
            typer.echo(f"     {finding.mend}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _store(uri: str) -> Store:
    return open_store(uri) if uri else configured_store()


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
    print_means(scores, typer.echo)


def _print_status(stack: Stack) -> None:
    for name, alive in stack.running().items():
        typer.echo(f"{name:16} {'runs' if alive else 'does not run'}")
    user, _, password = stack.settings["prefect_auth"].partition(":")
    typer.echo(f"UI        {stack.ui}  (it asks for the string {user}:{password})")
    typer.echo(f"reports   {stack.reports}/runs/RUN/report/index.html")
    typer.echo(f"store     {stack.environment['HOTFIXR_STORE']}")
    typer.echo(f"also open {open_doors(stack)}")
    typer.echo("stop with hotfixr down")


def main() -> None:
    """Run the command line."""
    stack = Stack(home())
    if stack.known:
        for name, value in stack.environment.items():
            os.environ.setdefault(name, value)
    try:
        app()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except HotfixrError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2 if isinstance(error, BadInput) else 1)


if __name__ == "__main__":
    main()
