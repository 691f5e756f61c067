"""The order of the steps, written once: what each needs, and how its spec is made.

hotfixr:          prepare-data, prepare-models -> train-generator -> generate-questions
                  -> label-questions -> train-student -> evaluate -> score -> report
benchmark-models: prepare-data, prepare-models -> evaluate (each model) -> score -> report
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel

from flows import specs
from flows.models import Done, pool
from tasks.recipe import ModelsRecipe, Recipe


@dataclass(frozen=True)
class Node:
    """One step of one run; its spec can be written once everything it needs is done."""

    step: str
    role: str  # "main", or which model: "base", "student", the name of a listed one
    needs: tuple[str, ...]
    spec: Callable[[Done], BaseModel]
    pool: str = "cpu"

    @property
    def label(self) -> str:
        """Unique within a run."""
        return self.step if self.role == "main" else f"{self.step}-{self.role}"


def pipeline(recipe: Recipe | ModelsRecipe) -> list[Node]:
    """The nodes of a recipe, each behind those that it needs."""
    nodes = [Node("prepare-data", "main", (), lambda done: specs.prepare_data(recipe))]
    models = specs.weighted(recipe)
    if models:
        nodes.append(Node("prepare-models", "main", (), lambda done: specs.prepare_models(models)))
    prepared = tuple(node.label for node in nodes)
    if isinstance(recipe, ModelsRecipe):
        nodes += _listed(recipe, prepared)
    else:
        nodes += _student(recipe, prepared)
    evaluated = tuple(node.label for node in nodes if node.step == "evaluate")
    nodes.append(Node("score", "main", evaluated, partial(specs.score, recipe)))
    reported = tuple(node.label for node in nodes if node.step in REPORTED)
    nodes.append(Node("report", "main", reported, partial(specs.report, recipe)))
    return nodes


REPORTED = ("train-generator", "generate-questions", "label-questions", "train-student", "score")


def _listed(recipe: ModelsRecipe, prepared: tuple[str, ...]) -> list[Node]:
    return [
        Node(
            "evaluate",
            one.name,
            prepared,
            partial(specs.evaluate_listed, recipe, one),
            specs.pool_of_listed(recipe, one),
        )
        for one in recipe.models
    ]


def _student(recipe: Recipe, prepared: tuple[str, ...]) -> list[Node]:
    """The student as it is, and with hotfixr as the new data makes it."""
    own = specs.pool_of_student(recipe)
    base = partial(specs.evaluate_student, recipe, "base")
    nodes = [Node("evaluate", "base", prepared, base, own)]
    if "hotfixr" in recipe.methods:
        nodes += _hotfixr(recipe, prepared)
        trained = partial(specs.evaluate_student, recipe, "student")
        needs = (*prepared, "train-student")
        nodes.append(Node("evaluate", "student", needs, trained, own))
    return nodes


def _hotfixr(recipe: Recipe, prepared: tuple[str, ...]) -> list[Node]:
    writer = pool(recipe.machine, recipe.generator or recipe.student)
    teacher = pool(recipe.machine, recipe.teacher or recipe.student)
    rows = (
        ("train-generator", prepared, specs.train_generator, "gpu"),
        (
            "generate-questions",
            ("prepare-data", "train-generator"),
            specs.generate_questions,
            writer,
        ),
        ("label-questions", (*prepared, "generate-questions"), specs.label_questions, teacher),
        ("train-student", (*prepared, "label-questions"), specs.train_student, "gpu"),
    )
    return [
        Node(step, "main", needs, partial(spec, recipe), pool) for step, needs, spec, pool in rows
    ]
