"""Where an answer is announced: "the answer is", "Antwort:", a box, four hashes, a tag.

A firm announcement is an answer word with a colon, a verb or the answer itself behind it; a loose
one is an answer word that stands alone. English ones count in every language, because models that
reason in English also answer in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tasks.languages import Language, language

_BOX = r"\\boxed *\{|#### *(?=\S)|<answer>"
# What may stand between an answer word and its verb: "the answer to the question is".
_GAP = r"[^\n.!?:=,;\d]{0,40}?"
_COLON = r"[ *_\])\"'`]*(?:\([^)\n]{0,30}\))?[ *_]*[:=]"
_DASH = r"[ *_]+[—–-] "
_LINE_END = r"[ *_]*\n"
_ANSWER_ITSELF = r"[ *_(\[]{0,4}(?=\d|(?-i:[A-Z])(?!\w))"


def rows(code: str) -> tuple[Language, ...]:
    """The language's own facts and the English ones."""
    return (language(code),) if code == "en" else (language(code), language("en"))


def any_of(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, longest first; nothing at all for none."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(map(re.escape, ordered)) + ")" if ordered else r"(?!)"


def bounded(row: Language, phrases: Iterable[str]) -> str:
    """`any_of` as whole words, where the language has spaces between words."""
    phrases = tuple(phrases)
    if not row.spaced or not phrases:
        return any_of(phrases)
    # Arabic writes "and" and "so" onto the next word.
    left = r"(?<![^\Wوف])" if row.script == "Arabic" else r"(?<!\w)"
    return rf"{left}{any_of(phrases)}(?!\w)"


def _firm(row: Language) -> str:
    label = bounded(row, (row.answer_word.casefold(), *row.answer_words))
    verb = rf"{_GAP}{bounded(row, row.links)}"
    return rf"{label}(?:{_COLON}|{verb}|{_DASH}|{_LINE_END}|{_ANSWER_ITSELF})"


@lru_cache
def _firm_pattern(code: str) -> re.Pattern[str]:
    return re.compile("|".join([*map(_firm, rows(code)), _BOX]), re.IGNORECASE)


@lru_cache
def _loose_pattern(code: str) -> re.Pattern[str]:
    words = (bounded(row, row.answer_words) for row in rows(code))
    return re.compile("|".join(words), re.IGNORECASE)


@lru_cache
def _denial(code: str) -> re.Pattern[str]:
    denials = (bounded(row, row.negations) for row in rows(code))
    return re.compile("|".join(denials), re.IGNORECASE)


def firm_ends(text: str, code: str) -> list[int]:
    """Where the firmly announced answers begin, last first; "a resposta não é" has none."""
    denial = _denial(code)
    found = _firm_pattern(code).finditer(text)
    return [match.end() for match in found if not denial.search(match[0])][::-1]


def loose_ends(text: str, code: str) -> list[int]:
    """Where the loose announcements end, last first."""
    return [match.end() for match in _loose_pattern(code).finditer(text)][::-1]
