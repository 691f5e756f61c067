"""Seeds from the Nemotron post-training data (version 2), as published.

A row's request is the question. Of STEM and MATH the box holds the answer and what stands before it
is the reasoning; of CHAT the first reply is the answer and the thought before it the reasoning.
Where nothing was written before a box, the thought counts as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tasks.benchmarks.files import Files, Row
from tasks.grading.math import boxed
from tasks.text import identify_language, without_thoughts

HOME = "hf://datasets/nvidia/Nemotron-Post-Training-Dataset-v2"
CATEGORIES = ("stem", "math", "chat")
_THINK, _THOUGHT = "<think>", "</think>"
_BOXES = ("\\boxed", "\\fbox")


@dataclass
class NemotronSeeds:
    """`wanted` rows in all, the categories in turn, behind the first `skipped` of each category.

    Benchmarks take their items from the beginning of the same files. `left_out` counts, by reason,
    what was passed over on the way.
    """

    source: str
    wanted: int
    skipped: int
    left_out: Counter[str] = field(default_factory=Counter)

    def rows(self) -> Iterator[dict[str, str]]:
        """Rows of SEEDS; fewer where a category ends."""
        own = [self._category(name) for name in CATEGORIES]
        turns = (row for turn in zip(*own, strict=False) for row in turn)
        return islice(turns, self.wanted)

    def revision(self) -> str:
        """Digest of the files of all categories."""
        return "+".join(_files(name).revision(self.source) for name in CATEGORIES)

    def _category(self, name: str) -> Iterator[dict[str, str]]:
        for row in islice(_files(name).rows(self.source, "en"), self.skipped, None):
            seed = _seed(name, row)
            if isinstance(seed, str):
                self.left_out[f"{name}: {seed}"] += 1
            else:
                yield seed


def _files(category: str) -> Files:
    patterns = (
        f"data/{category}-*.parquet", f"{category}-*.parquet", f"{category}.parquet",
        f"{category}.jsonl",
    )  # fmt: skip

    def paths(language: str) -> Sequence[str]:
        return patterns

    return Files("seeds", HOME, ("en",), paths)


def _seed(category: str, row: Row) -> dict[str, str] | str:
    """A row of SEEDS, or why it is none."""
    messages = row.cell("messages") or ()
    said = {role: _first(messages, role) for role in ("user", "assistant")}
    reply, thought = _parted(said["assistant"])
    if category == "chat":
        reasoning, answer = thought, reply
    else:
        answer = boxed(reply) or ""
        reasoning = _before_box(reply) or thought
    cells = {"question": said["user"].strip(), "reasoning": reasoning, "answer": answer.strip()}
    lacking = [name for name, text in cells.items() if not text]
    if lacking:
        return f"no {lacking[0]}"
    if any(
        identify_language(cells[name]) not in ("en", None) for name in ("question", "reasoning")
    ):
        return "not in English"
    return {"seed_id": f"nemotron-{row.text('uuid')}", "domain": category, **cells}


def _before_box(reply: str) -> str:
    return reply[: max(reply.rfind(box) for box in _BOXES)].strip() if boxed(reply) else ""


def _first(messages: Sequence[dict[str, str]], role: str) -> str:
    return next((one["content"] or "" for one in messages if one["role"] == role), "")


def _parted(text: str) -> tuple[str, str]:
    """The reply, and the thought before it."""
    reply, _ = without_thoughts(text)
    before, closed, _ = text.partition(_THOUGHT)
    thought = before.rpartition(_THINK)[2] if closed else ""
    return reply.strip(), thought.strip()
