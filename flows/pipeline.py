"""The order of the steps, written once: what each needs, and its spec from what those gave.

prepare-data, prepare-models -> train-generator -> generate-questions -> label-questions
                             -> train-student -> evaluate -> score -> report
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from tasks.artifacts.records import Manifest, Part
from tasks.benchmarks import BENCHMARKS, revision, seeds_revision
from tasks.evaluate import Evaluate
from tasks.generate_questions import GenerateQuestions
from tasks.label_questions import LabelQuestions
from tasks.models.machine import EngineSettings
from tasks.models.references import Reference, parse_reference
from tasks.models.revisions import model_revision
from tasks.prepare_data import SEEDS, PrepareData, Source
from tasks.prepare_models import PrepareModels, Wanted
from tasks.recipe import Recipe
from tasks.report import Report
from tasks.score import Score
from tasks.train_generator import TrainGenerator
from tasks.train_student import TrainStudent

Done = Mapping[str, Manifest]  # label of a node -> what it came to


@dataclass(frozen=True)
class Node:
    """One step of one run; its spec can be written once everything it needs is done."""

    step: str
    role: str  # "main", or which model: "base", "student"
    needs: tuple[str, ...]
    spec: Callable[[Done], BaseModel]
    pool: str = "cpu"

    @property
    def label(self) -> str:
        """Unique within a run."""
        return self.step if self.role == "main" else f"{self.step}-{self.role}"


def pipeline(recipe: Recipe) -> list[Node]:
    """The nodes of a recipe, each behind those that it needs."""
    nodes = [Node("prepare-data", "main", (), lambda done: _data(recipe))]
    models = _models(recipe)
    if models:
        nodes.append(Node("prepare-models", "main", (), lambda done: _mirror(models)))
    needs = tuple(node.label for node in nodes)
    nodes.append(_evaluation(recipe, "base", needs))
    if "hotfixr" in recipe.methods:
        nodes += _hotfixr(recipe, needs)
        nodes.append(_evaluation(recipe, "student", (*needs, "train-student")))
    evaluated = tuple(node.label for node in nodes if node.step == "evaluate")
    nodes.append(Node("score", "main", evaluated, lambda done: _score(recipe, done)))
    reported = tuple(node.label for node in nodes if node.step in REPORTED)
    nodes.append(Node("report", "main", reported, lambda done: _report(recipe, done)))
    return nodes


ELSEWHERE = ("simulated", "endpoint")  # kinds of models that have no weights here
REPORTED = ("train-generator", "generate-questions", "label-questions", "train-student", "score")


def _hotfixr(recipe: Recipe, needs: tuple[str, ...]) -> list[Node]:
    return [
        Node("train-generator", "main", needs, lambda done: _train_generator(recipe, done), "gpu"),
        Node(
            "generate-questions",
            "main",
            ("prepare-data", "train-generator"),
            lambda done: GenerateQuestions(
                generator=done["train-generator"].parts["generator"],
                seeds=done["prepare-data"].parts[SEEDS],
                engine=_engine(recipe, recipe.generator or recipe.student, "writer"),
                settings=recipe.questions,
            ),
            _pool(recipe, recipe.generator or recipe.student),
        ),
        Node(
            "label-questions",
            "main",
            (*needs, "generate-questions"),
            lambda done: LabelQuestions(
                teacher=_model(recipe.teacher or recipe.student, done),
                questions=done["generate-questions"].parts["questions"],
                engine=_engine(recipe, recipe.teacher or recipe.student, "teacher"),
                settings=recipe.labels,
            ),
            _pool(recipe, recipe.teacher or recipe.student),
        ),
        Node(
            "train-student",
            "main",
            (*needs, "label-questions"),
            lambda done: TrainStudent(
                student=_required(recipe.student, done),
                labels=done["label-questions"].parts["labels"],
                settings=recipe.student_training,
            ),
            "gpu",
        ),
    ]


def _evaluation(recipe: Recipe, role: str, needs: tuple[str, ...]) -> Node:
    def spec(done: Done) -> Evaluate:
        weights = _evaluated(recipe, role, done)
        beside = role == "student" and recipe.student_training.output == "adapter"
        return Evaluate(
            label=role,
            model=_model(recipe.student, done) if beside else weights,
            adapter=weights if beside else None,
            items={
                name.removeprefix("items/"): part
                for name, part in done["prepare-data"].parts.items()
                if name != SEEDS
            },
            engine=_engine(recipe, recipe.student, role),
            settings=recipe.evaluation,
        )

    return Node("evaluate", role, needs, spec, _pool(recipe, recipe.student))


def _evaluated(recipe: Recipe, role: str, done: Done) -> Part | None:
    """The weights that a role is evaluated with; None where there are none here."""
    if role == "student":
        return done["train-student"].parts["student"]
    return _model(recipe.student, done)


def _data(recipe: Recipe) -> PrepareData:
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
    return PrepareData(
        benchmarks=tuple(sources), seeds=recipe.seeds, seeds_revision=seeds_revision(recipe.seeds)
    )


def _models(recipe: Recipe) -> list[Reference]:
    """The models of a recipe that have weights, each once."""
    trained = (recipe.generator, recipe.teacher) if "hotfixr" in recipe.methods else ()
    references = [parse_reference(text) for text in (recipe.student, *trained) if text]
    return list(dict.fromkeys(one for one in references if one.kind not in ELSEWHERE))


def _mirror(models: list[Reference]) -> PrepareModels:
    return PrepareModels(
        models=tuple(Wanted(reference=str(one), revision=model_revision(one)) for one in models)
    )


def _model(reference: str, done: Done) -> Part | None:
    if parse_reference(reference).kind in ELSEWHERE:
        return None
    return done["prepare-models"].parts[str(parse_reference(reference))]


def _required(reference: str, done: Done) -> Part:
    part = _model(reference, done)
    assert part is not None, "the recipe refuses to train what has no weights"
    return part


def _train_generator(recipe: Recipe, done: Done) -> TrainGenerator:
    return TrainGenerator(
        generator=_required(recipe.generator or recipe.student, done),
        student=_required(recipe.student, done),
        seeds=done["prepare-data"].parts[SEEDS],
        settings=recipe.generator_training,
    )


def _engine(recipe: Recipe, reference: str, role: str) -> EngineSettings:
    """The machine's engine; a model without weights here has its own, and is named to it."""
    model = parse_reference(reference)
    if model.kind not in ELSEWHERE:
        return EngineSettings(**recipe.machine.model_dump(), profile=role)
    machine = recipe.machine.model_dump() | {"engine": model.kind}
    return EngineSettings(**machine, profile=model.name)


