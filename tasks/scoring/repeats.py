"""One student evaluated several times: the mean score of each repetition.

The samples of an item are numbered, and sample j of every item is evaluation j. How far these lie
apart is what the paper's three runs of one student say (`std_eval`); students that were trained
with several seeds are something else (`std_seed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from tasks.scoring.row_checks import scores

COLUMNS = ("model", "benchmark", "language", "item_id", "sample", "status", "score")
FEWEST = 2  # repetitions that have a spread

Cell = tuple[str, str, str]  # model, benchmark, language
Repeats = Mapping[Cell, tuple[float, ...]]  # in [0, 1], in the order of the samples


def repeat_means(tables: Iterable[pa.Table]) -> dict[Cell, tuple[float, ...]]:
    """The mean over items of each repetition, from tables with these columns of GRADES.

    What has no answer counts as 0, as in every other score.
    """
    found: dict[Cell, tuple[float, ...]] = {}
    for table in tables:
        graded = table.set_column(
            table.column_names.index("score"), "score", pa.array(scores(table)[0])
        )
        means = graded.group_by(["model", "benchmark", "language", "sample"]).aggregate(
            [("score", "mean")]
        )
        for row in means.sort_by("sample").to_pylist():
            cell = row["model"], row["benchmark"], row["language"]
            found[cell] = (*found.get(cell, ()), row["score_mean"])
    return found


def spread_of(values: Sequence[float]) -> float | None:
    """Sample standard deviation (n - 1 in the denominator); None below two values."""
    return float(np.std(values, ddof=1)) if len(values) >= FEWEST else None
