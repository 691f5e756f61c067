"""What the report says of the rewards before training: do they go with what the student lacks?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tasks.reporting.names import language_name
from tasks.reporting.shown import limits, number

MEASURES = {
    "lai_auroc": ("LAI", "AUROC against wrong answers", "0.5"),
    "lsi_spearman": ("LSI", "rank correlation with the gap to English", "0"),
}
INFORMATIVE = "it goes with what the student lacks"


@dataclass(frozen=True)
class ValidityRow:
    """One measure over one cut of the questions."""

    reward: str
    measure: str
    questions: str  # which
    value: str
    limits: str
    count: str
    note: str


def validity_rows(table: pa.Table | None) -> list[ValidityRow]:
    """The table's rows; none where nothing was validated."""
    return [] if table is None else [_row(row) for row in table.to_pylist()]


def _row(row: dict[str, Any]) -> ValidityRow:
    reward, measure, without = MEASURES[row["measure"]]
    language = "" if row["language"] is None else language_name(row["language"])
    unmeasured = f", {row['n_unmeasured']} more not measured" if row["n_unmeasured"] else ""
    return ValidityRow(
        reward,
        f"{measure} ({without}: none)",
        row["benchmark"] or language or "all",
        number(row["value"]),
        limits(row["low"], row["high"], "ratio"),
        f"{row['n_questions']} of {row['n_items']} items{unmeasured}",
        row["note"] or INFORMATIVE,
    )


def validity_said(table: pa.Table | None) -> list[str]:
    """One sentence per reward, over all questions."""
    rows = [] if table is None else table.to_pylist()
    return [
        f"{MEASURES[row['measure']][0]}: {row['note'] or INFORMATIVE}."
        for row in rows
        if row["benchmark"] is None and row["language"] is None
    ]
