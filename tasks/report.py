"""report: one self-contained HTML page, and the same numbers as Parquet and CSV."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks import score, train_generator, train_student
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.methods.variants import Variant
from tasks.reporting import ModelsReport, write_models_report, write_report
from tasks.reporting import Report as Page
from tasks.reporting.heading import is_simulated
from tasks.reporting.methods import MethodsReport, write_methods_report
from tasks.scoring.model_facts import ModelFacts
from tasks.scoring.repeats import COLUMNS, repeat_means

VERSION = 5
PART = "report"
INDEX = "index.html"


class Compared(Spec):
    """Several methods, students or seeds, which have a page of their own beside the other."""

    variants: tuple[Variant, ...]
    students: dict[str, str]  # name -> reference of the model
    learned: dict[str, int]  # variant -> rows that it was trained on
    grades: dict[str, Part]  # "student/facts/de" -> GRADES


class Report(Spec):
    """What is reported; the training parts are absent where nothing was trained."""

    scores: Part
    settings: dict[str, Any]  # the recipe, without its labels
    models: tuple[ModelFacts, ...] = ()  # of a list of models; empty: one student and its base
    compared: Compared | None = None
    validity: Part | None = None  # of the rewards, for the student
    generator: Part | None
    gain: Part | None = None  # of the generator over its untrained self
    questions: Part | None
    labels: Part | None
    student: Part | None


def plan(spec: Report, done: Mapping[str, Part]) -> Plan:
    """One part: the page and its tables."""
    # Notes are facts of the scores, no part of their content.
    return {PART: {"version": VERSION, "spec": spec, "notes": _notes(spec)}}


def compute(spec: Report, work: Work) -> None:
    """Read what was published and write the page."""
    for name in work.take():
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            if spec.models:
                write_models_report(_of_models(spec, work.store), Path(scratch))
            else:
                write_report(_of_student(spec, work.store), Path(scratch))
            if spec.compared is not None:
                compared = _of_methods(spec, spec.compared, work.store)
                write_methods_report(compared, Path(scratch))
            work.publish(name, Path(scratch))


def _notes(spec: Report) -> list[str]:
    return list(spec.scores.facts.get("notes", []))


def _of_student(spec: Report, store: Store) -> Page:
    return Page(
        settings=spec.settings,
        scores=read_table(store, spec.scores, file=score.SCORES),
        profiles=read_table(store, spec.scores, file=score.PROFILES),
        notes=_notes(spec),
        methods=spec.compared is not None,
        validity=_read(store, spec.validity),
        generator_log=_read(store, spec.generator, train_generator.LOG),
        rollouts=_read(store, spec.generator, train_generator.ROLLOUTS),
        gain=_read(store, spec.gain, train_generator.GAIN_TABLE),
        written=_read(store, spec.gain, train_generator.WRITTEN_TABLE),
        questions=_read(store, spec.questions),
        labels=_read(store, spec.labels),
        student_log=_read(store, spec.student, train_student.LOG),
    )


def _of_models(spec: Report, store: Store) -> ModelsReport:
    return ModelsReport(
        settings=spec.settings,
        scores=read_table(store, spec.scores, file=score.SCORES),
        profiles=read_table(store, spec.scores, file=score.PROFILES),
        analyses=read_table(store, spec.scores, file=score.ANALYSES),
        models=list(spec.models),
        notes=_notes(spec),
        simulated=is_simulated(spec.settings),
    )


def _of_methods(spec: Report, compared: Compared, store: Store) -> MethodsReport:
    graded = (read_table(store, part, COLUMNS) for part in compared.grades.values())
    return MethodsReport(
        settings=spec.settings,
        scores=read_table(store, spec.scores, file=score.SCORES),
        repeats=repeat_means(graded),
        variants=compared.variants,
        students=compared.students,
        learned=compared.learned,
        notes=_notes(spec),
        simulated=is_simulated(spec.settings),
    )


def _read(store: Store, part: Part | None, file: str = "data.parquet") -> Any:
    return None if part is None else read_table(store, part, file=file)


STEP = Step("report", Report, plan, compute, in_child=False)
