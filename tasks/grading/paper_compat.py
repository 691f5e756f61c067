"""The scores that HOTFIXR's published tables seem to hold, to be read beside those tables only.

They call an answer right when its embedding is near the gold's, or when a judge rates it 4 or 5.
Both accept what is wrong (an English name for an Arabic gold), so no other score is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, field_validator

from tasks.errors import BadInput
from tasks.grading.ngrams import character_distance
from tasks.models.references import parse_reference

PAPER_COMPAT_VERSION = 1
CHARACTERS = "characters"  # the offline embedding: counts of character n-grams
_WITH_WEIGHTS = ("hf", "file", "bundled")
THRESHOLD = 0.7
THRESHOLDS = {"choice": 0.9}  # of a kind; else THRESHOLD


class PaperCompat(BaseModel):
    """How answers are read as published tables read them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding: str = CHARACTERS  # or a model with weights that embeds by its last token
    ratings: bool = False  # of every answer, by evaluation.judge

    @field_validator("embedding")
    @classmethod
    def _embeds(cls, text: str) -> str:
        if text != CHARACTERS:
            try:
                kind = parse_reference(text).kind
            except BadInput as error:
                raise ValueError(f"{error} Or write {CHARACTERS}.") from error
            if kind not in _WITH_WEIGHTS:
                raise ValueError(f"{text} has no weights to embed with; write {CHARACTERS}")
        return text


def threshold(kind: str) -> float:
    """The cosine above which an answer of this kind counts as right."""
    return THRESHOLDS.get(kind, THRESHOLD)


def character_similarity(answer: str, golds: Sequence[str]) -> float:
    """The best cosine between the counts of character n-grams, in [0, 1]."""
    return max(1.0 - character_distance(answer, gold) for gold in golds)
