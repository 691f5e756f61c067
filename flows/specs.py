"""The spec of each step, from the recipe and what earlier steps gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.artifacts.records import Manifest, Part
from tasks.benchmarks import BENCHMARKS, revision, seeds_revision
from tasks.evaluate import Evaluate
from tasks.generate_questions import GenerateQuestions
from tasks.label_questions import LabelQuestions
from tasks.models.machine import EngineSettings, Machine
from tasks.models.references import Reference, parse_reference
from tasks.models.revisions import model_revision
from tasks.prepare_data import SEEDS, PrepareData, Source
from tasks.prepare_models import PrepareModels, Wanted
from tasks.recipe import Experiment, ListedModel, ModelsRecipe, Recipe
from tasks.report import Report
from tasks.score import Score
from tasks.train_generator import TrainGenerator
from tasks.train_student import TrainStudent

Done = Mapping[str, Manifest]  # label of a node -> what it came to
ELSEWHERE = ("simulated", "endpoint")  # kinds of models that have no weights here


def prepare_data(recipe: Experiment) -> PrepareData:
    """Every benchmark in the languages that it has, and the seeds of what is trained."""
    sources = []
    for choice in recipe.benchmarks:
        benchmark = BENCHMARKS[choice.name]
        wanted = choice.languages or recipe.languages
        sources.append(
            Source(
                benchmark=choice.name,
                source=choice.source,
                revision=revision(choice.name, choice.source),
                items=choice.items,
                # A translation benchmark has no rows in the language it translates into.
                languages=tuple(code for code in wanted if benchmark.has(code)),
            )
        )
    seeds = recipe.seeds if isinstance(recipe, Recipe) else "bundled"
    return PrepareData(benchmarks=tuple(sources), seeds=seeds, seeds_revision=seeds_revision(seeds))


def weighted(recipe: Recipe | ModelsRecipe) -> list[Reference]:
    """The models of a recipe that have weights, each once."""
    if isinstance(recipe, ModelsRecipe):
        played = recipe.machine.engine == "simulated"
        texts = [] if played else [one.model for one in recipe.models]
    else:
        trained = (recipe.generator, recipe.teacher) if "hotfixr" in recipe.methods else ()
        texts = [text for text in (recipe.student, *trained) if text]
    references = map(parse_reference, texts)
    return list(dict.fromkeys(one for one in references if one.kind not in ELSEWHERE))


def prepare_models(models: list[Reference]) -> PrepareModels:
    """Each model at the revision that its reference means today."""
    return PrepareModels(
        models=tuple(Wanted(reference=str(one), revision=model_revision(one)) for one in models)
    )


def train_generator(recipe: Recipe, done: Done) -> TrainGenerator:
    """The question generator, trained against the untouched student."""
    return TrainGenerator(
        generator=_required(recipe.generator or recipe.student, done),
        student=_required(recipe.student, done),
        seeds=done["prepare-data"].parts[SEEDS],
        settings=recipe.generator_training,
    )


def generate_questions(recipe: Recipe, done: Done) -> GenerateQuestions:
    """New questions from the trained generator."""
    return GenerateQuestions(
        writer=done["train-generator"].parts["generator"],
        seeds=done["prepare-data"].parts[SEEDS],
        engine=_engine(recipe.machine, recipe.generator or recipe.student, "writer"),
        settings=recipe.questions,
    )


def label_questions(recipe: Recipe, done: Done) -> LabelQuestions:
    """The teacher's answers to them."""
    teacher = recipe.teacher or recipe.student
    return LabelQuestions(
        teacher=_model(teacher, done),
        questions=done["generate-questions"].parts["questions"],
        engine=_engine(recipe.machine, teacher, "teacher"),
        settings=recipe.labels,
    )


def train_student(recipe: Recipe, done: Done) -> TrainStudent:
    """The student on the labelled questions."""
    return TrainStudent(
        student=_required(recipe.student, done),
        labels=done["label-questions"].parts["labels"],
        settings=recipe.student_training,
    )


def evaluate_student(recipe: Recipe, role: str, done: Done) -> Evaluate:
    """The student before (base) or after training (student)."""
    weights = _of_role(recipe, role, done)
    beside = role == "student" and recipe.student_training.output == "adapter"
    return Evaluate(
        label=role,
        model=_model(recipe.student, done) if beside else weights,
        adapter=weights if beside else None,
        items=_items(done),
        engine=_engine(recipe.machine, recipe.student, role),
        settings=recipe.evaluation,
    )


