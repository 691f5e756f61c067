"""Listens to the generator's trainer: keeps the log, publishes checkpoints, stops a collapse.

Of several processes each knows all rollouts, so that all of them stop where one does; only the main
one publishes and says how far it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from accelerate import PartialState
from accelerate.utils import gather_object
from transformers import TrainerCallback

from tasks.artifacts.checkpoints import Checkpoints
from tasks.questions.rewards import Rewards, Rollout
from tasks.questions.settings import GeneratorTraining
from tasks.questions.training_log import (
    TRAINER_METRICS,
    Logged,
    distinct_shares,
    log_table,
    rollout_table,
    step_metrics,
)

Progress = Callable[[int, int, str], None]
LOG, ROLLOUTS = "log.parquet", "rollouts.parquet"
PICKLED = "training_args.bin"


class Recorder(TrainerCallback):  # type: ignore[misc]
    """Everything that is known of the run so far, kept over restarts."""

    def __init__(
        self,
        settings: GeneratorTraining,
        rewards: Rewards,
        checkpoints: Checkpoints,
        progress: Progress,
    ) -> None:
        self._settings = settings
        self._rewards = rewards
        self._checkpoints = checkpoints
        self._progress = progress
        self._log: list[Logged] = []
        self._rollouts: list[Rollout] = []

    def restore(self, into: Path) -> Path | None:
        """Take up the newest checkpoint's log and rollouts; its folder for the trainer."""
        folder = self._checkpoints.latest(into)
        if folder is not None:
            self._log = [Logged(**row) for row in pq.read_table(folder / LOG).to_pylist()]
            rows = pq.read_table(folder / ROLLOUTS).to_pylist()
            self._rollouts = [Rollout(**row) for row in rows]
        return folder

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """TRAINING_LOG and ROLLOUTS."""
        return log_table(self._log), rollout_table(self._rollouts)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float], **more: Any
    ) -> None:
        """Keep what the trainer says of a step."""
        self._log += [
            Logged(state.global_step, metric, None, float(value))
            for metric in TRAINER_METRICS
            if (value := logs.get(metric)) is not None
        ]

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Log the step's rewards; stop where the generator writes the same question again."""
        settings, step = self._settings, state.global_step
        rows: list[Rollout] = gather_object(self._rewards.take())
        self._rollouts += rows
        self._log += step_metrics(rows, settings.rollouts, settings.weights)
        distinct = distinct_shares(self._rollouts, settings.collapse_window)
        self._log += [Logged(step, "distinct", code, share) for code, share in distinct.items()]
        if distinct.get(None, 1.0) < settings.collapse_below:
            self._log.append(Logged(step, "stopped_collapsed", None, 1.0))
            control.should_training_stop = True
        if state.is_world_process_zero:
            self._progress(step, settings.steps, f"step {step} of {settings.steps}")

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Publish the trainer's checkpoint with the log and the rollouts in it."""
        PartialState().wait_for_everyone()  # each process writes its random states into it
        if not state.is_world_process_zero:
            return
        folder = Path(args.output_dir, f"checkpoint-{state.global_step}")
        log, rollouts = self.tables()
        pq.write_table(log, folder / LOG)
        pq.write_table(rollouts, folder / ROLLOUTS)
        (folder / PICKLED).unlink(missing_ok=True)
        self._checkpoints.save(folder, state.global_step)
        shutil.rmtree(folder)
