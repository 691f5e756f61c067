"""Models against each other: evaluate, score with HAT, report."""

from __future__ import annotations

from prefect import flow

from flows.parent import StepName, overridden, run_recipe
from tasks.errors import BadInput
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import read_recipe


@flow(name="benchmark-models")
def benchmark_models(
    recipe: str = "simulated-models",
    name: str = "",
    models: list[str] = [],  # noqa: B006  Prefect reads it for its form and never changes it
    samples: int = 0,
    items: int = 0,
    seed: int = -1,
    force: list[StepName] = [],  # noqa: B006
) -> str:
    """Evaluate a list of models on the same items and score their cross-lingual transfer.

    Args:
        recipe: Name of a bundled recipe (simulated-models, hat-paper), or its URI.
        name: A label for people; empty for the recipe's name.
        models: Names of the listed models to take; empty for all of them.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything random; -1 for the recipe's.
        force: Steps to compute again though they are there; what reads them follows.
    """
    given = {"evaluation.samples": (samples, 0), "seed": (seed, -1)}
    chosen = read_recipe(recipe, overridden(given))
    if not isinstance(chosen, ModelsRecipe):
        raise BadInput(f"recipe {recipe} has no list of models; start hotfixr with it")
    chosen = chosen.with_models(models) if models else chosen
    return run_recipe(chosen.with_items(items) if items else chosen, name, tuple(force))
