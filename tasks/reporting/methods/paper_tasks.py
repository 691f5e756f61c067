"""Which benchmarks stand for which of the paper's tasks, and in what they differ from them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from tasks.languages import TRAINED

NEMOTRON, FACTUAL, TRANSLATION, RAG = "Nemotron", "Factual", "Translation", "RAG"
IN_DISTRIBUTION = (NEMOTRON,)
OUT_OF_DISTRIBUTION = (FACTUAL, TRANSLATION, RAG)
TASKS = (NEMOTRON, *OUT_OF_DISTRIBUTION)

_NEAR = "the paper counts embeddings that are near enough"
_RATED = "the paper counts a judge's verdicts"


# Metrics of SCORES that stand beside published tables only.
EMBEDDING, JUDGE = "paper_embedding", "paper_judge"


class Measured(NamedTuple):
    """A benchmark as one of the paper's tasks; `differs` is empty where ours is the paper's own.

    `languages` are those in which the paper asked it, and `compat` is the metric that its numbers
    are of, where it is not the benchmark's.
    """

    benchmark: str
    task: str
    title: str
    differs: str
    languages: tuple[str, ...]
    compat: str = ""

    @property
    def is_bundled(self) -> bool:
        """Whether its items are others than the paper's."""
        return self.differs.startswith("bundled")

    def elsewhere(self, asked: Collection[str]) -> str:
        """What is to be known where it was `asked` in other languages than the paper's.

        Items of our own are other ones anyway.
        """
        if self.is_bundled or set(asked) == set(self.languages):
            return ""
        return f"{self.title} in {', '.join(asked)}, the paper's in {', '.join(self.languages)}"


_SWAPPED = "the paper's judge saw gold and answer swapped"
_BUNDLED = "bundled {} instead of {}"
_ENGLISH = ("en",)
_INTO_ENGLISH = (*(code for code in TRAINED if code != "en"), "de", "ja")
_FACTUAL = ("en", *_INTO_ENGLISH)
_HOTPOT = ("en", "ar", "ru", "zh")

MEASURED = (
    Measured("nemotron-stem", NEMOTRON, "STEM", "", _ENGLISH),
    Measured("nemotron-math", NEMOTRON, "MATH", f"equal formulas; {_NEAR}", _ENGLISH, EMBEDDING),
    Measured("nemotron-chat", NEMOTRON, "CHAT", _SWAPPED, _ENGLISH, JUDGE),
    Measured("mmmlu", FACTUAL, "MMMLU", "", _FACTUAL),
    Measured("facts", FACTUAL, "bundled facts", _BUNDLED.format("facts", "MMMLU"), _FACTUAL),
    Measured("mhotpotqa", RAG, "mHotpotQA", f"exact match; {_NEAR}", _HOTPOT, EMBEDDING),
    Measured(
        "multihop", RAG, "bundled multi-hop",
        _BUNDLED.format("multi-hop questions", "mHotpotQA"), _HOTPOT, EMBEDDING,
    ),
    Measured("opus-100", TRANSLATION, "OPUS-100", f"chrF++; {_RATED}", _INTO_ENGLISH, JUDGE),
    Measured(
        "translation", TRANSLATION, "bundled sentences",
        _BUNDLED.format("sentences", "OPUS-100"), _INTO_ENGLISH, JUDGE,
    ),
)  # fmt: skip
