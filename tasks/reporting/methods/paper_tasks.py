"""Which benchmarks stand for which of the paper's tasks, and in what they differ from them."""

from __future__ import annotations

from typing import NamedTuple

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

    `compat` is the metric that the paper's numbers are of, where it is not the benchmark's.
    """

    benchmark: str
    task: str
    title: str
    differs: str
    compat: str = ""

    @property
    def is_bundled(self) -> bool:
        """Whether its items are others than the paper's."""
        return self.differs.startswith("bundled")


_SWAPPED = "the paper's judge saw gold and answer swapped"
_BUNDLED = "bundled {} instead of {}"

MEASURED = (
    Measured("nemotron-stem", NEMOTRON, "STEM", ""),
    Measured("nemotron-math", NEMOTRON, "MATH", f"equal formulas; {_NEAR}", EMBEDDING),
    Measured("nemotron-chat", NEMOTRON, "CHAT", _SWAPPED, JUDGE),
    Measured("mmmlu", FACTUAL, "MMMLU", ""),
    Measured("facts", FACTUAL, "bundled facts", _BUNDLED.format("facts", "MMMLU")),
    Measured("mhotpotqa", RAG, "mHotpotQA", f"exact match; {_NEAR}", EMBEDDING),
    Measured(
        "multihop", RAG, "bundled multi-hop",
        _BUNDLED.format("multi-hop questions", "mHotpotQA"), EMBEDDING,
    ),
    Measured("opus-100", TRANSLATION, "OPUS-100", f"chrF++; {_RATED}", JUDGE),
    Measured(
        "translation", TRANSLATION, "bundled sentences",
        _BUNDLED.format("sentences", "OPUS-100"), JUDGE,
    ),
)  # fmt: skip
