"""Where a variant's steps stand in the DAG: the roles of its nodes, shared where inputs are equal.

Two methods that take the same rows share the step that takes them, students share what no student
shapes, and a later round stands on the student that the one before gave.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.methods import Method, method_named
from tasks.methods.variants import Variant
from tasks.recipe import Recipe


@dataclass(frozen=True)
class Place:
    """The roles of the nodes that lead to one trained student."""

    student: str  # name of the student
    method: Method
    seed: int
    generator: str
    questions: str
    labels: str
    trained: str
    last: str | None  # label of the node that trained the round before

    @staticmethod
    def of(recipe: Recipe, variant: Variant) -> Place:
        """The place of a variant that is trained."""
        assert variant.seed is not None and variant.round is not None
        method, grid, seed = method_named(variant.method), recipe.grid, variant.seed

        def role(what: str, of_student: bool = True, number: int = variant.round or 1) -> str:
            student = variant.student if of_student else ""
            return grid.label(student, what, seed, number, alone="main")

        rows = method.name if method.questions == "generator" else str(method.questions)
        shaped = _shaped_by_student(recipe, method)
        asked = method.labels == "teacher"
        labelled = rows if asked else f"{rows}-own"
        last = role(method.name, number=variant.round - 1) if variant.round > 1 else None
        return Place(
            student=variant.student,
            method=method,
            seed=seed,
            generator=role(rows),
            questions=role(rows, shaped),
            labels=role(labelled, shaped or (asked and not recipe.teacher)),
            trained=role(method.name),
            last=None if last is None else node_label("train-student", last),
        )

    def node(self, step: str) -> str:
        """The label of this place's node of a step."""
        roles = {
            "train-generator": self.generator,
            "generate-questions": self.questions,
            "label-questions": self.labels,
            "train-student": self.trained,
        }
        return node_label(step, roles[step])

    def validated_on(self, recipe: Recipe) -> str | None:
        """The node whose grades tell of the rewards; None in later rounds, or without a table."""
        if self.last is not None or not recipe.validated:
            return None
        return node_label("evaluate", recipe.grid.name(self.student, "base"))


def node_label(step: str, role: str) -> str:
    """Unique within a run."""
    return step if role == "main" else f"{step}-{role}"


def _shaped_by_student(recipe: Recipe, method: Method) -> bool:
    """Whether a method's rows are other ones for another student."""
    if method.questions == "untrained":
        return not recipe.generator
    if method.questions == "teacher":
        return not recipe.teacher
    return method.questions in {"generator", "filtered", "mistakes"}
