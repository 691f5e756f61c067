"""train-student: supervised fine-tuning of the student on the labels."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.errors import BadInput
from tasks.models.cache import model_folder
from tasks.training.settings import StudentTraining

VERSION = 1
PART = "student"
LOG = "log.parquet"


class TrainStudent(Spec):
    """The student as it is, and what it is to learn."""

    student: Part
    labels: Part
    settings: StudentTraining


def plan(spec: TrainStudent, done: Mapping[str, Part]) -> Plan:
    """One part: the trained model and its log."""
    return {PART: {"version": VERSION, "spec": spec}}


def compute(spec: TrainStudent, work: Work) -> None:
    """Train, or resume from the last checkpoint."""
    from tasks.training.folders import stamp
    from tasks.training.sft import train_student

    for name in work.take():
        labels = read_table(work.store, spec.labels).filter(pc.field("kept"))
        if labels.num_rows == 0:
            raise BadInput(
                "train-student has no label to learn from: none reached the agreement floor; "
                "lower labels.agreement_floor or keep more questions"
            )
        checkpoints = work.checkpoints(name)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            folder = Path(scratch)
            student = model_folder(work.store, spec.student)
            log = train_student(
                spec.settings, student, labels, folder, checkpoints, work.events.progress
            )
            pq.write_table(log, folder / LOG)
            stamp(folder)
            seconds = round(time.monotonic() - started, 1)
            device = spec.settings.device
            work.publish(name, folder, seconds=seconds, rows=_learnt(log), device=device)
        checkpoints.clear()


def _learnt(log: pa.Table) -> int:
    """How many labels fitted and were taken, over all languages."""
    return int(pc.sum(log.filter(pc.field("metric") == "rows")["value"]).as_py())


STEP = Step("train-student", TrainStudent, plan, compute)
