"""Multilingual worked maths that somebody published, as questions with their own answers.

A .parquet or .jsonl file with the columns `language` (a code), `question` and the worked solution:
under `reasoning`, with the result under `answer`, or all of it under either; the result is then the
number that the solution states. Rows in languages that are not trained never get in; how many there
were is counted, because without them the set is not the published one. A Parquet file is read in
batches; give large sets in that form.
"""

from __future__ import annotations

import random
from collections import Counter
from heapq import nsmallest
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.benchmarks.files import Row, rows_of
from tasks.benchmarks.folders import Found, open_folder
from tasks.errors import BadInput
from tasks.grading.number import read_answer, written
from tasks.questions.gates import language_gate, length_gate
from tasks.questions.generation import QuestionGeneration
from tasks.questions.selection import first_kept, questions_table
from tasks.text import identify_language

WHAT = "published rows"


class PublishedRows(NamedTuple):
    """QUESTIONS, and how many rows of the file were left out for their language."""

    questions: pa.Table
    left_out: dict[str, int]


def rows_revision(source: str) -> str:
    """SHA-256 of the file. Raises BadInput where there is none."""
    return _file(source).digest()


def load_rows(settings: QuestionGeneration, source: str) -> PublishedRows:
    """`keep` rows at random of those in the settings' languages, and those refused on the way.

    Raises BadInput if there is no such file, it lacks a column, or no row of it can be used.
    """
    left_out: Counter[str] = Counter()
    chance = random.Random(settings.seed)

    def eligible(row: Row) -> bool:
        code = row.text("language")
        left_out[code] += code not in settings.languages
        return code in settings.languages

    ranked = (
        (chance.random(), number, row)
        for number, row in enumerate(rows_of(_file(source)))
        if eligible(row)
    )
    # The least random numbers are a random choice that never holds the whole file.
    drawn = nsmallest(settings.max_attempts, ranked, key=lambda one: one[:2])
    if not drawn:
        raise BadInput(
            f"{source} has no row in {', '.join(settings.languages)} (its languages are "
            f"{', '.join(sorted(left_out)) or 'none'}); give a file whose column language has "
            "these codes"
        )
    rows = (_question(number, row) for _, number, row in drawn)
    table = questions_table(first_kept(rows, settings.keep))
    return PublishedRows(table, {code: n for code, n in sorted(left_out.items()) if n})


def _file(source: str) -> Found:
    folder, _, name = source.rpartition("/")
    if not name.endswith((".parquet", ".jsonl")):
        raise BadInput(f"{WHAT} {source!r} must be a URI that ends in .parquet or .jsonl")
    found = Found(open_folder(WHAT, folder), name)
    # Not `has`, which reads a whole file to know.
    if name not in found.folder.names(""):
        raise BadInput(f"there are no {WHAT} at {source}; check the URI")
    return found


def _question(number: int, row: Row) -> dict[str, Any]:
    language, question = row.text("language"), row.text("question")
    reasoning, answer = _solution(row, language)
    reason = _refusal(question, reasoning, answer, language)
    return {
        "question_id": f"{language}-{number:05d}",
        "seed_id": f"row-{number}",
        "language": language,
        "domain": "math",
        "parsed": True,
        "question": question,
        "reasoning": reasoning,
        "answer": answer,
        "detected_language": identify_language(question),
        "kept": reason is None,
        "reason": reason,
    }


def _solution(row: Row, language: str) -> tuple[str, str | None]:
    """Reasoning and result; the result is None where a solution states no number."""
    given = [row.text(name) for name in ("reasoning", "answer") if name in row.cells]
    texts = [text for text in given if text]
    if len(texts) == 2:
        return texts[0], texts[1]
    if not given:
        row.cell("reasoning")
    value = read_answer(texts[0], language) if texts else None
    return (texts[0] if texts else ""), None if value is None else written(value)


def _refusal(question: str, reasoning: str, answer: str | None, language: str) -> str | None:
    if not question or not reasoning:
        return "without question or solution"
    if answer is None:
        return "the solution states no number"
    return length_gate(question) or language_gate(question, language)
