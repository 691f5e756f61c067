"""The table of benchmarks. A row is added with an origin; nothing else knows them by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.benchmarks import bundled, eclektic, hotpotqa, mgsm, mmlu_prox, mmmlu, nemotron, opus
from tasks.benchmarks.bundled import Bundled
from tasks.benchmarks.published import Origin, Published
from tasks.benchmarks.sums import Sums
from tasks.errors import BadInput
from tasks.grading import JUDGED
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
    kind: str  # choice | number | span | math | translation | judge
    origin: Origin
    parallel: bool
    source_language: str | None
    max_tokens: int  # of a direct answer
    licence: str
    languages: tuple[str, ...]
    reasoning_tokens: int = 1_024  # of a reasoning in English; other languages need more
    free: bool = False  # answers may be put freely: where a judge is named, it grades them

    @property
    def judged(self) -> bool:
        """Whether a judge grades the answers where one is named."""
        return self.free or self.kind == JUDGED

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
            "mgsm", "number", mgsm.Mgsm(), True, "en",
            max_tokens=16, licence="CC BY 4.0", languages=mgsm.LANGUAGES,
        ),
        Benchmark(
            "mgsm-rev2", "number",
            mgsm.Mgsm("mgsm-rev2", "hf://datasets/lightonai/mgsm-rev2", first_edition=False),
            True, "en",
            max_tokens=16, licence="CC BY-SA 4.0", languages=mgsm.LANGUAGES,
        ),
        Benchmark(
            "mmlu-prox", "choice", mmlu_prox.MmluProX("mmlu-prox", "hf://datasets/li-lab/MMLU-ProX"),
            True, "en",
            max_tokens=8, licence="MIT", languages=mmlu_prox.LANGUAGES, reasoning_tokens=2_048,
        ),
        Benchmark(
            "mmlu-prox-lite", "choice",
            mmlu_prox.MmluProX("mmlu-prox-lite", "hf://datasets/li-lab/MMLU-ProX-Lite"), True, "en",
            max_tokens=8, licence="MIT", languages=mmlu_prox.LANGUAGES, reasoning_tokens=2_048,
        ),
        Benchmark(
            "eclektic", "span", eclektic.Eclektic(), True, None,
            max_tokens=48, licence="unknown", languages=eclektic.LANGUAGES, free=True,
        ),
        Benchmark(
            "mmmlu", "choice", mmmlu.Mmmlu(), True, "en",
            max_tokens=8, licence="MIT; Russian Apache-2.0", languages=mmmlu.LANGUAGES,
        ),
        Benchmark(
            "mhotpotqa", "span", hotpotqa.MultilingualHotpotQA(), True, "en",
            max_tokens=32, licence="CC BY-SA 4.0", languages=hotpotqa.LANGUAGES,
        ),
        Benchmark(
            "opus-100", "translation", opus.Opus100(), False, None,
            max_tokens=128, licence="unknown", languages=opus.LANGUAGES,
        ),
        Benchmark(
            "nemotron-stem", "choice", nemotron.Nemotron("stem", nemotron.read_stem), False, None,
            max_tokens=8, licence="CC BY 4.0", languages=("en",), reasoning_tokens=2_048,
        ),
        Benchmark(
            "nemotron-math", "math", nemotron.Nemotron("math", nemotron.read_math), False, None,
            max_tokens=64, licence="CC BY 4.0", languages=("en",), reasoning_tokens=2_048,
        ),
        Benchmark(
            "sums", "number", Sums(), True, "en",
            max_tokens=16, licence=_OUR_LICENCE, languages=tuple(LANGUAGES),
        ),
    )
}  # fmt: skip


# Published benchmarks that no grader here can grade, and why.
UNGRADED = {
    "nemotron-chat": "its answers are one model's texts, which only a judge can compare, and its "
    "questions have no prompts here yet; take nemotron-stem or nemotron-math",
}


def benchmark_named(name: str) -> Benchmark:
    """The row of a benchmark; BadInput lists the known ones."""
    if name in UNGRADED:
        raise BadInput(f"benchmark {name!r} cannot be used: {UNGRADED[name]}")
    if name not in BENCHMARKS:
        raise BadInput(f"{name!r} is no benchmark; known are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def graded_in(kind: str, language: str) -> str:
    """The language of the answers to items in `language`: translations are into English."""
    return "en" if kind == "translation" else language
