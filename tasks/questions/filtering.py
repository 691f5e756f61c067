"""Real rows that the student knows least about: those of largest LAI + LSI on the frozen student.

The rows are English, so each gets a second language to reason in, which cycles over the others that
are trained. LSI is compared within that language only (`lsi_centered`, its mean subtracted): a
final-layer state lies the farther from an English one the more its language differs from English,
whatever the question, so that plain sums would choose rows for having been given Arabic.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle
from statistics import fmean
from typing import Any

import pyarrow as pa

from tasks.languages import TRAINED
from tasks.questions.deficits import Asked, Score
from tasks.questions.generation import Progress, QuestionGeneration
from tasks.questions.selection import first_kept, questions_table, real_rows

SECOND_LANGUAGES = tuple(code for code in TRAINED if code != "en")
ROWS_PER_QUESTION = 2  # measured for one that is kept


def filter_rows(
    settings: QuestionGeneration,
    score: Score,
    seeds: pa.Table,
    progress: Progress,
    batch: int | None = None,
) -> pa.Table:
    """QUESTIONS: up to twice `keep` real rows with their LAI and LSI, the upper half kept.

    Rows without a score are refused with the reason. `batch` rows are measured in one call, all of
    them if it is None. Raises BadInput if no row has a score.
    """
    rows = first_kept(real_rows(settings, seeds), ROWS_PER_QUESTION * settings.keep)
    usable = [row for row in rows if row["kept"]]
    size = batch or max(len(usable), 1)
    for row, second in zip(usable, cycle(SECOND_LANGUAGES), strict=False):
        row["lsi_language"] = second
    for start in range(0, len(usable), size):
        _measure(usable[start : start + size], score)
        progress(min(start + size, len(usable)), len(usable), "rows measured on the student")
    _keep_upper_half([row for row in usable if row["kept"]])
    return questions_table(rows)


def _measure(rows: Sequence[dict[str, Any]], score: Score) -> None:
    asked = [Asked(row["question"], "en", row["lsi_language"]) for row in rows]
    for row, deficit in zip(rows, score(asked), strict=True):
        row |= {"lai": deficit.lai, "lsi": deficit.lsi}
        if deficit.lai is None or deficit.lsi is None:
            row |= {"kept": False, "reason": f"not measured: {deficit.reason}"}


def _keep_upper_half(rows: list[dict[str, Any]]) -> None:
    centered = lsi_centered(rows)
    order = sorted(range(len(rows)), key=lambda at: -(rows[at]["lai"] + centered[at]))
    for at in order[(len(rows) + 1) // 2 :]:
        rows[at] |= {"kept": False, "reason": "LAI + LSI is not in the upper half"}


def lsi_centered(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Each row's LSI less the mean over the rows with the same second language."""
    own: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        own[row["lsi_language"]].append(row["lsi"])
    return [row["lsi"] - fmean(own[row["lsi_language"]]) for row in rows]
