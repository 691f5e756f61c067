"""What a report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Report:
    """The tables of a run; those of steps that did not run are None."""

    settings: dict[str, Any]  # the recipe, without its labels
    scores: pa.Table  # SCORES
    profiles: pa.Table  # PROFILES
    notes: list[str]
    methods: bool = False  # whether there is a page over methods beside it
    validity: pa.Table | None = None  # VALIDITY
    generator_log: pa.Table | None = None  # TRAINING_LOG
    rollouts: pa.Table | None = None  # ROLLOUTS
    gain: pa.Table | None = None  # GAIN
    written: pa.Table | None = None  # WRITTEN
    questions: pa.Table | None = None  # QUESTIONS
    labels: pa.Table | None = None  # LABELS
    student_log: pa.Table | None = None  # TRAINING_LOG
