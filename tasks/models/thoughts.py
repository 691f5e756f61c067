"""Thoughts in token ids: closed in time, and written between the tags that the grader skips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

THINK, THOUGHT = "<think>", "</think>"
Marks = tuple[str, str]  # what opens and what closes a thought, as the tokenizer writes it
MARKS: Marks = (THINK, THOUGHT)


def mark_ids(tokenizer: PreTrainedTokenizerFast, marks: Marks) -> tuple[list[int], list[int]]:
    """The token ids of both marks."""
    opening, closing = (tokenizer.encode(mark, add_special_tokens=False) for mark in marks)
    return opening, closing


class ThoughtLimit:
    """Closes one sample's thought after so many tokens; asked once after every token."""

    def __init__(
        self, opening: Sequence[int], closing: Sequence[int], budget: int, opened: bool
    ) -> None:
        """`opened`: the prompt's end has opened the thought already."""
        self._opening = list(opening)
        self._closing = list(closing)
        self._budget = budget
        self._start = 0 if opened else None  # index of the thought's first token
        self._forced = list(closing)
        self._over = False

    def forced(self, ids: Sequence[int]) -> int | None:
        """The token that must follow these; None where the model is free."""
        if self._over:
            return None
        if self._start is None and _ends_with(ids, self._opening):
            self._start = len(ids)
        if self._start is None:
            return None
        self._over = _ends_with(ids, self._closing)
        if self._over or len(ids) - self._start < self._budget:
            return None
        return self._forced.pop(0)


def _ends_with(ids: Sequence[int], mark: Sequence[int]) -> bool:
    return list(ids[-len(mark) :]) == list(mark)


def tagged(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int], marks: Marks) -> str:
    """The text of a completion with its thought between <think> tags, whatever its own marks.

    Where a model marks thoughts with special tokens, plain decoding would run thought and answer
    together.
    """
    opening, closing = mark_ids(tokenizer, marks)
    begin, end = _find(ids, opening), _find(ids, closing)
    if begin is None and end is None:
        return _decode(tokenizer, ids)
    thought = "" if begin is None else _decode(tokenizer, ids[begin + len(opening) : end])
    if end is None:
        return f"{THINK}{thought}"
    answer = _decode(tokenizer, ids[end + len(closing) :])
    return f"{THINK}{thought}{THOUGHT}{answer}" if thought.strip() else answer


def _find(ids: Sequence[int], mark: Sequence[int]) -> int | None:
    spans = range(len(ids) - len(mark) + 1)
    return next((at for at in spans if list(ids[at : at + len(mark)]) == list(mark)), None)


def _decode(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int]) -> str:
    text: str = tokenizer.decode(list(ids), skip_special_tokens=True)
    return text
