"""What a writer of questions does before any gate: form, language, repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tasks.reporting.names import in_order, language_name
from tasks.reporting.shown import number
from tasks.text import grams


@dataclass(frozen=True)
class RatesRow:
    """Shares in one language; the latter two are of the parsed ones."""

    language: str
    written: int
    parsed: str
    right_language: str
    distinct: str


def rates_rows(questions: pa.Table | None) -> list[RatesRow]:
    """One row per language and one over all; none where no model wrote."""
    rows = [] if questions is None else questions.to_pylist()
    rows = [row for row in rows if row["text"] is not None]
    own = {code: [r for r in rows if r["language"] == code] for code in _codes(rows)}
    found = [_row(language_name(code), texts) for code, texts in own.items()]
    return [*found, _row("All", rows)] if found else []


def generation_rates(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Shares parsed, in the language asked, and distinct; the latter two of the parsed ones.

    Case and spacing make no question distinct.
    """
    parsed = [row for row in rows if row["parsed"]]
    right = sum(row["detected_language"] == row["language"] for row in parsed)
    distinct = len({grams(row["question"]) for row in parsed})
    return {
        "parsed": len(parsed) / len(rows) if rows else None,
        "language": right / len(parsed) if parsed else None,
        "distinct": distinct / len(parsed) if parsed else None,
    }


def _codes(rows: Sequence[dict[str, Any]]) -> list[str]:
    return in_order(row["language"] for row in rows)


def _row(name: str, rows: Sequence[dict[str, Any]]) -> RatesRow:
    shares = (number(share, "percent") for share in generation_rates(rows).values())
    return RatesRow(name, len(rows), *shares)
