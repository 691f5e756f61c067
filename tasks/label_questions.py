"""label-questions: a teacher answers each kept question k times, or its own answer is the label."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import model_validator

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.models.machine import EngineSettings
from tasks.questions.labels import Labelling

VERSION = 1
PART = "labels"


class LabelQuestions(Spec):
    """Who answers the questions: the teacher, or whoever wrote them (own)."""

    labels: Literal["teacher", "own"] = "teacher"
    teacher: Part | None  # None: simulated, behind an endpoint, or not asked
    questions: Part
    engine: EngineSettings | None  # of the teacher
    settings: Labelling

    @model_validator(mode="after")
    def _answerable(self) -> LabelQuestions:
        if self.labels == "teacher" and self.engine is None:
            raise ValueError("labels of a teacher need its engine")
        return self


def plan(spec: LabelQuestions, done: Mapping[str, Part]) -> Plan:
    """One part: LABELS, with all answers and their agreement."""
    if spec.labels == "own":
        return {PART: {"version": VERSION, "own": spec.questions}}
    engine = None if spec.engine is None else spec.engine.shape
    return {PART: {"version": VERSION, "spec": dict(spec) | {"engine": engine}}}


def compute(spec: LabelQuestions, work: Work) -> None:
    """Answer, cluster, keep what enough samples agree on; or check what is there."""
    from tasks.questions.labels import own_labels

    for name in work.take():
        started = time.monotonic()
        questions = read_table(work.store, spec.questions)
        questions = questions.filter(pc.field("kept"))
        facts: dict[str, Any] = {}
        if spec.labels == "own":
            labels = own_labels(questions)
        else:
            labels, facts = _taught(spec, work, questions)
        facts["kept"] = sum(labels.column("kept").to_pylist())
        seconds = round(time.monotonic() - started, 1)
        work.publish_table(name, labels, labels=spec.labels, seconds=seconds, **facts)
        work.journal(name).clear()


def _taught(
    spec: LabelQuestions, work: Work, questions: pa.Table
) -> tuple[pa.Table, dict[str, Any]]:
    from tasks.questions.labels import label_questions

    settings = spec.settings
    answered = Kept(lambda _: work.journal(PART))
    assert spec.engine is not None, "the spec requires it"
    with spec.engine.opened(work.store, spec.teacher, settings.seed, answered) as engine:
        labels = label_questions(settings, engine, questions, settings.form, work.events.progress)
        return labels, {"engine": engine.name, "device": engine.device, "seed": settings.seed}


STEP = Step("label-questions", LabelQuestions, plan, compute)
