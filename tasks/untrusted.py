"""What models, data sets and strangers wrote, made harmless to show."""

from __future__ import annotations

import re

_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_SEPARATORS = re.compile("\r\n?|[\u0085\u2028\u2029]")
# Controls but line feed and tab; marks that reorder or hide what follows; halves of characters.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u206f\ufeff\ud800-\udfff]"
)
# What Markdown, formulas and the HTML within it read as more than text; within a word "_" is none.
_MARKS = re.compile(r"([\\`*\[\]|<>&~$])")


def clean(text: str) -> str:
    """The text without terminal controls and bidi marks; every kind of line end is a line feed."""
    return _UNSHOWN.sub("", _SEPARATORS.sub("\n", _TERMINAL.sub("", text)))


def one_line(text: str) -> str:
    """The cleaned text on one line: none of it can pass for a line of ours."""
    return " ".join(clean(text).splitlines())


def in_markdown(text: str) -> str:
    """The text on one line, of which Markdown makes no element, link, image, code or table cell."""
    return _MARKS.sub(r"\\\1", one_line(text))
