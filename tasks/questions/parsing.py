"""Reading the question / reasoning / answer triple that a generator wrote between tags.

`format_score` is the format reward: the share of seven conditions that hold (one opening and one
closing tag for each of three sections, the sections in order, nothing after the last, no section
empty or too long), 0 for an empty text. `parse` accepts exactly the texts that score 1. So a triple
ranks above a malformed text and that above an empty one, and a base model that writes two of three
sections is told so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tasks.text import without_thoughts

TAGS = ("question", "reasoning", "answer")

# Characters of one section, tags excluded; the published pipeline drops longer questions.
LONGEST_SECTION = 8_192
# A whole text beyond this is not searched at all.
LONGEST_TEXT = 4 * LONGEST_SECTION

# Right-to-left writers and chat models put these around tags; they carry no content there.
_AROUND = (
    " \t\r\n\u200b\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
# Marks inside of a tag, where a right-to-left writer's editor puts them.
_MARKED_TAG = re.compile(rf"<[{_AROUND}]*+(/?)[{_AROUND}]*+({'|'.join(TAGS)})[{_AROUND}]*+>")
_FENCES = ("```", "~~~")
_CLOSING = re.compile(r"</([\w-]+)>")


class Triple(NamedTuple):
    """What a generator wrote: a new question, the reasoning to its answer, the answer."""

    question: str
    reasoning: str
    answer: str


class _Condition(NamedTuple):
    reason: str
    holds: Callable[[str], bool]


def parse(text: str) -> Triple | str:
    """The triple, or why there is none. An opened tag of the prompt is part of `text`."""
    bare = _bare(text)
    broken = [condition.reason for condition in _CONDITIONS if not condition.holds(bare)]
    return broken[0] if broken else Triple(*(_section(bare, tag) for tag in TAGS))


def format_score(text: str) -> float:
    """The share of conditions that hold, in [0, 1]; 1 exactly where `parse` gives a triple."""
    bare = _bare(text)
    return sum(condition.holds(bare) for condition in _CONDITIONS) / len(_CONDITIONS)


def _bare(text: str) -> str:
    """Without thoughts, invisible marks and what is wrapped around; nothing of a text too long."""
    shown, _ = without_thoughts(text if len(text) <= LONGEST_TEXT else "")
    return _unwrapped(_MARKED_TAG.sub(r"<\1\2>", shown).strip(_AROUND))


def _unwrapped(text: str) -> str:
    """Without fences and tags that close around the sections; what opens them is no matter."""
    opened = text.partition(f"<{TAGS[0]}>")[0]
    while True:
        inner = text.rstrip(text[-1]) if text.endswith(_FENCES) else text
        closing = _CLOSING.fullmatch(inner, max(inner.rfind("</"), 0))
        if closing and closing[1] not in TAGS and f"<{closing[1]}>" in opened:
            inner = inner[: closing.start()]
        inner = inner.rstrip(_AROUND)
        if inner == text:
            return text
        text = inner


def _section(text: str, tag: str) -> str:
    """Between the first opening tag and the next closing one; empty where one is missing."""
    _, _, after = text.partition(f"<{tag}>")
    inside, closed, _ = after.partition(f"</{tag}>")
    return inside.strip(_AROUND) if closed else ""


def _once(tag: str) -> Callable[[str], bool]:
    return lambda text: text.count(f"<{tag}>") == text.count(f"</{tag}>") == 1


def _ordered(text: str) -> bool:
    places = [text.find(mark) for tag in TAGS for mark in (f"<{tag}>", f"</{tag}>")]
    return min(places) >= 0 and places == sorted(places)


_CONDITIONS = (
    *(_Condition(f"not exactly one <{tag}> and one </{tag}>", _once(tag)) for tag in TAGS),
    _Condition("the sections are not in order", _ordered),
    _Condition("text after the last tag", lambda text: text.endswith(f"</{TAGS[-1]}>")),
    _Condition("an empty section", lambda text: all(_section(text, tag) for tag in TAGS)),
    _Condition(
        f"a section of more than {LONGEST_SECTION} characters",
        lambda text: 0 < max(len(_section(text, tag)) for tag in TAGS) <= LONGEST_SECTION,
    ),
)
