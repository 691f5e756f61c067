"""The languages: one row of facts each, in a table per group, read by their codes.

A language is added as a row; nothing else knows the languages by name.
"""

from __future__ import annotations

from collections.abc import Iterable

from tasks.errors import BadInput
from tasks.languages import held_out, latin, scripts, trained
from tasks.languages.reasoning import Reasoning
from tasks.languages.row import LATIN_LETTERS, Language

_ROWS = (*trained.ROWS, *held_out.ROWS, *latin.ROWS, *scripts.ROWS)

LANGUAGES: dict[str, Language] = {row.code: row for row in _ROWS}
TRAINED: tuple[str, ...] = tuple(row.code for row in _ROWS if row.role == "trained")
HELD_OUT: tuple[str, ...] = tuple(row.code for row in _ROWS if row.role == "held_out")


def known(codes: Iterable[str] = LANGUAGES) -> str:
    """The language codes, as error messages list them."""
    return ", ".join(codes)


def language(code: str) -> Language:
    """The row of a language code; BadInput lists the known ones."""
    if code not in LANGUAGES:
        raise BadInput(f"language {code!r} is not known; write one of {known()}")
    return LANGUAGES[code]


__all__ = [
    "HELD_OUT",
    "LANGUAGES",
    "LATIN_LETTERS",
    "TRAINED",
    "Language",
    "Reasoning",
    "known",
    "language",
]
