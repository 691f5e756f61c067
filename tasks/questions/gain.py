"""What training changed in a generator: it and its untrained self on the same held-out prompts.

The prompts are made of seeds that no generator was trained on, each in every language asked in
training. Both draw with the same random numbers, and each completion is judged and measured alone,
by the reward that was trained: nothing is chosen, and a repetition is told beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.artifacts.schemas import WRITTEN
from tasks.errors import BadInput
from tasks.models.engine import Engine, Prompt, Sampling, seed_from
from tasks.questions.deficits import Asked, Deficit, Score
from tasks.questions.gates import duplicate_gate, refusal
from tasks.questions.parsing import Triple, format_score, parse
from tasks.questions.prompts import (
    ASKED_LANGUAGES,
    GENERATOR_STOP,
    generator_prompt,
    written_text,
)
from tasks.questions.settings import GeneratorTraining
from tasks.text import identify_language


class HeldOut(NamedTuple):
    """One prompt that no generator was trained on."""

    seed: Mapping[str, str]
    language: str
    prompt: Prompt

    @property
    def name(self) -> str:
        """Unique among the prompts."""
        return f"{self.seed['seed_id']}/{self.language}"


def held_out_prompts(settings: GeneratorTraining, seeds: pa.Table, wanted: int) -> list[HeldOut]:
    """`wanted` prompts, all languages of a seed together. Raises BadInput for too few seeds."""
    pairs = list(islice(product(seeds.to_pylist(), ASKED_LANGUAGES), wanted))
    if len(pairs) < wanted:
        raise BadInput(
            f"compared_prompts is {wanted}, but {seeds.num_rows} held-out seeds make only "
            f"{len(pairs)} prompts; write at most that, or give more seeds"
        )
    return [
        HeldOut(seed, language, _prompt(settings, seed, language, number))
        for number, (seed, language) in enumerate(pairs)
    ]


def _prompt(
    settings: GeneratorTraining, seed: Mapping[str, str], language: str, number: int
) -> Prompt:
    asked = generator_prompt(seed, language, settings.form, number)
    named = f"{settings.seed}/{seed['seed_id']}/{language}"
    return Prompt(text=asked.text, messages=asked.messages, seed=seed_from(named))


def write(engine: Engine, settings: GeneratorTraining, prompts: Sequence[HeldOut]) -> list[str]:
    """What a generator writes to each prompt, sampled as in training."""
    sampling = Sampling(
        temperature=settings.temperature,
        max_tokens=settings.max_completion_tokens,
        stop=GENERATOR_STOP if settings.form == "completion" else (),
    )
    drawn = engine.complete([one.prompt for one in prompts], sampling, settings.seed)
    return [written_text(one.text, settings.form, one.finish_reason == "stop") for [one] in drawn]


def measured(
    generator: str, prompts: Sequence[HeldOut], texts: Sequence[str], score: Score
) -> list[dict[str, Any]]:
    """Rows of WRITTEN: each text with its gates, and the deficits of what passes them."""
    rows = [_judged(generator, one, text) for one, text in zip(prompts, texts, strict=True)]
    passed = [row for row in rows if row["reason"] is None]
    deficits = score([Asked(row["question"], row["language"]) for row in passed])
    for row, deficit in zip(passed, deficits, strict=True):
        row |= deficit._asdict()
    _mark_repeated(rows)
    return rows


def written_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """WRITTEN of both generators."""
    return pa.Table.from_pylist(list(rows), WRITTEN)


def _judged(generator: str, asked: HeldOut, text: str) -> dict[str, Any]:
    triple = parse(text)
    row = {
        "generator": generator,
        "prompt": asked.name,
        "seed_id": asked.seed["seed_id"],
        "language": asked.language,
        "text": text,
        "format": format_score(text),
        "passed": False,
    }
    # A refused question is worth 0, as in training.
    refused = Deficit(0.0, 0.0, None, str(triple))._asdict()
    if not isinstance(triple, Triple):
        return row | refused
    row |= {
        "question": triple.question,
        "detected_language": identify_language(triple.question),
    }
    reason = refusal(triple.question, asked.language, asked.seed["question"])
    return row | (refused | {"reason": reason} if reason else {"passed": True, "reason": None})


def _mark_repeated(rows: Sequence[dict[str, Any]]) -> None:
    """Whether a parsed question is nearly one that the same generator wrote before."""
    before: list[str] = []
    for row in rows:
        if (question := row.get("question")) is not None:
            row["repeated"] = duplicate_gate(question, before) is not None
            before.append(question)
