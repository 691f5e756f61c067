"""hotfixr plan: what a recipe takes, before anything is spent."""

from __future__ import annotations

from typing import Annotated

import typer

from deployments.terminal import StoreOption, chosen_store, say
from flows.planning import Planner, StepPlan, left_of, short, usual_device
from tasks.devices import DEVICES, device_named
from tasks.estimate import duration
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import parse_override, read_recipe
from tasks.recipe import Recipe


def plan(
    recipe: Annotated[str, typer.Argument(help="Name, path or URI of a recipe")],
    set_: Annotated[list[str], typer.Option("--set", help="Override: a.b=c")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help=f"One of {', '.join(DEVICES)}")] = "",
    price: Annotated[float | None, typer.Option(help="Money an hour of one device")] = None,
    store: StoreOption = "",
) -> None:
    """Say what a recipe takes: methods, steps, what is done, tokens, hours, storage, money."""
    chosen = read_recipe(recipe, dict(parse_override(text) for text in set_))
    used = device_named(device) if device else usual_device(chosen)
    planner = Planner(chosen_store(store), chosen, used, used.price if price is None else price)
    steps = list(planner.steps())
    say(_compared(chosen))
    say(f"{'step':38} {'state':12} {'tokens':>8} {'time':>8} {'devices':>7} {'money':>9}  from")
    for step in steps:
        say(_line(step))
    _totals(steps, planner)
    say("on other devices, without what is done:")
    for other in DEVICES.values():
        _other(planner, other.name)


def _compared(recipe: Recipe | ModelsRecipe) -> str:
    if isinstance(recipe, ModelsRecipe):
        return f"{len(recipe.models)} models: {', '.join(one.name for one in recipe.models)}"
    grid = recipe.grid
    return (
        f"{len(grid.students)} students ({', '.join(recipe.student_models.values())}), methods "
        f"{', '.join(recipe.methods)}, seeds {', '.join(map(str, grid.seeds))}, "
        f"{recipe.rounds} rounds: {len(list(grid.variants()))} evaluated models"
    )


def _line(step: StepPlan) -> str:
    state = "done" if step.done else "to do"
    time = "unknown" if step.seconds is None else duration(step.seconds)
    money = "unknown" if step.money is None else f"{step.money:.2f}"
    return (
        f"{step.label:38} {state:12} {short(step.tokens):>8} {time:>8} "
        f"{step.devices or '-':>7} {money:>9}  {step.known}"
    )


def _totals(steps: list[StepPlan], planner: Planner) -> None:
    left = left_of(steps)
    say(f"{sum(step.done for step in steps)} of {len(steps)} steps are done")
    say(f"left: {short(left.tokens)} tokens, {duration(left.seconds)} one step after the other")
    say(
        f"      {left.device_seconds / 3600.0:.1f} {planner.device.name} hours, "
        f"{left.money:.2f} US dollars at {planner.price:g} an hour"
    )
    say(f"storage: about {planner.storage() / 1e9:.1f} GB")
    if left.unknown:
        say(f"not counted, as nobody can say: {', '.join(left.unknown)}")


def _other(planner: Planner, name: str) -> None:
    device = device_named(name)
    steps = list(Planner(planner.store, planner.recipe, device, device.price).steps())
    estimated = (step for step in steps if step.known == "estimate")
    hours = left_of(estimated).device_seconds / 3600.0
    say(f"    {name:6} {hours:10.1f} hours {hours * device.price:10.2f} US dollars")
