"""Ways of getting training rows against each other: students x methods x seeds x rounds."""

from __future__ import annotations

from typing import Literal

from prefect import flow

from flows.parent import StepName, overridden, run_recipe
from tasks.errors import BadInput
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe

# Prefect's form needs the literal; a test holds it equal to METHODS.
MethodName = Literal[
    "base",
    "eng-reason",
    "selection-gt",
    "selection-gen",
    "filtered",
    "mcot",
    "untrained",
    "dataenvgym",
    "distillation",
    "hotfixr",
    "format-only",
    "format-lai",
    "format-lsi",
]


@flow(name="compare-methods")
def compare_methods(
    recipe: str = "methods",
    name: str = "",
    methods: list[MethodName] = [],  # noqa: B006  Prefect reads it for its form, never changes it
    training_seeds: list[int] = [],  # noqa: B006
    rounds: int = 0,
    samples: int = 0,
    items: int = 0,
    seed: int = -1,
    force: list[StepName] = [],  # noqa: B006
) -> str:
    """Train students on rows from several methods and compare them under one evaluation.

    Args:
        recipe: Name of a bundled recipe (methods, paper-qwen-7b, ...), or its URI.
        name: A label for people; empty for the recipe's name.
        methods: Methods to compare; empty for the recipe's. The untouched student is always there.
        training_seeds: Seeds to train with, each a student of its own; empty for the recipe's.
        rounds: How often a trained generator is followed by a fresh one; 0 for the recipe's number.
        samples: Answers per item and language; 0 for the recipe's number.
        items: Items per benchmark and language; 0 for the recipe's number.
        seed: Of everything else that is random; -1 for the recipe's.
        force: Steps to compute again though they are there; what reads them follows.
    """
    given = {
        "methods": (["base", *methods] if methods else [], []),
        "training_seeds": (training_seeds, []),
        "rounds": (rounds, 0),
        "evaluation.samples": (samples, 0),
        "seed": (seed, -1),
    }
    chosen = read_recipe(recipe, overridden(given))
    if not isinstance(chosen, Recipe):
        raise BadInput(f"recipe {recipe} lists models to compare; start benchmark-models with it")
    return run_recipe(chosen.with_items(items) if items else chosen, name, tuple(force))
