"""What every grader gives, and what an answer is that says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.text import cut_at_stop, without_thoughts


class Grade(NamedTuple):
    """`status`: right | wrong | scored | unparsed | truncated | empty; `score` in [0, 1]."""

    status: str
    answer: str | None
    score: float


def unsaid(text: str, stop: Sequence[str] = (), finish_reason: str = "stop") -> Grade | None:
    """The grade of an answer that ends inside a thought or is blank; None for any other."""
    said, open_thought = without_thoughts(cut_at_stop(text, stop))
    if open_thought:
        return Grade("truncated", None, 0.0)
    if not said.strip():
        return Grade("truncated" if finish_reason == "length" else "empty", None, 0.0)
    return None
