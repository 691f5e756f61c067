"""The numbers of the HOTFIXR paper (arXiv 2608.15964), as it printed them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

OVER_STUDENTS = ""  # the student of a number that is a mean over students


@cache
def _tables() -> dict[str, Any]:
    text = (files(__package__) / "published.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["tables"])


def published(table: str, student: str | None, row: str, column: str) -> float | None:
    """The number of a cell; None where the paper has none."""
    facts = _tables().get(table)
    if facts is None or student is None or column not in facts["columns"]:
        return None
    values = facts["students"].get(student, {}).get(row)
    return None if values is None else float(values[facts["columns"].index(column)])


def paper_students() -> tuple[str, ...]:
    """The students of the paper's main comparison."""
    return tuple(_tables()["table10"]["students"])


def paper_student(reference: str) -> str | None:
    """The paper's name of a student, from the reference of its model; None where it has none."""
    named = reference.partition("@")[0].rpartition("/")[2].lower()
    named = named.removeprefix("meta-")
    return next((name for name in paper_students() if name.lower() == named), None)
