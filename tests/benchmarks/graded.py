"""Grades as one table, for tests that look at them all."""

from __future__ import annotations

import pyarrow as pa

from tasks.artifacts.schemas import GRADES
from tasks.benchmarks.grade_answers import grade_batches


def grade_table(
    model: str,
    items: pa.Table,
    answers: pa.Table,
    language: str,
    form: str | None = None,
    *,
    verdicts: pa.Table | None = None,
) -> pa.Table:
    """GRADES of ANSWERS."""
    batches = grade_batches(model, items, answers.to_batches(), language, form, verdicts=verdicts)
    return pa.Table.from_batches(batches, GRADES)
