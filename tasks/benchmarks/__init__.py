"""The benchmarks: where their items come from, and what evaluation needs to know about each.

A row is added to BENCHMARKS with an origin beside it; nothing else knows the benchmarks by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from tasks.artifacts.schemas import ITEMS
from tasks.benchmarks import bundled
from tasks.benchmarks.bundled import Bundled
from tasks.benchmarks.eclektic import LANGUAGES as ECLEKTIC_LANGUAGES
from tasks.benchmarks.eclektic import Eclektic
from tasks.benchmarks.mgsm import LANGUAGES as MGSM_LANGUAGES
from tasks.benchmarks.mgsm import Mgsm
from tasks.benchmarks.mmlu_prox import LANGUAGES as MMLU_PROX_LANGUAGES
from tasks.benchmarks.mmlu_prox import MmluProX
from tasks.benchmarks.published import Origin, Published
from tasks.benchmarks.seeds import load_seeds, seeds_revision
from tasks.benchmarks.sums import Sums
from tasks.errors import BadInput
from tasks.grading import check_gold
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED, Reasoning
from tasks.languages import language as language_row

_OURS = (*TRAINED, *HELD_OUT)
_OUR_LICENCE = "Apache-2.0"


@dataclass(frozen=True)
class Benchmark:
    """One benchmark. Without a source language there are no transfer scores.

    `source_language` is that of all items; where each names its own, it is null here.
    """

    name: str
    kind: str  # choice | number | span | translation
    origin: Origin
    parallel: bool
    source_language: str | None
    max_tokens: int  # of a direct answer
    licence: str
    languages: tuple[str, ...]
    reasoning_tokens: int = 1_024  # of a reasoning in English; other languages need more

    def has(self, language: str) -> bool:
        """Whether there are items in this language."""
        return language in self.languages

    def examples(self, language: str) -> Sequence[Published]:
        """Worked items for few-shot prompts, the same ones in every language."""
        return self.origin.examples(language)

    def reasoning(self, asked: Reasoning) -> Reasoning:
        """How its items are reasoned about: translations never, since all of a text is graded."""
        return "none" if self.kind == "translation" else asked

    def longest(self, language: str, asked: Reasoning) -> int:
        """Tokens that an answer may have, its reasoning included.

        A language's factor is rounded up to halves, so that many languages are sampled alike.
        """
        reasoning = self.reasoning(asked)
        if reasoning == "none":
            return self.max_tokens
        fertility = language_row("en" if reasoning == "english" else language).fertility
        return self.max_tokens + math.ceil(2 * fertility) * self.reasoning_tokens // 2


BENCHMARKS: dict[str, Benchmark] = {
    row.name: row
    for row in (
        Benchmark(
            "facts", "choice", Bundled("facts", bundled.read_choice), True, "en",
            max_tokens=8, licence=_OUR_LICENCE, languages=_OURS,
        ),
        Benchmark(
            "multihop", "span", Bundled("multihop", bundled.read_span), True, "en",
            max_tokens=24, licence=_OUR_LICENCE, languages=_OURS,
        ),
        Benchmark(
            "numbers", "number", Bundled("numbers", bundled.read_number), True, "en",
            max_tokens=16, licence=_OUR_LICENCE, languages=_OURS,
        ),
        Benchmark(
            "translation", "translation", Bundled("translation", bundled.read_translation),
            False, None,
            max_tokens=48, licence=_OUR_LICENCE, languages=tuple(c for c in _OURS if c != "en"),
        ),
        Benchmark(
            "mgsm", "number", Mgsm(), True, "en",
            max_tokens=16, licence="CC BY 4.0", languages=MGSM_LANGUAGES,
        ),
        Benchmark(
            "mgsm-rev2", "number",
            Mgsm("mgsm-rev2", "hf://datasets/lightonai/mgsm-rev2", first_edition=False), True, "en",
            max_tokens=16, licence="CC BY-SA 4.0", languages=MGSM_LANGUAGES,
        ),
        Benchmark(
            "mmlu-prox", "choice", MmluProX("mmlu-prox", "hf://datasets/li-lab/MMLU-ProX"),
            True, "en",
            max_tokens=8, licence="MIT", languages=MMLU_PROX_LANGUAGES, reasoning_tokens=2_048,
        ),
        Benchmark(
            "mmlu-prox-lite", "choice",
            MmluProX("mmlu-prox-lite", "hf://datasets/li-lab/MMLU-ProX-Lite"), True, "en",
            max_tokens=8, licence="MIT", languages=MMLU_PROX_LANGUAGES, reasoning_tokens=2_048,
        ),
        Benchmark(
            "eclektic", "span", Eclektic(), True, None,
            max_tokens=48, licence="unknown", languages=ECLEKTIC_LANGUAGES,
        ),
        Benchmark(
            "sums", "number", Sums(), True, "en",
            max_tokens=16, licence=_OUR_LICENCE, languages=tuple(LANGUAGES),
        ),
    )
}  # fmt: skip


class Loaded(NamedTuple):
    """ITEMS whose gold answers their grader accepts, and the others with the reason."""

    items: pa.Table
    refused: list[tuple[str, str]]


def benchmark_named(name: str) -> Benchmark:
    """The row of a benchmark; BadInput lists the known ones."""
    if name not in BENCHMARKS:
        raise BadInput(f"benchmark {name!r} is not known; write one of {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def load_items(benchmark: str, source: str, language: str, items: int | None = None) -> Loaded:
    """The first `items` published items (None: all), each gold put through its own grader.

    Counting comes before checking, so that every language is cut at the same item.

    Raises:
        BadInput: an unknown benchmark, no data in this language or at `source`, a malformed row.
    """
    row = benchmark_named(benchmark)
    if not row.has(language):
        raise BadInput(
            f"benchmark {benchmark!r} has no items in {language!r}; "
            f"it has {', '.join(row.languages)}"
        )
    kept: list[dict[str, object]] = []
    refused: list[tuple[str, str]] = []
    seen: set[str] = set()
    for item in row.origin.load(source, language, items):
        reason = item.refused or _fault(row, language, item, seen)
        seen.add(item.item_id)
        if reason is None:
            kept.append(_item_row(row, language, item))
        else:
            refused.append((item.item_id, reason))
    return Loaded(pa.Table.from_pylist(kept, ITEMS), refused)


def _fault(row: Benchmark, language: str, item: Published, seen: set[str]) -> str | None:
    if item.item_id in seen:
        return "its id is that of an earlier item"
    if not item.question.strip():
        return "there is no question"
    return check_gold(row.kind, graded_in(row.kind, language), item.gold, item.options)


def graded_in(kind: str, language: str) -> str:
    """The language of the answers to items in `language`: translations are into English."""
    return "en" if kind == "translation" else language


def revision(benchmark: str, source: str) -> str:
    """SHA-256 (hex) of what shapes a benchmark's items, wherever they lie. Raises BadInput."""
    return benchmark_named(benchmark).origin.revision(source)


def _item_row(row: Benchmark, language: str, item: Published) -> dict[str, object]:
    return {
        "benchmark": row.name,
        "item_id": item.item_id,
        "language": language,
        "kind": row.kind,
        "question": item.question,
        "context": item.context,
        "options": item.options,
        "gold": item.gold,
        "source_language": item.source_language or row.source_language,
        "parallel": row.parallel,
        "cluster": item.cluster,
        "flags": item.flags,
    }


__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Loaded",
    "load_items",
    "load_seeds",
    "revision",
    "seeds_revision",
]
