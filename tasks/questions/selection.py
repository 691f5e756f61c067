"""Real rows as questions: English, with their own reasoning and answer, drawn at random."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import QUESTIONS
from tasks.errors import BadInput
from tasks.questions.gates import length_gate
from tasks.questions.generation import QuestionGeneration
from tasks.text import identify_language


def select_rows(settings: QuestionGeneration, seeds: pa.Table) -> pa.Table:
    """QUESTIONS: `keep` rows of SEEDS in random order, and those that were refused on the way.

    Fewer where there are not so many. Raises BadInput if none can be kept.
    """
    return questions_table(first_kept(real_rows(settings, seeds), settings.keep))


def real_rows(settings: QuestionGeneration, seeds: pa.Table) -> list[dict[str, Any]]:
    """All rows of SEEDS as rows of QUESTIONS, shuffled by the settings' seed."""
    rows = seeds.to_pylist()
    random.Random(settings.seed).shuffle(rows)
    return [_question(number, row) for number, row in enumerate(rows)]


def _question(number: int, row: dict[str, str]) -> dict[str, Any]:
    detected = identify_language(row["question"])
    reason = length_gate(row["question"])
    # A formula alone is in no language; only what reads as another one is out of place.
    if reason is None and detected not in (None, "en"):
        reason = f"in {detected}, not en"
    return {
        **row,
        "question_id": f"en-{number:05d}",
        "language": "en",
        "parsed": True,
        "detected_language": detected,
        "kept": reason is None,
        "reason": reason,
    }


def first_kept(rows: Iterable[dict[str, Any]], keep: int) -> list[dict[str, Any]]:
    """The rows up to the last one that is needed for `keep` kept ones."""
    taken: list[dict[str, Any]] = []
    kept = 0
    for row in rows:
        if kept == keep:
            break
        taken.append(row)
        kept += row["kept"]
    return taken


def questions_table(rows: list[dict[str, Any]]) -> pa.Table:
    """The rows as QUESTIONS. Raises BadInput if none of them is kept."""
    if not any(row["kept"] for row in rows):
        reasons = sorted({str(row["reason"]) for row in rows})
        said = f"({'; '.join(reasons[:3])})" if reasons else "(there is none)"
        raise BadInput(
            f"none of the {len(rows)} rows can be used as a question {said}; give other seeds or "
            "rows, in languages that are trained"
        )
    return pa.Table.from_pylist(rows, QUESTIONS)
