"""What a report over methods is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tasks.methods.variants import Variant
from tasks.scoring.repeats import Repeats


@dataclass(frozen=True)
class MethodsReport:
    """The scores of a grid of variants, and what is known of its students."""

    settings: dict[str, Any]  # the recipe, without its labels
    scores: pa.Table  # SCORES
    repeats: Repeats
    variants: tuple[Variant, ...]
    students: dict[str, str]  # name -> reference of the model
    learned: dict[str, int] = field(default_factory=dict)  # variant -> labels it was trained on
    notes: list[str] = field(default_factory=list)
    simulated: bool = False