def evaluate_listed(recipe: ModelsRecipe, one: ListedModel, done: Done) -> Evaluate:
    """One model of a list, in its own form and at its own temperature."""
    played = recipe.plays(one)
    if played:
        machine = recipe.machine.model_dump() | {"engine": "simulated"}
        engine = EngineSettings(**machine, profile=played)
    else:
        engine = _engine(one.machine or recipe.machine, one.model, one.name)
    return Evaluate(
        label=one.name,
        model=None if played else _model(one.model, done),
        items=_items(done),
        engine=engine,
        settings=recipe.evaluation_of(one),
    )


def score(recipe: Recipe | ModelsRecipe, done: Done) -> Score:
    """All grades of all models; differences to the base where there is one."""
    roles = [label.removeprefix("evaluate-") for label in done if label.startswith("evaluate-")]
    grades = {
        f"{role}/{name.removeprefix('grades/')}": part
        for role in roles
        for name, part in done[f"evaluate-{role}"].parts.items()
        if name.startswith("grades/")
    }
    listed = recipe.models if isinstance(recipe, ModelsRecipe) else ()
    return Score(
        grades=grades,
        models=_weights(recipe, roles, done),
        pairs=() if listed else tuple((role, "base") for role in roles if role != "base"),
        facts=tuple(one.facts for one in listed),
        settings=recipe.scoring,
    )


def report(recipe: Recipe | ModelsRecipe, done: Done) -> Report:
    """Everything a reader sees."""

    def part(step: str, name: str) -> Part | None:
        return done[step].parts[name] if step in done else None

    listed = recipe.models if isinstance(recipe, ModelsRecipe) else ()
    return Report(
        scores=done["score"].parts["scores"],
        settings=_reported(recipe),
        models=tuple(one.facts for one in listed),
        generator=part("train-generator", "generator"),
        questions=part("generate-questions", "questions"),
        labels=part("label-questions", "labels"),
        student=part("train-student", "student"),
    )


def _reported(recipe: Recipe | ModelsRecipe) -> dict[str, Any]:
    """The settings that shape numbers, whatever the recipe is called.

    How an endpoint is asked changes none, so no report either; the day does.
    """
    settings = recipe.model_dump(mode="json", exclude={"name", "description"})
    machines = [settings["machine"], *(one["machine"] for one in settings.get("models", ()))]
    for machine in machines:
        if machine is not None:
            asked = machine.pop("endpoint")["asked"]
            machine |= {"asked": asked} if asked else {}
    settings["evaluation"] = recipe.evaluation.shape
    return settings


def pool(machine: Machine, reference: str) -> str:
    """Where an engine runs: only one that holds weights needs a device."""
    light = machine.engine in ELSEWHERE or parse_reference(reference).kind in ELSEWHERE
    return "cpu" if light else "gpu"


def pool_of_listed(recipe: ModelsRecipe, one: ListedModel) -> str:
    """Where one model of a list is evaluated."""
    return "cpu" if recipe.plays(one) else pool(one.machine or recipe.machine, one.model)


def _items(done: Done) -> dict[str, Part]:
    return {
        name.removeprefix("items/"): part
        for name, part in done["prepare-data"].parts.items()
        if name != SEEDS
    }


def _weights(recipe: Recipe | ModelsRecipe, roles: list[str], done: Done) -> dict[str, Part]:
    """Whose grades these are; models without weights here have none."""
    if isinstance(recipe, ModelsRecipe):
        found = {
            one.name: done["prepare-models"].parts.get(str(parse_reference(one.model)))
            for one in recipe.models
            if "prepare-models" in done
        }
    else:
        found = {role: _of_role(recipe, role, done) for role in roles}
    return {name: part for name, part in found.items() if part is not None}


def _of_role(recipe: Recipe, role: str, done: Done) -> Part | None:
    """The weights that a role is evaluated with; None where there are none here."""
    if role == "student":
        return done["train-student"].parts["student"]
    return _model(recipe.student, done)


def _model(reference: str, done: Done) -> Part | None:
    if parse_reference(reference).kind in ELSEWHERE:
        return None
    return done["prepare-models"].parts[str(parse_reference(reference))]


def _required(reference: str, done: Done) -> Part:
    part = _model(reference, done)
    assert part is not None, "the recipe refuses to train what has no weights"
    return part


def _engine(machine: Machine, reference: str, role: str) -> EngineSettings:
    """The machine's engine; a model without weights here has its own, and is named to it."""
    model = parse_reference(reference)
    if model.kind not in ELSEWHERE:
        return EngineSettings(**machine.model_dump(), profile=role)
    return EngineSettings(**machine.model_dump() | {"engine": model.kind}, profile=model.name)
