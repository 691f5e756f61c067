"""generate-questions: the trained generator writes questions; the kept and the refused ones."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pyarrow as pa

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.models.machine import EngineSettings
from tasks.questions.generation import QuestionGeneration

VERSION = 1
PART = "questions"


class GenerateQuestions(Spec):
    """The generator, the seeds that it was not trained on, and how many questions to keep."""

    generator: Part
    seeds: Part
    engine: EngineSettings
    settings: QuestionGeneration


def plan(spec: GenerateQuestions, done: Mapping[str, Part]) -> Plan:
    """One part: QUESTIONS, with the refused ones and why."""
    return {PART: {"version": VERSION, "spec": dict(spec) | {"engine": spec.engine.shape}}}


def compute(spec: GenerateQuestions, work: Work) -> None:
    """Write until enough are kept in each language."""
    from tasks.questions.generation import generate_questions

    for name in work.take():
        started = time.monotonic()
        seeds = generation_seeds(read_table(work.store, spec.seeds))
        answered = Kept(lambda _: work.journal(PART))
        with spec.engine.opened(work.store, spec.generator, spec.settings.seed, answered) as engine:
            questions = generate_questions(
                spec.settings, engine, seeds, spec.settings.form, work.events.progress
            )
            facts = {"engine": engine.name, "device": engine.device, "seed": spec.settings.seed}
        seconds = round(time.monotonic() - started, 1)
        kept = sum(questions.column("kept").to_pylist())
        work.publish_table(name, questions, kept=kept, seconds=seconds, **facts)
        work.journal(name).clear()


def generation_seeds(seeds: pa.Table) -> pa.Table:
    """The odd rows; the even ones trained the generator."""
    return seeds.take(list(range(1, seeds.num_rows, 2)))


STEP = Step("generate-questions", GenerateQuestions, plan, compute)
