"""What LAI and LSI are on a benchmark's questions, beside what the student got wrong there.

The student is asked as in its generator's training, from the question alone (with its context and
options), in the trained languages; pass rates come from its evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

import pyarrow as pa

from tasks.languages import LATIN_LETTERS, TRAINED
from tasks.questions.deficits import Asked, Score
from tasks.questions.generation import Progress
from tasks.scoring.validity import validity

RESAMPLES = 1000
BATCH = 64  # questions of one call

Tables = Mapping[str, pa.Table]  # "facts/fr" -> ITEMS or GRADES


def student_validity(
    score: Score, items: Tables, grades: Tables, seed: int, progress: Progress
) -> pa.Table:
    """VALIDITY of a student on items that are parallel and have a source language."""
    rows = list(_rows(items, _pass_rates(grades)))
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        asked = [Asked(row["text"], row["language"]) for row in batch]
        for row, deficit in zip(batch, score(asked), strict=True):
            row |= {"lai": deficit.lai, "lsi": deficit.lsi}
        progress(start + len(batch), len(rows), "questions of the validity table measured")
    return validity(rows, RESAMPLES, seed)


def _pass_rates(grades: Tables) -> dict[tuple[str, str, str], float]:
    """Mean score by benchmark, item and language; what cannot be read counts as wrong."""
    scores: dict[tuple[str, str, str], list[float]] = {}
    for table in grades.values():
        names = ("benchmark", "item_id", "language", "score")
        columns = (table.column(name).to_pylist() for name in names)
        for *item, score in zip(*columns, strict=True):
            scores.setdefault(tuple(item), []).append(score or 0.0)
    return {item: fmean(own) for item, own in scores.items()}


def _rows(items: Tables, rates: Mapping[tuple[str, str, str], float]) -> Iterator[dict[str, Any]]:
    for name, table in items.items():
        benchmark, language = name.split("/")
        for item in table.to_pylist() if language in TRAINED else ():
            own = rates.get((benchmark, item["item_id"], language))
            if own is None or not item["parallel"] or item["source_language"] is None:
                continue
            # LSI compares with English, and so do pass rates: English itself has no gap.
            english = rates.get((benchmark, item["item_id"], "en")) if language != "en" else None
            yield {
                "benchmark": benchmark,
                "item_id": item["item_id"],
                "language": language,
                "text": _text(item),
                "wrong": 1.0 - own,
                "gap": None if english is None else abs(english - own),
            }


def _text(item: Mapping[str, Any]) -> str:
    """Context, question and options, one below the other."""
    options = zip(LATIN_LETTERS, item["options"] or (), strict=False)
    lettered = (f"{letter}) {option}" for letter, option in options)
    return "\n".join([*(item["context"] or ()), item["question"], *lettered])
