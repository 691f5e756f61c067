"""Formulas, compared by what they mean, through math-verify."""

from __future__ import annotations

import logging
import re
from typing import Any

from math_verify import parse, verify

from tasks.text import plain

# It warns at every call that no time limit is set; ours is the length of what it is given.
logging.getLogger("math_verify").setLevel(logging.ERROR)

# A longer text is no answer, and symbolic work on it may take for ever.
LONGEST = 4_000  # characters; only the end of a text is read
LONGEST_FORMULA = 300
_BOXED = "\\boxed{"
_BOLD = re.compile(r"\*\*(.+?)\*\*")


def boxed(text: str) -> str | None:
    """The content of the last box, with its braces matched."""
    start = text.rfind(_BOXED)
    if start < 0:
        return None
    depth = 0
    for at in range(start + len(_BOXED) - 1, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start + len(_BOXED) : at]
    return None


def read_formula(text: str) -> list[Any]:
    """The last formula or number of a text, parsed; empty where there is none.

    A box counts before everything else.
    """
    shown = _BOLD.sub(r"\1", plain(text)[-LONGEST:])
    content = boxed(shown)
    if content is not None and len(content) <= LONGEST_FORMULA:
        shown = f"${content}$"
    # math-verify's own time limits use signals, which only work in a main thread.
    return list(parse(shown, parsing_timeout=None))


def equal(gold: str, parsed: list[Any]) -> bool:
    """Whether a parsed answer means what the gold means."""
    golds = parse(f"${gold.strip('$ ')}$", parsing_timeout=None)
    return bool(verify(golds, parsed, timeout_seconds=None))
