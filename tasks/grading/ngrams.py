"""How far two texts are apart by their characters: the offline stand-in for embeddings."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple


def character_distance(first: str, second: str, shortest: int = 2, longest: int = 4) -> float:
    """One minus the cosine between the counts of both texts' character n-grams."""
    a, b = (_ngrams(text, shortest, longest) for text in (first, second))
    norms = math.sqrt(a.total_squares * b.total_squares)
    shared = sum(count * b.counts[gram] for gram, count in a.counts.items())
    return 1.0 - shared / norms if norms else float(first != second)


class _Grams(NamedTuple):
    counts: Counter[str]
    total_squares: int


def _ngrams(text: str, shortest: int, longest: int) -> _Grams:
    """Counts of the n-grams of the text between two blanks, so that words have edges."""
    padded = f" {' '.join(text.split())} "
    counts = Counter(
        padded[start : start + size]
        for size in range(shortest, longest + 1)
        for start in range(len(padded) - size + 1)
    )
    return _Grams(counts, sum(count * count for count in counts.values()))
