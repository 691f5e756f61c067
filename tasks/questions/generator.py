"""Training the question generator with GRPO. Imported by the compute child only.

A run can be killed at any time: every checkpoint holds the trainer's state, the log and the
rollouts so far, and a resumed run draws the same seeds, prompts and rollouts as one that was never
interrupted. Nothing in a checkpoint is unpickled (the trainer loads tensors with weights_only).
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.errors import BadInput
from tasks.languages import TRAINED
from tasks.models.tokens import encode_prompt, load_tokenizer
from tasks.questions.prompts import GENERATOR_STOP, generator_prompt
from tasks.questions.rewards import Rewards, Rollout
from tasks.questions.settings import GeneratorTraining
from tasks.questions.training_log import (
    TRAINER_METRICS,
    Logged,
    distinct_share,
    log_table,
    rollout_table,
    step_metrics,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Progress = Callable[[int, int, str], None]

# Questions are asked of the generator in every trained language but that of the seeds.
ASKED_LANGUAGES = tuple(code for code in TRAINED if code != "en")
