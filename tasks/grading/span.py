"""Short answers from a text: exact match and token F1, as SQuAD has them, in every language.

Articles are dropped by the language's own list, elided ones too, but not at the end ("vitamin A").
A gold of nothing but articles or punctuation keeps them, so that a band called "The The" can be
answered; numbers are the same however they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from tasks.grading.announcements import any_of, firm_ends
from tasks.grading.number import with_plain_numbers
from tasks.languages import language
from tasks.text import compatible, words


def normalised(text: str, code: str) -> list[str]:
    """The words that are compared: without articles, if anything else is left."""
    found = _words(text, code)
    return _without_articles(found, code) or found or _as_written(text)


def token_f1(answer: str, gold: str, code: str) -> float:
    """Harmonic mean of precision and recall over the multisets of words."""
    said, wanted = (Counter(side) for side in _compared(answer, gold, code))
    shared = (said & wanted).total()
    if not shared:
        return 0.0
    precision, recall = shared / said.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def best_f1(answer: str, golds: Sequence[str], code: str) -> float:
    """The best over the accepted answers."""
    return max(token_f1(answer, gold, code) for gold in golds)


def said(text: str, code: str) -> str:
    """What is behind the last announcement ("the answer is"), else the whole text."""
    cleaned = compatible(text).strip()
    for end in firm_ends(cleaned, code):
        behind = cleaned[end:].lstrip(" :").strip()
        if behind:
            return behind.splitlines()[0]
    return cleaned


def _compared(answer: str, gold: str, code: str) -> tuple[list[str], list[str]]:
    """Both sides, cut down as far as leaves something of the gold."""
    said, wanted = _words(answer, code), _words(gold, code)
    if not wanted:
        return _as_written(answer), _as_written(gold)
    bare = _without_articles(wanted, code)
    return (_without_articles(said, code), bare) if bare else (said, wanted)


def _words(text: str, code: str) -> list[str]:
    shown = compatible(with_plain_numbers(text, code))
    return words(_elision(code).sub("", shown.replace("’", "'")), code)


def _as_written(text: str) -> list[str]:
    return compatible(text).casefold().split()


def _without_articles(found: list[str], code: str) -> list[str]:
    articles = language(code).articles
    if all(word in articles for word in found):
        return []
    return [word for word in found[:-1] if word not in articles] + found[-1:]


@lru_cache
def _elision(code: str) -> re.Pattern[str]:
    """An article written onto a word that is long enough to be one."""
    return re.compile(rf"(?<!\w){any_of(language(code).elisions)}(?=\w\w)", re.IGNORECASE)
