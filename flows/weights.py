"""Which weights and engine a step gets, and in which pool it therefore runs."""

from __future__ import annotations

from flows.graders import pool_of_graders, weighted_graders
from flows.models import ELSEWHERE, Done, heavier, model_of, pool
from flows.places import Place
from tasks.artifacts.records import Part
from tasks.methods.variants import Variant
from tasks.model_list import ListedModel, ModelsRecipe
from tasks.models.references import Reference, parse_reference
from tasks.recipe import Recipe


def weighted(recipe: Recipe | ModelsRecipe) -> list[Reference]:
    """The models of a recipe that have weights, each once."""
    if isinstance(recipe, ModelsRecipe):
        played = recipe.machine.engine == "simulated"
        texts = [] if played else [one.model for one in recipe.models]
    else:
        asked = (recipe.generator, recipe.teacher) if recipe.trains else ()
        texts = [text for text in (*recipe.student_models.values(), *asked) if text]
    references = map(parse_reference, [*texts, *weighted_graders(recipe)])
    return list(dict.fromkeys(one for one in references if one.kind not in ELSEWHERE))


def trained_part(recipe: Recipe, variant: Variant, done: Done) -> Part | None:
    """The weights of a trained variant; None for one that is not trained."""
    if variant.seed is None:
        return None
    return done[Place.of(recipe, variant).node("train-student")].parts["student"]


def student_by_now(recipe: Recipe, at: Place, done: Done) -> Part:
    """What the round before gave, or the untouched student."""
    if at.last is not None:
        return done[at.last].parts["student"]
    return required(recipe.student_models[at.student], done)


def required(reference: str, done: Done) -> Part:
    """The weights of a model that is trained."""
    part = model_of(reference, done)
    assert part is not None, "the recipe refuses to train what has no weights"
    return part


def writer(recipe: Recipe, at: Place) -> str:
    """The model that writes a method's questions; empty where nobody does."""
    student = recipe.student_models[at.student]
    if at.method.questions in {"generator", "untrained"}:
        return recipe.generator or student
    if at.method.questions in {"teacher", "mistakes"}:
        return recipe.teacher or student
    return ""


def pool_of_step(recipe: Recipe, step: str, at: Place) -> str:
    """Where a step of a place runs."""
    student = recipe.student_models[at.student]
    if step == "train-student":
        return "gpu"
    if step == "label-questions":
        asked = at.method.labels == "teacher"
        return pool(recipe.machine, recipe.teacher or student) if asked else "cpu"
    if at.method.questions == "filtered":
        return "gpu"
    model = writer(recipe, at)
    return heavier(*(pool(recipe.machine, one) for one in (model, student))) if model else "cpu"


def pool_of_variant(recipe: Recipe, variant: Variant) -> str:
    """Where a variant is evaluated, and judged."""
    own = pool(recipe.machine, recipe.student_models[variant.student])
    return heavier(own, pool_of_graders(recipe))


def pool_of_listed(recipe: ModelsRecipe, one: ListedModel) -> str:
    """Where one model of a list is evaluated, and judged."""
    own = "cpu" if recipe.plays(one) else pool(one.machine or recipe.machine, one.model)
    return heavier(own, pool_of_graders(recipe))
