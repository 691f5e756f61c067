"""What the frozen student does not know: LAI and LSI of a question, from the question alone.

    LAI = 1 - mean_t p(top-1 token | prompt, response before t)    the student reasons in English
    LSI = 1 - cos(h_en, h_lang)    h: hidden state of the last reasoning token in either language

Probabilities are raw (no temperature, no truncation) and come from the engine while it samples; h
comes from one batched forward of the model's body. The last reasoning token is the last one before
the answer delimiter and the blanks around it. `lsi_null` is the distance between two English
samples. LAI is the mean over the English samples drawn. Imported by the compute child only.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.models.engine import Completion, Engine, Sampling
from tasks.questions.prompts import ANSWER_DELIMITER, STUDENT_STOP, student_prompt
from tasks.questions.settings import StudentScoring
from tasks.text import identify_language

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class Asked(NamedTuple):
    """A question and the language that it is in."""

    question: str
    language: str


class Deficit(NamedTuple):
    """LAI in [0, 1], LSI and lsi_null in [0, 2]; None where undefined, with the reason."""

    lai: float | None
    lsi: float | None
    lsi_null: float | None
    reason: str | None


class _Run(NamedTuple):
    """One answer asked of the student; `sample` counts those of the same kind."""

    asked: Asked
    reasoning_language: str
    sample: int

    @property
    def seed(self) -> int:
        """Of this answer's sampling: the same whatever else is in the batch."""
        name = f"{self.asked.language}|{self.reasoning_language}|{self.sample}|{self.asked.question}"
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1


class StudentScorer:
    """A frozen student; every question is measured once."""

    def __init__(
        self,
        engine: Engine,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerFast,
        settings: StudentScoring,
    ) -> None:
        self._engine = engine
        self._model = model
        self._tokenizer = tokenizer
        self._settings = settings
        self._known: dict[tuple[Asked, bool], Deficit] = {}

    def score(self, questions: Sequence[Asked], with_lsi: bool = True) -> list[Deficit]:
        """LAI and, unless `with_lsi` is False, LSI of each question."""
        fresh = [q for q in dict.fromkeys(questions) if (q, with_lsi) not in self._known]
        for question, deficit in zip(fresh, self._measure(fresh, with_lsi), strict=True):
            self._known[question, with_lsi] = deficit
        return [self._known[question, with_lsi] for question in questions]
