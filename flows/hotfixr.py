"""HOTFIXR for one student, from seeds to a report."""

from __future__ import annotations

from prefect import flow

from flows.parent import StepName, overridden, run_recipe
from tasks.errors import BadInput
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe


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
    given = {
        "student": (student, ""),
        "evaluation.samples": (samples, 0),
        "seed": (seed, -1),
    }
    chosen = read_recipe(recipe, overridden(given))
    if not isinstance(chosen, Recipe):
        raise BadInput(f"recipe {recipe} lists models to compare; start benchmark-models with it")
    return run_recipe(chosen.with_items(items) if items else chosen, name, tuple(force))
