"""generate-questions: questions from one of the methods' sources; kept and refused ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from pydantic import model_validator

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.methods import Questions
from tasks.models.machine import EngineSettings
from tasks.questions.generation import QuestionGeneration
from tasks.questions.settings import StudentScoring

VERSION = 2
PART = "questions"

Facts = dict[str, Any]  # what part.json says besides rows and seconds
# What a source cannot do without.
NEEDED: dict[Questions, tuple[str, ...]] = {
    "generator": ("engine",),
    "untrained": ("engine",),
    "teacher": ("engine",),
    "seeds": (),
    "filtered": ("student_engine", "scoring"),
    "mistakes": ("engine", "student_engine"),
    "rows": ("rows", "rows_revision"),
}


class GenerateQuestions(Spec):
    """Where questions come from, the seeds that no generator was trained on, how many to keep."""

    source: Questions = "generator"
    writer: Part | None  # None: nothing is written, or by a model that has no weights here
    student: Part | None = None  # whose deficits or mistakes choose
    seeds: Part
    rows: str = ""  # URI of published rows; `rows_revision` names their bytes
    rows_revision: str = ""
    engine: EngineSettings | None  # of the writer
    student_engine: EngineSettings | None = None
    scoring: StudentScoring | None = None  # how the student's deficits are measured
    settings: QuestionGeneration

    @model_validator(mode="after")
    def _complete(self) -> GenerateQuestions:
        lacking = [name for name in NEEDED[self.source] if not getattr(self, name)]
        if lacking:
            raise ValueError(f"questions from {self.source!r} need {' and '.join(lacking)}")
        return self


def plan(spec: GenerateQuestions, done: Mapping[str, Part]) -> Plan:
    """One part: QUESTIONS, with the refused ones and why."""
    engines = {
        name: None if engine is None else engine.shape
        for name, engine in (("engine", spec.engine), ("student_engine", spec.student_engine))
    }
    shape = {name: value for name, value in dict(spec).items() if name != "rows"}
    return {PART: {"version": VERSION, "spec": shape | engines}}


def compute(spec: GenerateQuestions, work: Work) -> None:
    """Take questions from their source until enough are kept."""
    for name in work.take():
        started = time.monotonic()
        seeds = generation_seeds(read_table(work.store, spec.seeds))
        questions, facts = _SOURCES[spec.source](spec, work, seeds)
        facts |= {"kept": sum(questions.column("kept").to_pylist()), "seed": spec.settings.seed}
        seconds = round(time.monotonic() - started, 1)
        work.publish_table(name, questions, source=spec.source, seconds=seconds, **facts)
        work.journal(name).clear()


def _written(spec: GenerateQuestions, work: Work, seeds: pa.Table) -> tuple[pa.Table, Facts]:
    """By the writer, shown a seed for each."""
    from tasks.questions.generation import generate_questions

    settings = spec.settings
    answered = Kept(lambda _: work.journal(PART))
    assert spec.engine is not None, "the spec requires it"
    with spec.engine.opened(work.store, spec.writer, settings.seed, answered) as engine:
        questions = generate_questions(settings, engine, seeds, settings.form, work.events.progress)
        return questions, {"engine": engine.name, "device": engine.device}


def _selected(spec: GenerateQuestions, work: Work, seeds: pa.Table) -> tuple[pa.Table, Facts]:
    """Real rows at random."""
    from tasks.questions.selection import select_rows

    return select_rows(spec.settings, seeds), {}


def _filtered(spec: GenerateQuestions, work: Work, seeds: pa.Table) -> tuple[pa.Table, Facts]:
    """Real rows that the student knows least about."""
    from tasks.models.cache import model_folder
    from tasks.questions.filtering import filter_rows
    from tasks.questions.open_student import opened_student

    settings = spec.settings
    assert spec.student_engine is not None and spec.scoring is not None, "the spec requires them"
    folder = None if spec.student is None else model_folder(work.store, spec.student)
    with opened_student(spec.student_engine, folder, spec.scoring, settings.batch) as student:
        questions = filter_rows(settings, student.score, seeds, work.events.progress, student.batch)
        return questions, {"engine": student.engine, "device": student.device}


def _on_mistakes(spec: GenerateQuestions, work: Work, seeds: pa.Table) -> tuple[pa.Table, Facts]:
    """By the writer, shown what the student got wrong."""
    from tasks.questions.mistakes import find_mistakes, questions_on_mistakes

    settings, progress = spec.settings, work.events.progress
    answered = Kept(lambda _: work.journal(PART))
    assert spec.engine is not None and spec.student_engine is not None, "the spec requires them"
    with spec.student_engine.opened(work.store, spec.student, settings.seed, answered) as student:
        mistakes = find_mistakes(settings, student, seeds, progress)
    with spec.engine.opened(work.store, spec.writer, settings.seed, answered) as teacher:
        questions = questions_on_mistakes(settings, teacher, mistakes, progress)
        facts = {"engine": teacher.name, "device": teacher.device}
    return questions, facts | {
        "rows_answered": mistakes.answered,
        "student_f1": mistakes.mean_f1,
        "mistakes": mistakes.rows.num_rows,
    }


def _published(spec: GenerateQuestions, work: Work, seeds: pa.Table) -> tuple[pa.Table, Facts]:
    """Somebody's rows, without those in languages that are not trained."""
    from tasks.questions.published_rows import load_rows

    loaded = load_rows(spec.settings, spec.rows)
    facts: Facts = {"revision": spec.rows_revision, "left_out": loaded.left_out}
    if loaded.left_out:
        facts["notes"] = [
            f"{sum(loaded.left_out.values())} rows in {', '.join(loaded.left_out)} were left out: "
            "the set is not the published one"
        ]
    return loaded.questions, facts


_SOURCES: dict[Questions, Callable[[GenerateQuestions, Work, pa.Table], tuple[pa.Table, Facts]]] = {
    "generator": _written,
    "untrained": _written,
    "teacher": _written,
    "seeds": _selected,
    "filtered": _filtered,
    "mistakes": _on_mistakes,
    "rows": _published,
}


def generation_seeds(seeds: pa.Table) -> pa.Table:
    """The odd rows; the even ones trained the generator."""
    return seeds.take(list(range(1, seeds.num_rows, 2)))


STEP = Step("generate-questions", GenerateQuestions, plan, compute)
