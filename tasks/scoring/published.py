"""Figures of the HAT paper (arXiv 2606.21954) that stand beside ours, as it printed them."""

from __future__ import annotations

import re
from typing import NamedTuple

SMALL = "1B to 4B"
BEFORE, FROM = "before 2025", "from 2025"
MEAN_OF_TARGETS = "mean over targets"

# The paper's benchmarks, under the names that people give them, without signs.
ECLEKTIC, MGSM, MMLU_PROX = ("eclektic",), ("mgsmrev2", "mgsmv2"), ("mmluproxlite",)
ALL = ECLEKTIC + MGSM + MMLU_PROX


class Anchor(NamedTuple):
    """The range that the paper gives for one statement."""

    analysis: str
    benchmarks: tuple[str, ...]
    metric: str
    group: str
    low: float
    high: float


ANCHORS = (
    Anchor("coupling", ALL, "r2_coupling", "", 0.94, 1.0),
    Anchor("size", ALL, "hat", SMALL, 0.5, 0.8),
    Anchor("released", MMLU_PROX, "hat", BEFORE, 0.75, 0.75),
    Anchor("released", MMLU_PROX, "hat", FROM, 0.93, 0.93),
    Anchor("released", MGSM, "hat", BEFORE, 0.90, 0.90),
    Anchor("released", MGSM, "hat", FROM, 0.97, 0.97),
    Anchor("tokens", ALL, "relative_tokens", MEAN_OF_TARGETS, 1.05, 1.20),
)


def anchor(analysis: str, benchmark: str, metric: str, group: str) -> Anchor | None:
    """The paper's figure for a statement about one of its benchmarks."""
    bare = re.sub(r"[^a-z0-9]", "", benchmark.lower())
    for row in ANCHORS:
        said = (row.analysis, row.metric, row.group) == (analysis, metric, group)
        if said and bare in row.benchmarks:
            return row
    return None
