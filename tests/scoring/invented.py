"""Graded samples that the scoring tests share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tasks.scoring import score


def grades(
    rates: Mapping[str, float],
    *,
    models: Sequence[str] = ("base", "student"),
    items: int = 30,
    samples: int = 4,
    seed: int = 0,
    **columns: Any,
) -> pd.DataFrame:
    """0/1 scores at a pass rate per language, the same items in all of them."""
    rng = np.random.default_rng(seed)
    rows = [
        (model, "facts", f"i{item}", language, sample, float(rng.random() < rate))
        for model in models
        for language, rate in rates.items()
        for item in range(items)
        for sample in range(samples)
    ]
    names = ["model", "benchmark", "item_id", "language", "sample", "score"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(status=np.where(frame.score > 0, "right", "wrong"), **columns)


def rows_of(frame: pd.DataFrame, metric: str, **options: Any) -> pd.DataFrame:
    """The rows of one metric, by target."""
    found = score(frame, resamples=200, **options).scores.to_pandas()
    return found[found.metric == metric].set_index("target")
