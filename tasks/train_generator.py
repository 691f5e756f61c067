"""train-generator: GRPO teaches the question generator what the student does not know.

Where the student's own grades are given, it is said first whether the rewards mean anything for it;
where prompts are to be compared, it is said last what training changed in the generator.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.generate_questions import generation_seeds
from tasks.models.cache import model_folder
from tasks.questions.settings import GeneratorTraining
from tasks.scoring.gain import GAIN_VERSION, TRAINED, UNTRAINED, Weights, gain
from tasks.scoring.validity import VALIDITY_VERSION

if TYPE_CHECKING:
    from tasks.questions.student_scorer import StudentScorer

VERSION = 3
PART, VALIDITY, GAINED = "generator", "validity", "gain"
ON_VALIDITY = ("items", "grades", "validity_items")
SHAPE_NO_GENERATOR = (*ON_VALIDITY, "compared_prompts")
LOG, ROLLOUTS = "log.parquet", "rollouts.parquet"
GAIN_TABLE, WRITTEN_TABLE = "gain.parquet", "written.parquet"
# Of the generator's training, what shapes how it is asked and rewarded afterwards.
ASKED_LIKE = (
    "form",
    "dtype",
    "device",
    "student",
    "temperature",
    "max_completion_tokens",
    "weights",
    "seed",
)


class TrainGenerator(Spec):
    """The untrained generator, the frozen student, and the seeds between them."""

    generator: Part
    student: Part
    seeds: Part
    items: dict[str, Part] = Field({})  # "facts/fr" -> ITEMS that the rewards are validated on
    grades: dict[str, Part] = Field({})  # the student's, of the same cells; none: no validity table
    validity_items: int = 30  # of each cell
    compared_prompts: int = 0  # held-out ones, on which it is compared with its untrained self
    settings: GeneratorTraining


def plan(spec: TrainGenerator, done: Mapping[str, Part]) -> Plan:
    """VALIDITY of the rewards; the trained model with its log and every rollout; its gain."""
    apart = {name: value for name, value in dict(spec).items() if name not in SHAPE_NO_GENERATOR}
    training = {PART: {"version": VERSION, "spec": apart}, **_planned_gain(spec, done)}
    if not spec.grades:
        return training
    settings = spec.settings
    measured = {name: getattr(spec, name) for name in ("student", *ON_VALIDITY)}
    shape = {"version": VALIDITY_VERSION, "scoring": settings.student, **measured}
    return {VALIDITY: shape | {"dtype": settings.dtype, "device": settings.device}} | training


def _planned_gain(spec: TrainGenerator, done: Mapping[str, Part]) -> Plan:
    if PART not in done or not spec.compared_prompts:
        return {}
    settings = {name: getattr(spec.settings, name) for name in ASKED_LIKE}
    asked = {name: getattr(spec, name) for name in ("student", "seeds", "compared_prompts")}
    generators = {UNTRAINED: spec.generator, TRAINED: done[PART]}
    return {GAINED: {"version": GAIN_VERSION, "settings": settings, **asked, **generators}}


def compute(spec: TrainGenerator, work: Work) -> None:
    """Measure the student first; then train, or resume; compare once there is what to compare."""
    for name in work.take(prefix=VALIDITY):
        _validate(spec, work, name)
    _train(spec, work)
    for name in work.take(prefix=GAINED):
        _compare(spec, work, name)


@contextmanager
def _frozen_student(spec: TrainGenerator, work: Work) -> Iterator[StudentScorer]:
    from tasks.models.hidden_states import last_hidden
    from tasks.models.transformers_engine import TransformersEngine
    from tasks.questions.student_scorer import StudentScorer

    settings = spec.settings
    folder = model_folder(work.store, spec.student)
    with closing(TransformersEngine(folder, settings.dtype, settings.device)) as engine:
        hidden_states = partial(last_hidden, engine.model)
        yield StudentScorer(engine, hidden_states, engine.tokenizer, settings.student)


def _validate(spec: TrainGenerator, work: Work, name: str) -> None:
    from tasks.questions.validity import student_validity

    def tables(parts: Mapping[str, Part]) -> dict[str, pa.Table]:
        return {cell: read_table(work.store, part) for cell, part in parts.items()}

    started, settings = time.monotonic(), spec.settings
    with _frozen_student(spec, work) as scorer:
        table = student_validity(
            scorer.score,
            {cell: table[: spec.validity_items] for cell, table in tables(spec.items).items()},
            tables(spec.grades),
            settings.student.seed,
            work.events.progress,
        )
    seconds = round(time.monotonic() - started, 1)
    work.publish_table(name, table, seconds=seconds, device=settings.device)


def _compare(spec: TrainGenerator, work: Work, name: str) -> None:
    """What both generators write to the same prompts, and what the student makes of it."""
    from tasks.models.transformers_engine import TransformersEngine
    from tasks.questions.gain import held_out_prompts, measured, write, written_table

    started, settings = time.monotonic(), spec.settings
    seeds = generation_seeds(read_table(work.store, spec.seeds))
    prompts = held_out_prompts(settings, seeds, spec.compared_prompts)
    texts = {}
    for generator, part in ((UNTRAINED, spec.generator), (TRAINED, work.done[PART])):
        folder = model_folder(work.store, part)
        with closing(TransformersEngine(folder, settings.dtype, settings.device)) as engine:
            texts[generator] = write(engine, settings, prompts)
        work.events.progress(len(texts), 3, "generators compared")
    with _frozen_student(spec, work) as scorer:
        rows = [measured(one, prompts, own, scorer.score) for one, own in texts.items()]
    written = written_table([row for own in rows for row in own])
    weights = Weights(**settings.weights.model_dump())
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        pq.write_table(written, Path(scratch, WRITTEN_TABLE))
        pq.write_table(gain(written, weights, settings.seed), Path(scratch, GAIN_TABLE))
        seconds = round(time.monotonic() - started, 1)
        work.publish(name, Path(scratch), seconds=seconds, device=settings.device)


def _train(spec: TrainGenerator, work: Work) -> None:
    from tasks.questions.generator import train_generator
    from tasks.questions.ranks import train_in_ranks
    from tasks.training.folders import stamp

    train = train_in_ranks if spec.settings.processes > 1 else train_generator
    for name in work.take(prefix=PART):
        checkpoints = work.checkpoints(name)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            folder = Path(scratch)
            log, rollouts = train(
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
