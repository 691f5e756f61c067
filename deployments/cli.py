"""The command line. Every error that a person can cause ends in one sentence and a code not 0."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from deployments import plan_command, run_commands, scoring_commands, store_commands
from deployments.stack import FIRST_PORTS, Stack, home, inner_doors
from deployments.terminal import say
from tasks.errors import BadInput, HotfixrError
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import read_recipe

app = typer.Typer(
    help="Find where a model is weak in some languages, mend it, and measure transfer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    run_commands.run,
    plan_command.plan,
    run_commands.step,
    run_commands.runs,
    run_commands.show,
    run_commands.diff,
    store_commands.gc,
    scoring_commands.score,
    scoring_commands.grade,
):
    app.command()(command)


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
    say(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")


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
    say("bucket, pools, automations and deployments are up to date")


@app.command()
def trigger(
    recipe: Annotated[str, typer.Argument(help="Name or URI of a recipe")] = "quickstart",
    force: Annotated[list[str], typer.Option(help="Step to compute again")] = [],  # noqa: B006
) -> None:
    """Start the deployment that a recipe is for, as the UI's button does, and wait."""
    from deployments.trigger import trigger_and_wait

    listed = isinstance(read_recipe(recipe), ModelsRecipe)
    flow = "benchmark-models" if listed else "hotfixr"  # compare-methods differs in its form only
    trigger_and_wait(flow, recipe, force, say)


@app.command()
def doctor(
    recipe: Annotated[str, typer.Argument(help="A recipe whose data and models to look for")] = "",
    workers: Annotated[bool, typer.Option(help="Ask workers to look at their machines")] = True,
) -> None:
    """Say what is wrong with server, workers, store and machine, and how to mend it."""
    from deployments.doctor import examine

    bad = False
    for finding in examine(recipe, workers):
        bad |= finding.level == "BAD"
        say(f"{finding.level:4} {finding.what}: {finding.found}")
        if finding.mend:
            say(f"     {finding.mend}")
    if bad:
        raise typer.Exit(1)


def _print_status(stack: Stack) -> None:
    for name, alive in stack.running().items():
        say(f"{name:16} {'runs' if alive else 'does not run'}")
    user, _, password = stack.settings["prefect_auth"].partition(":")
    say(f"UI        {stack.ui}  (it asks for the string {user}:{password})")
    say(f"reports   {stack.reports}/runs/RUN/report/index.html")
    say(f"store     {stack.environment['HOTFIXR_STORE']}")
    say(f"also      {inner_doors(stack)}")
    say("stop with hotfixr down")


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
        say(f"error: {error}", error=True)
        sys.exit(2 if isinstance(error, BadInput) else 1)


if __name__ == "__main__":
    main()
