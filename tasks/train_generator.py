"""train-generator: GRPO teaches the question generator what the student does not know.

Where the student's own grades are given, it is said first whether the rewards mean anything for it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.models.cache import model_folder
from tasks.questions.settings import GeneratorTraining
from tasks.scoring.validity import VALIDITY_VERSION

VERSION = 2
PART, VALIDITY = "generator", "validity"
ON_VALIDITY = ("items", "grades", "validity_items")  # fields that shape no generator
LOG, ROLLOUTS = "log.parquet", "rollouts.parquet"


class TrainGenerator(Spec):
    """The untrained generator, the frozen student, and the seeds between them."""

    generator: Part
    student: Part
    seeds: Part
    items: dict[str, Part] = Field({})  # "facts/fr" -> ITEMS that the rewards are validated on
    grades: dict[str, Part] = Field({})  # the student's, of the same cells; none: no validity table
    validity_items: int = 30  # of each cell
    settings: GeneratorTraining


def plan(spec: TrainGenerator, done: Mapping[str, Part]) -> Plan:
    """VALIDITY of the rewards; the trained model with its log and every rollout."""
    apart = {name: value for name, value in dict(spec).items() if name not in ON_VALIDITY}
    training = {PART: {"version": VERSION, "spec": apart}}
    if not spec.grades:
        return training
    settings = spec.settings
    measured = {name: getattr(spec, name) for name in ("student", *ON_VALIDITY)}
    shape = {"version": VALIDITY_VERSION, "scoring": settings.student, **measured}
    return {VALIDITY: shape | {"dtype": settings.dtype, "device": settings.device}} | training


def compute(spec: TrainGenerator, work: Work) -> None:
    """Measure the student first; then train, or resume from the last checkpoint."""
    for name in work.take(prefix=VALIDITY):
        _validate(spec, work, name)
    _train(spec, work)


def _validate(spec: TrainGenerator, work: Work, name: str) -> None:
    from tasks.models.hidden_states import last_hidden
    from tasks.models.transformers_engine import TransformersEngine
    from tasks.questions.student_scorer import StudentScorer
    from tasks.questions.validity import student_validity

    def tables(parts: Mapping[str, Part]) -> dict[str, pa.Table]:
        return {cell: read_table(work.store, part) for cell, part in parts.items()}

    started, settings = time.monotonic(), spec.settings
    folder = model_folder(work.store, spec.student)
    engine = TransformersEngine(folder, settings.dtype, settings.device)
    with closing(engine):
        hidden_states = partial(last_hidden, engine.model)
        scorer = StudentScorer(engine, hidden_states, engine.tokenizer, settings.student)
        table = student_validity(
            scorer.score,
            {cell: table[: spec.validity_items] for cell, table in tables(spec.items).items()},
            tables(spec.grades),
            settings.student.seed,
            work.events.progress,
        )
    seconds = round(time.monotonic() - started, 1)
    work.publish_table(name, table, seconds=seconds, device=engine.device)


def _train(spec: TrainGenerator, work: Work) -> None:
    from tasks.questions.generator import train_generator
    from tasks.training.folders import stamp

    for name in work.take(prefix=PART):
        checkpoints = work.checkpoints(name)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            folder = Path(scratch)
            log, rollouts = train_generator(
                spec.settings,
                model_folder(work.store, spec.generator),
                model_folder(work.store, spec.student),
                training_seeds(read_table(work.store, spec.seeds)),
                folder,
                checkpoints,
                work.events.progress,
            )
            pq.write_table(log, folder / LOG)
            pq.write_table(rollouts, folder / ROLLOUTS)
            stamp(folder)
            seconds = round(time.monotonic() - started, 1)
            work.publish(name, folder, seconds=seconds, device=spec.settings.device)
        checkpoints.clear()


def training_seeds(seeds: pa.Table) -> pa.Table:
    """The even rows; the odd ones are kept for generation, so that the two never meet."""
    return seeds.take(list(range(0, seeds.num_rows, 2)))


STEP = Step("train-generator", TrainGenerator, plan, compute)
