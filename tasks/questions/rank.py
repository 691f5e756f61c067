"""One of several processes that train a generator: `python -m tasks.questions.rank JOB`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from accelerate import PartialState

from tasks.errors import BadInput
from tasks.questions.generator import train_generator
from tasks.questions.ranks import CHECKPOINTS, LOG, PROGRESS, REFUSED, ROLLOUTS, SEEDS, Job, put


@dataclass(frozen=True)
class Handed:
    """Checkpoints that another process publishes."""

    job: Job

    def save(self, folder: Path, step: int) -> None:
        """Put a copy where that process looks."""
        arriving = self.job.folder / f"arriving-{step}"
        shutil.copytree(folder, arriving)
        os.replace(arriving, self.job.folder / CHECKPOINTS / f"{step:06d}")

    def latest(self, into: Path) -> Path | None:
        """The one to resume from, the same for all processes."""
        return self.job.resumed


def main(file: Path) -> None:
    """Train; the main process writes what came out."""
    threading.Thread(target=_leave_with_caller, daemon=True).start()
    job = Job.model_validate_json(file.read_text())
    log, rollouts = train_generator(
        job.settings,
        job.generator,
        job.student,
        pq.read_table(job.folder / SEEDS),
        job.out,
        Handed(job),
        lambda *said: put(job.folder / PROGRESS, json.dumps(said)),
    )
    if PartialState().is_main_process:
        pq.write_table(log, job.folder / LOG)
        pq.write_table(rollouts, job.folder / ROLLOUTS)


def _leave_with_caller() -> None:
    """End this process when standard input closes: whoever wanted the generator has died."""
    while os.read(sys.stdin.fileno(), 1):  # a buffered read would hold up this process's own end
        pass
    os._exit(3)


if __name__ == "__main__":
    given = Path(sys.argv[1])
    try:
        main(given)
    except BadInput as error:
        put(given.parent / REFUSED, json.dumps(str(error)))
        raise
