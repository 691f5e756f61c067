"""train-generator: GRPO teaches the question generator what the student does not know."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.models.cache import model_folder
from tasks.questions.settings import GeneratorTraining

VERSION = 2
PART = "generator"
LOG, ROLLOUTS = "log.parquet", "rollouts.parquet"


class TrainGenerator(Spec):
    """The untrained generator, the frozen student, and the seeds between them."""

    generator: Part
    student: Part
    seeds: Part
    settings: GeneratorTraining


def plan(spec: TrainGenerator, done: Mapping[str, Part]) -> Plan:
    """One part: the trained model, its log and every rollout."""
    return {PART: {"version": VERSION, "spec": spec}}


def compute(spec: TrainGenerator, work: Work) -> None:
    """Train, or resume from the last checkpoint."""
    from tasks.questions.generator import train_generator
    from tasks.training.folders import stamp

    for name in work.take():
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
