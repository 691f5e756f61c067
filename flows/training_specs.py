"""The specs of the steps from rows to a trained student."""

from __future__ import annotations

from flows.models import Done, engine_of, model_of
from flows.places import Place
from flows.weights import label_embedding, required, student_by_now, writer
from tasks.artifacts.records import Part
from tasks.generate_questions import GenerateQuestions
from tasks.label_questions import LabelQuestions
from tasks.methods import ALL_REWARDS
from tasks.prepare_data import SEEDS
from tasks.questions.published_rows import rows_revision
from tasks.questions.settings import RewardWeights
from tasks.recipe import Recipe
from tasks.train_generator import TrainGenerator
from tasks.train_student import TrainStudent


def train_generator(recipe: Recipe, at: Place, done: Done) -> TrainGenerator:
    """A fresh question generator, trained against the student as it is by now."""
    settings = recipe.generator_training
    weights = {name: getattr(settings.weights, name) for name in at.method.rewards}
    absent = {name: 0.0 for name in ALL_REWARDS if name not in at.method.rewards}
    changed = {"seed": at.seed, "weights": RewardWeights(**weights, **absent)}
    cells = _validated(recipe, at, done)
    return TrainGenerator(
        generator=required(recipe.generator or recipe.student_models[at.student], done),
        student=student_by_now(recipe, at, done),
        seeds=done["prepare-data"].parts[SEEDS],
        items={cell: done["prepare-data"].parts[f"items/{cell}"] for cell in cells},
        grades=cells,
        validity_items=recipe.validity_items,
        compared_prompts=recipe.compared_prompts,
        settings=settings.model_copy(update=changed),
    )


def _validated(recipe: Recipe, at: Place, done: Done) -> dict[str, Part]:
    """The untouched student's grades that its rewards are held against, by cell."""
    base = at.validated_on(recipe)
    return {
        name.removeprefix("grades/"): part
        for name, part in (done[base].parts.items() if base else ())
        if name.startswith("grades/") and name.split("/")[1] in recipe.validated
    }


def generate_questions(recipe: Recipe, at: Place, done: Done) -> GenerateQuestions:
    """Rows from where the method takes them."""
    source, student = at.method.questions, recipe.student_models[at.student]
    assert source is not None, "only methods that train come here"
    model = writer(recipe, at)
    part, engine = None, None
    if source == "generator":
        part = done[at.node("train-generator")].parts["generator"]
    elif model:
        part = model_of(model, done)
    if model:
        engine = engine_of(recipe.machine, model, "writer")
    chosen = source in {"filtered", "mistakes"}
    return GenerateQuestions(
        source=source,
        writer=part,
        student=required(student, done) if chosen else None,
        seeds=done["prepare-data"].parts[SEEDS],
        rows=recipe.rows if source == "rows" else "",
        rows_revision=rows_revision(recipe.rows) if source == "rows" else "",
        engine=engine,
        student_engine=engine_of(recipe.machine, student, "base") if chosen else None,
        scoring=recipe.generator_training.student if source == "filtered" else None,
        settings=recipe.questions.model_copy(update={"seed": at.seed}),
    )


def label_questions(recipe: Recipe, at: Place, done: Done) -> LabelQuestions:
    """The teacher's answers, or the rows' own."""
    teacher = recipe.teacher or recipe.student_models[at.student]
    asked = at.method.labels == "teacher"
    embedding = label_embedding(recipe)
    return LabelQuestions(
        labels=at.method.labels,
        teacher=model_of(teacher, done) if asked else None,
        questions=done[at.node("generate-questions")].parts["questions"],
        engine=engine_of(recipe.machine, teacher, "teacher") if asked else None,
        embedding=model_of(embedding, done) if asked and embedding else None,
        settings=recipe.labels.model_copy(update={"seed": at.seed}),
    )


def train_student(recipe: Recipe, at: Place, done: Done) -> TrainStudent:
    """The student on the labelled questions; in a later round it goes on from the last one."""
    return TrainStudent(
        student=student_by_now(recipe, at, done),
        labels=done[at.node("label-questions")].parts["labels"],
        settings=recipe.student_training.model_copy(update={"seed": at.seed}),
    )
