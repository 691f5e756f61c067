"""Ways of getting training rows against each other: students x methods x seeds x rounds."""

from __future__ import annotations

from prefect import flow, get_run_logger

from flows.forms import Approve, Count, Methods, Seed, Steps, StudentRecipe
from flows.parent import overridden, run_recipe
from flows.summary import sharing_said
from tasks.errors import BadInput
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe


@flow(name="compare-methods")
def compare_methods(
    recipe: StudentRecipe = "methods",
    name: str = "",
    methods: Methods = [],  # noqa: B006  Prefect reads it for its form and never changes it
    training_seeds: list[int] = [],  # noqa: B006
    rounds: Count = 0,
    samples: Count = 0,
    items: Count = 0,
    seed: Seed = -1,
    settings: list[str] = [],  # noqa: B006
    force: Steps = [],  # noqa: B006
    approve: Approve = "never",
) -> str:
    """Train students on rows from several methods and compare them under one evaluation.

    Args:
        recipe: What to run: a recipe that comes along, or where one of your own lies.
        name: A label for people; empty for the recipe's name.
        methods: Methods beside the untouched student, which is always there; none for the recipe's.
        training_seeds: Seeds to train with, each giving a student; none for the recipe's.
        rounds: How often a trained generator is followed by a fresh one; 0 for the recipe's number.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything else that is random; -1 for the recipe's.
        settings: Any other setting of the recipe, each as evaluation.temperature=0.7
        force: Steps to compute again though they are there; what reads them follows.
        approve: Stop for a person's Resume once the plan, or the questions, can be seen.
    """
    given = {
        "methods": (["base", *methods] if methods else [], []),
        "training_seeds": (training_seeds, []),
        "rounds": (rounds, 0),
        "evaluation.samples": (samples, 0),
        "seed": (seed, -1),
    }
    chosen = read_recipe(recipe, overridden(given, settings))
    if not isinstance(chosen, Recipe):
        raise BadInput(f"recipe {recipe} lists models to compare; start benchmark-models with it")
    chosen = chosen.with_items(items) if items else chosen
    get_run_logger().info(sharing_said(chosen) or "no two methods, students or seeds share a step")
    return run_recipe(chosen, name, tuple(force), approve)
