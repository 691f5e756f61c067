"""What a report over models is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tasks.scoring.model_facts import ModelFacts


@dataclass(frozen=True)
class ModelsReport:
    """The scores of any number of models, and what is said over them."""

    settings: dict[str, Any]  # how it was scored, and the recipe where there is one
    scores: pa.Table  # SCORES
    profiles: pa.Table  # PROFILES
    analyses: pa.Table  # ANALYSES
    models: list[ModelFacts]  # in the order of the page; models without facts follow
    notes: list[str]
    simulated: bool = False
