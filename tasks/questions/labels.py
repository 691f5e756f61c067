"""A teacher answers each question k times; what most samples agree on becomes the label.

Or the question's own reasoning and answer do, where it came with good ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from tasks.artifacts.schemas import LABELS
from tasks.grading import answer_form, same_answer
from tasks.grading.ngrams import character_distance
from tasks.models.engine import Completion, Engine, Hint, Prompt, Sampling, seed_from
from tasks.questions.clustering import consensus, distances
from tasks.questions.prompts import ANSWER_DELIMITER, STUDENT_STOP, Form, student_prompt
from tasks.text import identify_language, words

Progress = Callable[[int, int, str], None]
# Shorter answers are names, numbers or letters: they say nothing about the language.
TELLING_LENGTH = 20  # characters


class Labelling(BaseModel):
    """How the teacher is asked, and how much its samples must agree."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal["completion", "chat"]
    samples: int = Field(4, ge=1)  # k
    temperature: float = Field(0.8, gt=0.0)
    top_p: float = Field(1.0, gt=0.0, le=1.0)
    max_tokens: int = Field(2048, ge=1)
    distance: float = Field(0.35, gt=0.0, lt=1.0)  # average linkage is cut here
    agreement_floor: float = Field(0.5, ge=0.0, le=1.0)  # of k; below it: not answerable
    batch: int = Field(256, ge=1)  # questions of one call
    seed: int = 0


class Answered(NamedTuple):
    """One sample that reasoned and gave an answer."""

    reasoning: str
    answer: str


def label_questions(
    settings: Labelling, engine: Engine, questions: pa.Table, form: Form, progress: Progress
) -> pa.Table:
    """LABELS: one row per question, kept or refused with its reason."""
    rows = questions.to_pylist()
    labels: list[dict[str, Any]] = []
    sampling = Sampling(
        n=settings.samples,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        stop=STUDENT_STOP,
    )
    for start in range(0, len(rows), settings.batch):
        batch = rows[start : start + settings.batch]
        prompts = [_prompt(settings, row, form) for row in batch]
        drawn = engine.complete(prompts, sampling, settings.seed + start)
        labels += [_label(settings, row, own) for row, own in zip(batch, drawn, strict=True)]
        progress(len(labels), len(rows), "questions labelled")
    return pa.Table.from_pylist(labels, LABELS)


def _prompt(settings: Labelling, row: dict[str, Any], form: Form) -> Prompt:
    prompt = student_prompt(row["question"], row["language"], row["language"], form)
    name = f"{settings.seed}/{row['question_id']}"
    # The simulated teacher agrees with what the simulated generator wrote.
    right = f"{row['reasoning']}\n{ANSWER_DELIMITER}{row['answer']}"
    hint = Hint(key=row["question_id"], language=row["language"], right=right)
    return replace(prompt, seed=seed_from(name), hint=hint)


def read_answer(completion: Completion) -> Answered | None:
    """Reasoning and answer of a sample; None where one of them is missing or cut short."""
    reasoning, _, answer = (part.strip() for part in completion.text.partition(ANSWER_DELIMITER))
    whole = reasoning and answer and completion.finish_reason != "length"
    return Answered(reasoning, answer) if whole else None


def _label(settings: Labelling, row: dict[str, Any], drawn: list[Completion]) -> dict[str, Any]:
    answers = [answer for one in drawn if (answer := read_answer(one)) is not None]
    label = {name: row[name] for name in ("question_id", "language", "domain", "question")}
    label |= {"answers": [one.answer for one in answers], "agreement": 0.0, "kept": False}
    if not answers:
        return label | {"reason": "no sample came to an answer with reasoning before it"}
    found = consensus(_distances(answers, row["language"]), settings.distance)
    chosen = answers[found.medoid]
    agreement = found.size / settings.samples
    reason = _disagreement(settings, agreement) or _language_gate(row["language"], chosen)
    return label | {
        "reasoning": chosen.reasoning,
        "answer": chosen.answer,
        "agreement": agreement,
        "kept": reason is None,
        "reason": reason,
    }


def _distances(answers: list[Answered], language: str) -> Any:
    """0 or 1 where the grader can say, else by the character n-grams of the words."""

    def distance(first: str, second: str) -> float:
        forms = {answer_form(first, language), answer_form(second, language)}
        if forms == {None}:
            a, b = (" ".join(words(one, language)) for one in (first, second))
            return character_distance(a, b)
        return 0.0 if len(forms) == 1 and same_answer(forms.pop(), first, second, language) else 1.0

    return distances([one.answer for one in answers], distance)


def _disagreement(settings: Labelling, agreement: float) -> str | None:
    if agreement >= settings.agreement_floor:
        return None
    return f"agreement {agreement:.2f} is below {settings.agreement_floor:.2f}"


def _language_gate(language: str, label: Answered) -> str | None:
    """Why a label is not in the language of its question; None if it is, or is too short to say."""
    answer = label.answer if len(label.answer) >= TELLING_LENGTH else ""
    for what, text in (("answered", answer), ("reasoned", label.reasoning)):
        if (detected := identify_language(text)) not in (None, language):
            return f"{what} in {detected}, not {language}"
    return None


def own_labels(questions: pa.Table) -> pa.Table:
    """LABELS from the questions' own reasoning and answer; nothing was sampled, so no agreement."""
    labels = []
    for row in questions.to_pylist():
        own = Answered(*((row[name] or "").strip() for name in Answered._fields))
        if all(own):
            reason = _language_gate(row["language"], own)
        else:
            reason = "the question came without reasoning or answer"
        found = {"answers": [own.answer], "agreement": None, "kept": reason is None}
        labels.append(row | own._asdict() | found | {"reason": reason})
    return pa.Table.from_pylist(labels, LABELS)
