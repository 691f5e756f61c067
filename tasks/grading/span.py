"""Short answers from a text: exact match and token F1, as SQuAD has them, in every language.

Articles are dropped by the language's own list, elided ones too; a text of nothing but articles
or punctuation keeps its words, so that a band called "The The" can be answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tasks.grading.announcements import firm_ends
from tasks.languages import language
from tasks.text import compatible, words


def normalised(text: str, code: str) -> list[str]:
    """The words that are compared."""
    row = language(code)
    found = words(_without_elisions(text, row.elisions), code)
    kept = [word for word in found if word not in row.articles]
    return kept or found or compatible(text).casefold().split()


def _without_elisions(text: str, elisions: Sequence[str]) -> str:
    parts = []
    for word in text.replace("’", "'").split(" "):
        elided = next((one for one in elisions if word.casefold().startswith(one)), "")
        rest = word[len(elided) :]
        parts.append(rest if rest else word)
    return " ".join(parts)


def token_f1(answer: str, gold: str, code: str) -> float:
    """Harmonic mean of precision and recall over the multisets of words."""
    said, wanted = Counter(normalised(answer, code)), Counter(normalised(gold, code))
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
        behind = cleaned[end:].lstrip(" :：").strip()
        if behind:
            return behind.splitlines()[0]
    return cleaned
