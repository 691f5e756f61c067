"""Models against each other: evaluate, score with HAT, report."""

from __future__ import annotations

from prefect import flow

from flows.forms import ApprovePlan, Count, Languages, ListRecipe, Seed, Steps
from flows.parent import overridden, run_recipe
from tasks.errors import BadInput
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import read_recipe


@flow(name="benchmark-models")
def benchmark_models(
    recipe: ListRecipe = "simulated-models",
    name: str = "",
    models: list[str] = [],  # noqa: B006  Prefect reads it for its form and never changes it
    languages: Languages = [],  # noqa: B006
    samples: Count = 0,
    items: Count = 0,
    seed: Seed = -1,
    settings: list[str] = [],  # noqa: B006
    force: Steps = [],  # noqa: B006
    approve: ApprovePlan = "never",
) -> str:
    """Evaluate a list of models on the same items and score their cross-lingual transfer.

    Args:
        recipe: What to run: a list that comes along, or where one of your own lies.
        name: A label for people; empty for the recipe's name.
        models: Names of the listed models to take; none for all of them.
        languages: Languages to evaluate in, the source among them; none for the recipe's.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything random; -1 for the recipe's.
        settings: Any other setting of the recipe, each as evaluation.temperature=0.7
        force: Steps to compute again though they are there; what reads them follows.
        approve: Stop for a person's Resume once the plan can be seen.
    """
    given = {
        "languages": (languages, []),
        "evaluation.samples": (samples, 0),
        "seed": (seed, -1),
    }
    chosen = read_recipe(recipe, overridden(given, settings))
    if not isinstance(chosen, ModelsRecipe):
        raise BadInput(f"recipe {recipe} has no list of models; start hotfixr with it")
    chosen = chosen.with_models(models) if models else chosen
    chosen = chosen.with_items(items) if items else chosen
    return run_recipe(chosen, name, tuple(force), approve)
