"""The generator writes questions until enough are kept in each language; all of them are stored.

Every language has the same quota, so that an easy one cannot fill the set; a language that stays
short of it within its attempts is visible in the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tasks.artifacts.schemas import QUESTIONS
from tasks.errors import BadInput
from tasks.languages import TRAINED
from tasks.models.engine import Engine, Hint, Prompt, Sampling, seed_from
from tasks.questions.gates import refusal
from tasks.questions.parsing import Triple, parse
from tasks.questions.prompts import GENERATOR_STOP, Form, generator_prompt, written_text
from tasks.questions.simulated_triples import simulated_triple
from tasks.text import identify_language

Progress = Callable[[int, int, str], None]
Accepted = dict[str, list[str]]  # language -> its kept questions


class QuestionGeneration(BaseModel):
    """How many questions are wanted, and how they are sampled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal["completion", "chat"]
    keep: int = Field(5000, ge=1)  # questions over all languages
    max_attempts: int = Field(15000, ge=1)  # over all languages
    batch: int = Field(256, ge=1)  # prompts of one call
    temperature: float = Field(0.8, gt=0.0)
    top_p: float = Field(1.0, gt=0.0, le=1.0)
    max_tokens: int = Field(2048, ge=1)
    languages: tuple[str, ...] = TRAINED
    seed: int = 0

    @model_validator(mode="after")
    def _enough(self) -> QuestionGeneration:
        if self.max_attempts < self.keep:
            raise ValueError(f"max_attempts {self.max_attempts} is less than keep {self.keep}")
        return self


class Writing(NamedTuple):
    """How a new question is asked for, and what of it a prompt to be continued already says."""

    ask: Callable[[Mapping[str, str], str, Form, int], Prompt]  # row, language, form, number
    opened: bool  # whether such a prompt ends in the first tag


LIKE_THE_REFERENCE = Writing(generator_prompt, opened=True)


class _Attempt(NamedTuple):
    number: int
    language: str
    seed_row: dict[str, str]
    prompt: Prompt


def generate_questions(
    settings: QuestionGeneration,
    engine: Engine,
    seeds: pa.Table,
    form: Form,
    progress: Progress,
    writing: Writing = LIKE_THE_REFERENCE,
) -> pa.Table:
    """QUESTIONS: one row per attempt, kept or refused with its reason.

    `seeds` has the columns of SEEDS and those that `writing` asks with.

    Raises BadInput if there is no seed, or not a single question could be kept.
    """
    if seeds.num_rows == 0:
        raise BadInput("there is no seed question to write from; give at least two of them")
    rows: list[dict[str, Any]] = []
    accepted: Accepted = {language: [] for language in settings.languages}
    attempts = _attempts(settings, seeds, form, writing)
    sampling = Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        # A chat model ends by itself, and its last tag has to be there.
        stop=GENERATOR_STOP if form == "completion" else (),
    )
    while batch := _next_batch(settings, attempts, accepted):
        prompts = [attempt.prompt for attempt in batch]
        written = engine.complete(prompts, sampling, settings.seed + len(rows))
        for attempt, [completion] in zip(batch, written, strict=True):
            stopped = completion.finish_reason == "stop"
            text = written_text(completion.text, form, stopped, writing.opened)
            rows.append(_judged(settings, attempt, text, accepted))
        kept = sum(map(len, accepted.values()))
        progress(kept, settings.keep, f"kept of {len(rows)} written")
    if not any(accepted.values()):
        raise BadInput(_none_kept(rows))
    return pa.Table.from_pylist(rows, QUESTIONS)


def _judged(
    settings: QuestionGeneration, attempt: _Attempt, text: str, accepted: Accepted
) -> dict[str, Any]:
    """The attempt's row; its question joins the accepted ones if it is kept."""
    own = accepted[attempt.language]
    row = _row(attempt, text, own)
    if row["kept"] and len(own) >= _quota(settings, attempt.language):
        return row | {"kept": False, "reason": "its language had enough already"}
    if row["kept"]:
        own.append(row["question"])
    return row


def _quota(settings: QuestionGeneration, language: str) -> int:
    """Kept questions of a language; the first languages take what does not divide."""
    place = settings.languages.index(language)
    whole, rest = divmod(settings.keep, len(settings.languages))
    return whole + (place < rest)


def _attempts(
    settings: QuestionGeneration, seeds: pa.Table, form: Form, writing: Writing
) -> dict[str, Iterator[_Attempt]]:
    """For each language its share of the attempts, over all seeds in turn."""
    rows = seeds.to_pylist()
    count = len(settings.languages)
    share = -(-settings.max_attempts // count)

    def of(place: int, language: str) -> Iterator[_Attempt]:
        for turn in range(share):
            number = turn * count + place
            # Languages start apart, so that one reference is not shown for all of them.
            seed_row = rows[(turn + place * len(rows) // count) % len(rows)]
            asked = writing.ask(seed_row, language, form, number)
            prompt = _prompt(settings, asked, language, number, writing.opened)
            yield _Attempt(number, language, seed_row, prompt)

    return {language: of(place, language) for place, language in enumerate(settings.languages)}


def _prompt(
    settings: QuestionGeneration, prompt: Prompt, language: str, number: int, opened: bool
) -> Prompt:
    name = f"{settings.seed}/{language}/{number}"
    seed = seed_from(name)
    triple = simulated_triple(language, seed)
    # The stop string is not part of what an engine returns.
    shown = triple.removesuffix(GENERATOR_STOP[0])
    shown = shown.removeprefix("<question>") if opened else shown
    right = shown if prompt.messages is None else triple
    return replace(prompt, seed=seed, hint=Hint(key=name, language=language, right=right))


def _next_batch(
    settings: QuestionGeneration,
    attempts: dict[str, Iterator[_Attempt]],
    accepted: Accepted,
) -> list[_Attempt]:
    """Attempts of the languages that are short of their quota, in turn."""
    short = [code for code, own in accepted.items() if len(own) < _quota(settings, code)]
    batch: list[_Attempt] = []
    while short and len(batch) < settings.batch:
        for language in list(short):
            attempt = next(attempts[language], None)
            if attempt is None:
                short.remove(language)
            else:
                batch.append(attempt)
    return batch


def _row(attempt: _Attempt, text: str, accepted: list[str]) -> dict[str, Any]:
    triple = parse(text)
    row: dict[str, Any] = {
        "question_id": f"{attempt.language}-{attempt.number:05d}",
        "seed_id": attempt.seed_row["seed_id"],
        "language": attempt.language,
        "domain": attempt.seed_row["domain"],
        "text": text,
        "parsed": isinstance(triple, Triple),
        "kept": False,
    }
    if not isinstance(triple, Triple):
        return row | {"reason": f"not parsed: {triple}"}
    reference = attempt.seed_row["question"]
    reason = refusal(triple.question, attempt.language, reference, accepted)
    detected = identify_language(triple.question)
    found = {"detected_language": detected, "kept": reason is None, "reason": reason}
    return row | triple._asdict() | found


def _none_kept(rows: list[dict[str, Any]]) -> str:
    [(reason, count), *_] = Counter(str(row["reason"]) for row in rows).most_common(1)
    return (
        f"the generator wrote {len(rows)} texts and none could be kept; most often ({count} times) "
        f"because: {reason}; use a stronger generator or raise questions.max_attempts"
    )
