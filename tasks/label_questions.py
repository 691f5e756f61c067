"""label-questions: a teacher answers each kept question k times; the consensus is the label."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pyarrow.compute as pc

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
    """The teacher and the questions."""

    teacher: Part | None  # None: simulated, or behind an endpoint
    questions: Part
    engine: EngineSettings
    settings: Labelling


def plan(spec: LabelQuestions, done: Mapping[str, Part]) -> Plan:
    """One part: LABELS, with all answers and their agreement."""
    return {PART: {"version": VERSION, "spec": dict(spec) | {"engine": spec.engine.shape}}}


def compute(spec: LabelQuestions, work: Work) -> None:
    """Answer, cluster, keep what enough samples agree on."""
    from tasks.questions.labels import label_questions

    for name in work.take():
        started = time.monotonic()
        questions = read_table(work.store, spec.questions)
        questions = questions.filter(pc.field("kept"))
        answered = Kept(lambda _: work.journal(PART))
        with spec.engine.opened(work.store, spec.teacher, spec.settings.seed, answered) as engine:
            labels = label_questions(
                spec.settings, engine, questions, spec.settings.form, work.events.progress
            )
            facts = {"engine": engine.name, "device": engine.device, "seed": spec.settings.seed}
        seconds = round(time.monotonic() - started, 1)
        kept = sum(labels.column("kept").to_pylist())
        work.publish_table(name, labels, kept=kept, seconds=seconds, **facts)
        work.journal(name).clear()


STEP = Step("label-questions", LabelQuestions, plan, compute)
