"""What single rows of grades must hold: scores and other numbers that are possible ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.errors import BadInput
from tasks.scoring.columns import Labels, described, labels, numbers
from tasks.scoring.statistics import Array

PARSED = ("right", "wrong", "scored")
UNPARSED = ("unparsed", "truncated", "empty")
LEAST = {"n_options": 2, "completion_tokens": 0, "reasoning_tokens": 0, "temperature": 0}

Bools = npt.NDArray[np.bool_]


def possible(table: pa.Table, name: str) -> Array:
    """A column of numbers, NaN where not stated; raises BadInput for what no answer can have."""
    values = numbers(table, name)
    with np.errstate(invalid="ignore"):
        bad = (values < LEAST[name]) | np.isinf(values)
    refuse_rows(
        table, bad, name, f"have {name} below {LEAST[name]} or infinite", "leave it empty there"
    )
    return values


def scores(table: pa.Table) -> tuple[Array, Array, tuple[str, ...]]:
    """Scores with 0 for what has no answer; 1 for rows that have one; what is odd about some."""
    score, status = numbers(table, "score"), labels(table, "status")
    unknown = set(status.names) - {*PARSED, *UNPARSED}
    if unknown:
        raise BadInput(
            f"status {min(unknown)!r} is not one that a grade can have: "
            f"use {', '.join((*PARSED, *UNPARSED))}."
        )
    stated = status.codes >= 0
    parsed = np.where(stated, _are(status, PARSED), ~np.isnan(score))
    refuse_rows(
        table,
        parsed & np.isnan(score),
        "score",
        "have no score (NaN) although their status says that they were graded",
        "give them a score in [0, 1] or the status 'unparsed'",
    )
    with np.errstate(invalid="ignore"):
        outside = parsed & ((score < 0) | (score > 1))
    mend = "divide by the highest possible"
    refuse_rows(table, outside, "score", "have a score outside [0, 1]", mend)
    odd = tuple(_oddities(table, score, status))
    return np.where(parsed, score, 0.0), parsed.astype(float), odd


def refuse_rows(table: pa.Table, bad: Bools, column: str, what: str, mend: str) -> None:
    """Raise BadInput where a row is bad, naming one and how many there are."""
    if bad.any():
        row = int(np.argmax(bad))
        raise BadInput(
            f"{int(bad.sum())} of {len(bad)} rows {what}, {described(table, row)} for one "
            f"({column} {table.column(column)[row].as_py()}); nothing was scored: {mend}."
        )


def _are(status: Labels, kinds: tuple[str, ...]) -> Bools:
    """Which rows have one of these statuses."""
    return np.array([*(name in kinds for name in status.names), False])[status.codes]


def _oddities(table: pa.Table, score: Array, status: Labels) -> Iterator[str]:
    silent = (status.codes < 0) & np.isnan(score)
    with np.errstate(invalid="ignore"):
        unread = _are(status, UNPARSED) & (score > 0)
        against = _are(status, ("right",)) & (score == 0)
        against |= _are(status, ("wrong",)) & (score == 1)
    for rows, what in (
        (silent, "have neither a score nor a status and count as unparsed, that is as 0"),
        (unread, "have a score above 0 although they could not be read; they count as 0"),
        (against, "are right with the score 0 or wrong with the score 1; the score counts"),
    ):
        if rows.any():
            yield f"{int(rows.sum())} answers {what} ({described(table, int(np.argmax(rows)))})"
