"""What the page says of a generator: its rates before the gates, and what training changed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import GAIN, QUESTIONS
from tasks.reporting.gain import METRICS, gain_rows
from tasks.reporting.page import render
from tasks.reporting.rates import generation_rates, rates_rows
from tasks.scoring.gain import Weights, gain
from tests.reporting.invented import report_of, score_row
from tests.scoring.test_gain import written


def wrote(language: str, question: str | None, detected: str | None, kept: bool) -> dict[str, Any]:
    return {
        "language": language, "text": question or "?", "parsed": question is not None,
        "question": question, "detected_language": detected, "kept": kept,
    }  # fmt: skip


ROWS = [
    wrote("fr", "Combien font deux et deux ?", "fr", True),
    wrote("fr", "combien font  deux et deux ?", "fr", False),
    wrote("fr", "How many are two and two?", "en", False),
    wrote("ar", None, None, False),
]


def test_rates_count_what_the_gates_refuse() -> None:
    rates = generation_rates(ROWS[:3])
    assert rates == {"parsed": 1.0, "language": pytest.approx(2 / 3), "distinct": rates["language"]}
    assert generation_rates(ROWS[3:]) == {"parsed": 0.0, "language": None, "distinct": None}


def test_rates_are_shown_per_language_and_over_all() -> None:
    found = rates_rows(pa.Table.from_pylist(ROWS, QUESTIONS))
    assert [(row.language, row.written, row.parsed) for row in found] == [
        ("French", 3, "100.0 %"), ("Arabic", 1, "0.0 %"), ("All", 4, "75.0 %"),
    ]  # fmt: skip
    assert found[1].distinct == "–"


def test_real_rows_have_no_rates() -> None:
    real = [row | {"text": None} for row in ROWS]
    assert rates_rows(pa.Table.from_pylist(real, QUESTIONS)) == rates_rows(None) == []


def test_a_gain_is_shown_with_both_generators_and_on_which_side_of_0_it_lies() -> None:
    table = gain(written(), Weights(1.0, 1.0, 1.0), 0)
    assert table.schema == GAIN
    found = {row.title: row for row in gain_rows(table)}
    assert list(found) == [title for title, _, _ in METRICS.values()]
    form = found["In the right form"]
    assert (form.untrained.value, form.trained.value) == ("50.0 %", "100.0 %")
    assert (form.difference.value, form.difference.verdict) == ("+50.0", "excludes 0: higher")
    page = render(report_of([score_row()], gain=table), [])
    assert "Trained against untrained generator" in page and "the same 24 prompts" in page
    assert "Trained against untrained" not in render(report_of([score_row()]), [])
