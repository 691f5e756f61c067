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
        name = (
            f"{self.asked.language}|{self.reasoning_language}|{self.sample}|{self.asked.question}"
        )
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1


class _Answer(NamedTuple):
    """What the student wrote, in token counts: all of it, and up to the end of the reasoning."""

    completion: Completion
    reasoning: str | None  # None: no answer delimiter
    reasoning_end: int
    answer_start: int


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

    def _measure(self, questions: list[Asked], with_lsi: bool) -> list[Deficit]:
        runs = [run for question in questions for run in self._runs(question, with_lsi)]
        answers = dict(zip(runs, self._answers(runs), strict=True))
        vectors = self._vectors({run: a for run, a in answers.items() if _usable(run, a)})
        return [
            _deficit(
                {run: answers[run] for run in runs if run.asked == question},
                {run: vectors[run] for run in vectors if run.asked == question},
                self._lai,
                with_lsi,
            )
            for question in questions
        ]

    def _runs(self, question: Asked, with_lsi: bool) -> Iterator[_Run]:
        """English once, twice for the null; then the question's own language."""
        other = with_lsi and question.language != "en"
        for sample in range(self._settings.english_samples if other else 1):
            yield _Run(question, "en", sample)
        if other:
            yield _Run(question, question.language, 0)

    def _prompt(self, run: _Run) -> Prompt:
        asked = run.asked
        prompt = student_prompt(
            asked.question, asked.language, run.reasoning_language, self._settings.form
        )
        return replace(prompt, seed=run.seed)

    def _answers(self, runs: Sequence[_Run]) -> list[_Answer]:
        sampling = Sampling(
            temperature=self._settings.temperature,
            max_tokens=self._settings.answer_tokens,
            stop=STUDENT_STOP,
            top1=True,
        )
        prompts = [self._prompt(run) for run in runs]
        drawn = self._engine.complete(prompts, sampling, self._settings.seed)
        return [self._located(completion) for [completion] in drawn]

    def _located(self, completion: Completion) -> _Answer:
        """Where the reasoning ends and the answer starts, in tokens."""
        ids = completion.token_ids
        text = self._tokenizer.decode(ids, skip_special_tokens=True)
        before, delimiter, _ = text.partition(ANSWER_DELIMITER)
        if not delimiter:
            return _Answer(completion, None, 0, 0)

        def tokens_of(characters: int) -> int:
            return bisect_left(
                range(len(ids)),
                characters,
                key=lambda n: len(self._tokenizer.decode(ids[:n], skip_special_tokens=True)),
            )

        reasoning = before.rstrip()
        start = tokens_of(len(before) + len(delimiter))
        return _Answer(completion, reasoning.lstrip(), tokens_of(len(reasoning)), start)

    def _lai(self, answer: _Answer) -> float | None:
        """1 - mean probability of the likeliest token; None where no token is in the span."""
        top1 = answer.completion.top1 or ()
        if self._settings.lai_span == "answer":
            top1 = top1[answer.answer_start :] if answer.reasoning is not None else ()
        return 1.0 - float(np.exp(top1).mean()) if top1 else None

    def _vectors(self, usable: dict[_Run, _Answer]) -> dict[_Run, NDArray[np.float32]]:
        """The hidden state that stands for each reasoning, all from one pass over the batch."""
        prompts = [encode_prompt(self._tokenizer, self._prompt(run)) for run in usable]
        spans = [
            (prompt, list(answer.completion.token_ids[: answer.reasoning_end]))
            for prompt, answer in zip(prompts, usable.values(), strict=True)
        ]
        states = reasoning_states(self._model, spans, self._settings)
        return dict(zip(usable, states, strict=True))


def _usable(run: _Run, answer: _Answer) -> bool:
    """Whether LSI may use this reasoning: it ended, and in the language asked."""
    return bool(answer.reasoning) and identify_language(answer.reasoning) == run.reasoning_language


def _deficit(
    answers: dict[_Run, _Answer],
    vectors: dict[_Run, NDArray[np.float32]],
    lai_of: Callable[[_Answer], float | None],
    with_lsi: bool,
) -> Deficit:
    """LAI and LSI of one question from its answers."""
    english = [run for run in answers if run.reasoning_language == "en"]
    measured = [lai_of(answers[run]) for run in english]
    found = [value for value in measured if value is not None]
    lai = fmean(found) if found else None
    missing = None if found else "the student's answer has no token to measure"
    [*_, last] = answers
    if not with_lsi or last.asked.language == "en":
        return Deficit(lai, None, None, missing)
    first = english[0]
    lost = [run for run in (first, last) if run not in vectors]
    lsi = None if lost else _distance(vectors[first], vectors[last])
    pair = [vectors[run] for run in english if run in vectors]
    null = _distance(*pair) if len(pair) == 2 else None
    return Deficit(lai, lsi, null, missing or (_why_lost(lost[0], answers) if lost else None))


def _why_lost(run: _Run, answers: dict[_Run, _Answer]) -> str:
    if answers[run].reasoning is None:
        return f"no answer delimiter after reasoning in {run.reasoning_language}"
    return f"the reasoning is not in {run.reasoning_language}"


def _distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """1 - cosine, in [0, 2]."""
    return 1.0 - float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
