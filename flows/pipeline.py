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

from flows import specs, training_specs
from flows.models import Done
from flows.places import Place, node_label
from flows.weights import pool_of_listed, pool_of_step, pool_of_variant, weighted
from tasks.methods.variants import Variant
from tasks.model_list import ModelsRecipe
from tasks.recipe import Recipe


@dataclass(frozen=True)
class Node:
    """One step of one run; its spec can be written once everything it needs is done."""

    step: str
    role: str  # "main", or which model: "base", "student", the name of a listed one
    needs: tuple[str, ...]
    spec: Callable[[Done], BaseModel]
    pool: str = "cpu"
    runs: int = 1  # that share its parts, when it is dispatched

    @property
    def label(self) -> str:
        """Unique within a run."""
        return node_label(self.step, self.role)


def pipeline(recipe: Recipe | ModelsRecipe) -> list[Node]:
    """The nodes of a recipe, each behind those that it needs."""
    nodes = [Node("prepare-data", "main", (), lambda done: specs.prepare_data(recipe))]
    models = weighted(recipe)
    if models:
        nodes.append(Node("prepare-models", "main", (), lambda done: specs.prepare_models(models)))
    prepared = tuple(node.label for node in nodes)
    if isinstance(recipe, ModelsRecipe):
        nodes += _listed(recipe, prepared)
    else:
        nodes += _variants(recipe, prepared)
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
            pool_of_listed(recipe, one),
            recipe.workers,
        )
        for one in recipe.models
    ]


def _variants(recipe: Recipe, prepared: tuple[str, ...]) -> list[Node]:
    """Every evaluated model and what it needs; what several of them need is one node."""
    nodes: dict[str, Node] = {}
    for variant in recipe.grid.variants():
        trained = []
        if variant.seed is not None:
            trained = _training(recipe, variant, prepared)
        needs = (*prepared, *(node.label for node in trained[-1:]))
        spec = partial(specs.evaluate_variant, recipe, variant)
        pool = pool_of_variant(recipe, variant)
        evaluate = Node("evaluate", variant.label, needs, spec, pool, recipe.workers)
        for node in [*trained, evaluate]:
            nodes.setdefault(node.label, node)
    return list(nodes.values())


def sharing_saved(recipe: Recipe | ModelsRecipe) -> int:
    """How many part computations methods, students and seeds spare by taking the same rows."""
    if isinstance(recipe, ModelsRecipe):
        return 0
    trained = [one for one in recipe.grid.variants() if one.seed is not None]
    labels = [node.label for one in trained for node in _training(recipe, one, ())]
    return len(labels) - len(set(labels))  # each of these steps has one part


def _training(recipe: Recipe, variant: Variant, prepared: tuple[str, ...]) -> list[Node]:
    """The steps from rows to a trained student, in their order."""
    at = Place.of(recipe, variant)
    last = () if at.last is None else (at.last,)
    nodes = []
    if at.method.questions == "generator":
        base = at.validated_on(recipe)
        nodes.append(
            Node(
                "train-generator",
                at.generator,
                (*prepared, *last, *((base,) if base else ())),
                partial(training_specs.train_generator, recipe, at),
                "gpu",
            )
        )
    written = (*prepared, *(node.label for node in nodes))
    steps = (
        ("generate-questions", at.questions, written, training_specs.generate_questions),
        (
            "label-questions",
            at.labels,
            (*prepared, at.node("generate-questions")),
            training_specs.label_questions,
        ),
        (
            "train-student",
            at.trained,
            (*prepared, *last, at.node("label-questions")),
            training_specs.train_student,
        ),
    )
    for step, role, needs, spec in steps:
        pool = pool_of_step(recipe, step, at)
        nodes.append(Node(step, role, needs, partial(spec, recipe, at), pool))
    return nodes