def _pool(recipe: Recipe, reference: str) -> str:
    light = recipe.machine.engine in ELSEWHERE or parse_reference(reference).kind in ELSEWHERE
    return "cpu" if light else "gpu"


def _score(recipe: Recipe, done: Done) -> Score:
    roles = [role for role in ("base", "student") if f"evaluate-{role}" in done]
    grades = {
        f"{role}/{name.removeprefix('grades/')}": part
        for role in roles
        for name, part in done[f"evaluate-{role}"].parts.items()
        if name.startswith("grades/")
    }
    pairs = tuple((role, "base") for role in roles if role != "base")
    models = {role: part for role in roles if (part := _evaluated(recipe, role, done)) is not None}
    return Score(grades=grades, models=models, pairs=pairs, settings=recipe.scoring)


def _report(recipe: Recipe, done: Done) -> Report:
    def part(step: str, name: str) -> Part | None:
        return done[step].parts[name] if step in done else None

    settings = recipe.model_dump(mode="json", exclude={"name", "description"})
    # What an endpoint is asked with changes no number, so no report either; the day does.
    asked = settings["machine"].pop("endpoint")["asked"]
    settings["machine"] |= {"asked": asked} if asked else {}
    settings["evaluation"] = recipe.evaluation.shape
    return Report(
        scores=done["score"].parts["scores"],
        settings=settings,
        generator=part("train-generator", "generator"),
        questions=part("generate-questions", "questions"),
        labels=part("label-questions", "labels"),
        student=part("train-student", "student"),
    )
