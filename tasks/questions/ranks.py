"""Generator training in several processes of this machine, each on a GPU of its own.

`accelerate launch` starts them; this process alone knows the store. What passes between is files in
one folder: the job, the checkpoint to resume from, then progress and new checkpoints, each renamed
into place once it is complete.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from tasks.artifacts.checkpoints import Checkpoints
from tasks.errors import BadInput, ComputeCrashed, OutOfMemory
from tasks.questions.settings import GeneratorTraining

logger = logging.getLogger(__name__)
Progress = Callable[[int, int, str], None]
JOB, SEEDS, LOG, ROLLOUTS = "job.json", "seeds.parquet", "log.parquet", "rollouts.parquet"
CHECKPOINTS, PROGRESS, REFUSED = "checkpoints", "progress.json", "refused.json"
_ERROR = re.compile(r"(\[rank\d+\]: )?[\w.]*(Error|Exception): .")
POLL = 0.5  # seconds
LINES = 200  # of what the processes printed, searched for what ended them


class Job(BaseModel):
    """What each process is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: GeneratorTraining
    generator: Path
    student: Path
    out: Path
    resumed: Path | None
    folder: Path

    def save(self) -> Path:
        """Write it for the processes; the file."""
        file = self.folder / JOB
        file.write_text(self.model_dump_json())
        return file


def train_in_ranks(
    settings: GeneratorTraining,
    generator_folder: Path,
    student_folder: Path,
    seeds: pa.Table,
    out: Path,
    checkpoints: Checkpoints,
    progress: Progress,
) -> tuple[pa.Table, pa.Table]:
    """`tasks.questions.generator.train_generator` in `settings.processes` processes.

    Raises BadInput where one of them does, OutOfMemory or ComputeCrashed where one ends.
    """
    with tempfile.TemporaryDirectory(prefix="hotfixr-ranks-") as scratch:
        folder = Path(scratch)
        (folder / CHECKPOINTS).mkdir()
        pq.write_table(seeds, folder / SEEDS)
        job = Job(
            settings=settings,
            generator=generator_folder,
            student=student_folder,
            out=out,
            resumed=checkpoints.latest(folder / "resumed"),
            folder=folder,
        )
        _follow(launch(settings, job.save()), folder, checkpoints, progress)
        return pq.read_table(folder / LOG), pq.read_table(folder / ROLLOUTS)


def launch(settings: GeneratorTraining, job: Path) -> list[str]:
    """The command that starts all processes, and starts none again."""
    options = {
        "--num_processes": settings.processes,
        "--num_machines": 1,
        "--mixed_precision": "no",  # the trainer's own settings say it
        "--dynamo_backend": "no",
        "--main_process_port": _free_port(),
        "--max_restarts": 0,
    }
    said = [str(word) for option in options.items() for word in option]
    accelerate = [sys.executable, "-P", "-m", "accelerate.commands.launch", "--multi_gpu"]
    return [*accelerate, *said, "-m", "tasks.questions.rank", str(job)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _follow(command: list[str], folder: Path, checkpoints: Checkpoints, progress: Progress) -> None:
    """Publish checkpoints and progress until all processes have left."""
    printed = folder / "printed.txt"
    with printed.open("w") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while process.poll() is None:
            time.sleep(POLL)
            _relay(folder, checkpoints, progress)
        _relay(folder, checkpoints, progress)
    finally:
        if process.poll() is None:
            process.terminate()  # the launcher ends those that it started
            process.wait()
    if process.returncode != 0:
        raise _ended(process.returncode, folder, printed)


def _relay(folder: Path, checkpoints: Checkpoints, progress: Progress) -> None:
    for saved in sorted((folder / CHECKPOINTS).iterdir()):
        checkpoints.save(saved, int(saved.name))
        shutil.rmtree(saved)
    if (folder / PROGRESS).exists():
        said = (folder / PROGRESS).rename(folder / "said.json")
        progress(*json.loads(said.read_text()))


def _ended(code: int, folder: Path, printed: Path) -> Exception:
    if (folder / REFUSED).exists():
        return BadInput(json.loads((folder / REFUSED).read_text()))
    lines = printed.read_text(errors="replace").splitlines()[-LINES:]
    logger.error("%s", "\n".join(lines))
    if any("out of memory" in line.lower() for line in lines):
        return OutOfMemory("train-generator: one of its processes ran out of memory")
    # The launcher's own summary comes last and says nothing of the cause.
    last = next((line for line in lines if _ERROR.match(line)), "it printed no error")
    return ComputeCrashed(f"train-generator: one of its processes left with code {code} ({last})")


def put(file: Path, text: str) -> None:
    """Write a file that is complete whenever it is there."""
    arriving = file.with_suffix(".arriving")
    arriving.write_text(text)
    os.replace(arriving, file)
