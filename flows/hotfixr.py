"""HOTFIXR for one student, from seeds to a report."""

from __future__ import annotations

from prefect import flow

from flows.forms import Approve, Count, Languages, Seed, Steps, StudentRecipe
from flows.parent import overridden, run_recipe
from tasks.errors import BadInput
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe


@flow(name="hotfixr")
def hotfixr(
    recipe: StudentRecipe = "quickstart",
    name: str = "",
    student: str = "",
    languages: Languages = [],  # noqa: B006  Prefect reads it for its form and never changes it
    samples: Count = 0,
    items: Count = 0,
    seed: Seed = -1,
    settings: list[str] = [],  # noqa: B006
    force: Steps = [],  # noqa: B006
    approve: Approve = "never",
) -> str:
    """Run HOTFIXR from seeds to a report, for one recipe.

    Args:
        recipe: What to run: a recipe that comes along, or where one of your own lies.
        name: A label for people; empty for the recipe's name.
        student: The model to improve, such as hf:ORG/NAME@COMMIT; empty for the recipe's.
        languages: Languages to evaluate in, the source among them; none for the recipe's.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything random; -1 for the recipe's.
        settings: Any other setting of the recipe, each as evaluation.temperature=0.7
        force: Steps to compute again though they are there; what reads them follows.
        approve: Stop for a person's Resume once the plan, or the questions, can be seen.
    """
    given = {
        "student": (student, ""),
        "languages": (languages, []),
        "evaluation.samples": (samples, 0),
        "seed": (seed, -1),
    }
    chosen = read_recipe(recipe, overridden(given, settings))
    if not isinstance(chosen, Recipe):
        raise BadInput(f"recipe {recipe} lists models to compare; start benchmark-models with it")
    chosen = chosen.with_items(items) if items else chosen
    return run_recipe(chosen, name, tuple(force), approve)
