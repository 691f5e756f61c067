"""The name that each sample's answer is kept by, and the pieces in which answers are kept."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from tasks.artifacts.digests import digest
from tasks.artifacts.journal import Kept
from tasks.models.engine import Completion, Prompt, Sampling

logger = logging.getLogger(__name__)
PIECE = 64  # answers that are kept together
PIECE_SECONDS = 20.0  # a slow endpoint's answers are kept after so long


class Sample(NamedTuple):
    """One sample of one prompt."""

    key: str  # a digest of everything that is asked, and which of its samples this is
    prompt: Prompt


def name_samples(prompts: Sequence[Prompt], sampling: Sampling) -> list[Sample]:
    """`sampling.n` samples of each prompt, in order; equal prompts of one seed differ, too."""
    asked = asdict(sampling) | {"n": None}
    seen: Counter[str] = Counter()
    samples = []
    for prompt in prompts:
        said = {"text": prompt.text, "messages": prompt.messages, "seed": prompt.seed}
        name = digest([said, asked])
        for number in range(seen[name], seen[name] + sampling.n):
            samples.append(Sample(f"{name}-{number}", prompt))
        seen[name] += sampling.n
    return samples


class Pieces:
    """Answers on their way to their parts' journals."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._buffers: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self._since = time.monotonic()

    def add(self, sample: Sample, answer: Completion) -> None:
        """Take an answer, which is lost until it is written."""
        self._buffers[sample.prompt.part][sample.key] = answer._asdict()

    async def write_full(self) -> None:
        """Write once there are enough, or after a while."""
        count = sum(map(len, self._buffers.values()))
        if count >= PIECE or time.monotonic() - self._since > PIECE_SECONDS:
            await asyncio.to_thread(self.write)

    def write(self) -> None:
        """Write everything, one piece for each part."""
        buffers, self._buffers = self._buffers, defaultdict(dict)
        self._since = time.monotonic()
        for part, answers in buffers.items():
            self._kept.journal(part).keep(answers)
            logger.info("%d answers kept", len(answers))
