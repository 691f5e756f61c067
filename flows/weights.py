"""Which weights and engine a step gets, and in which pool it therefore runs."""

from __future__ import annotations

from flows.done import Done
from flows.places import Place
from tasks.artifacts.records import Part
from tasks.methods.variants import Variant
from tasks.model_list import ListedModel, ModelsRecipe
from tasks.models.machine import EngineSettings, Machine
from tasks.models.references import Reference, parse_reference
from tasks.recipe import Recipe

ELSEWHERE = ("simulated", "endpoint")  # kinds of models that have no weights here


def weighted(recipe: Recipe | ModelsRecipe) -> list[Reference]:
    """The models of a recipe that have weights, each once."""
    if isinstance(recipe, ModelsRecipe):
        played = recipe.machine.engine == "simulated"
        texts = [] if played else [one.model for one in recipe.models]
    else:
        asked = (recipe.generator, recipe.teacher) if recipe.trains else ()
        texts = [text for text in (*recipe.student_models.values(), *asked) if text]
    references = map(parse_reference, texts)
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


def model_part(reference: str, done: Done) -> Part | None:
    """The mirrored weights of a model; None where there are none here."""
    if parse_reference(reference).kind in ELSEWHERE:
        return None
    return done["prepare-models"].parts[str(parse_reference(reference))]


def required(reference: str, done: Done) -> Part:
    """The weights of a model that is trained."""
    part = model_part(reference, done)
    assert part is not None, "the recipe refuses to train what has no weights"
    return part


def engine_for(machine: Machine, reference: str, role: str) -> EngineSettings:
    """The machine's engine; a model without weights here has its own, and is named to it."""
    model = parse_reference(reference)
    if model.kind not in ELSEWHERE:
        return EngineSettings(**machine.model_dump(), profile=role)
    return EngineSettings(**machine.model_dump() | {"engine": model.kind}, profile=model.name)


def writer(recipe: Recipe, at: Place) -> str:
    """The model that writes a method's questions; empty where nobody does."""
    student = recipe.student_models[at.student]
    if at.method.questions in {"generator", "untrained"}:
        return recipe.generator or student
    if at.method.questions in {"teacher", "mistakes"}:
        return recipe.teacher or student
    return ""


def pool_of(machine: Machine, reference: str) -> str:
    """Where an engine runs: only one that holds weights needs a device."""
    light = machine.engine in ELSEWHERE or parse_reference(reference).kind in ELSEWHERE
    return "cpu" if light else "gpu"


def pool_of_step(recipe: Recipe, step: str, at: Place) -> str:
    """Where a step of a place runs."""
    student = recipe.student_models[at.student]
    if step == "train-student":
        return "gpu"
    if step == "label-questions":
        asked = at.method.labels == "teacher"
        return pool_of(recipe.machine, recipe.teacher or student) if asked else "cpu"
    if at.method.questions == "filtered":
        return "gpu"
    model = writer(recipe, at)
    pools = {pool_of(recipe.machine, one) for one in (model, student) if one}
    return "gpu" if model and "gpu" in pools else "cpu"


def pool_of_listed(recipe: ModelsRecipe, one: ListedModel) -> str:
    """Where one model of a list is evaluated."""
    return "cpu" if recipe.plays(one) else pool_of(one.machine or recipe.machine, one.model)
