"""What the frozen student does not know: LAI and LSI of a question, from the question alone.

    LAI = 1 - mean_t p(top-1 token | prompt, response before t)    the student reasons in English
    LSI = 1 - cos(h_en, h_lang)    h: hidden state of the last reasoning token in either language,
                                   English and the question's, or a second one given with it

Probabilities are raw (no temperature, no truncation) and come from the engine while it samples; h
comes from one batched forward of the model's body. The last reasoning token is the last one before
the answer delimiter and the blanks around it. `lsi_null` is the distance between two English
samples; LAI is the mean over them. Imported by the compute child only.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tasks.models.engine import Completion, Engine, Prompt, Sampling, seed_from
from tasks.models.hidden_states import Floats, HiddenStates, cosine_distance
from tasks.models.tokens import encode_prompt
from tasks.questions.deficits import Asked, Deficit
from tasks.questions.prompts import ANSWER_DELIMITER, STUDENT_STOP, student_prompt
from tasks.questions.settings import StudentScoring
from tasks.text import identify_language

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class _Run(NamedTuple):
    """One answer asked of the student; `sample` counts those that differ in chance alone."""

    asked: Asked
    reasoning_language: str
    sample: int

    @property
    def seed(self) -> int:
        """Of this answer's sampling: the same whatever else is in the batch."""
        name = (
            f"{self.asked.language}|{self.reasoning_language}|{self.sample}|{self.asked.question}"
        )
        return seed_from(name)


class _Answer(NamedTuple):
    """What the student wrote, and where its parts begin and end, counted in tokens."""

    completion: Completion
    reasoning: str | None  # None: no answer delimiter
    reasoning_end: int
    answer_start: int


class StudentScorer:
    """A frozen student; every question is measured once."""

    def __init__(
        self,
        engine: Engine,
        hidden_states: HiddenStates,
        tokenizer: PreTrainedTokenizerFast,
        settings: StudentScoring,
    ) -> None:
        self._engine = engine
        self._hidden_states = hidden_states
        self._tokenizer = tokenizer
        self._settings = settings
        self._known: dict[tuple[Asked, bool], Deficit] = {}

    def score(self, questions: Sequence[Asked], with_lsi: bool = True) -> list[Deficit]:
        """LAI and, unless `with_lsi` is False, LSI of each question, in order."""
        fresh = [q for q in dict.fromkeys(questions) if (q, with_lsi) not in self._known]
        for question, deficit in zip(fresh, self._measure(fresh, with_lsi), strict=True):
            self._known[question, with_lsi] = deficit
        return [self._known[question, with_lsi] for question in questions]

    def _measure(self, questions: list[Asked], with_lsi: bool) -> list[Deficit]:
        plan = {question: list(self._runs(question, with_lsi)) for question in questions}
        answers = self._answers([run for runs in plan.values() for run in runs])
        states = self._states(answers)
        return [
            _deficit({run: answers[run] for run in runs}, states, self._settings.lai_span)
            for runs in plan.values()
        ]

    def _runs(self, question: Asked, with_lsi: bool) -> Iterator[_Run]:
        """English; if there is an LSI, the samples for its null and the other language."""
        compared = with_lsi and question.other != "en"
        for sample in range(self._settings.english_samples if compared else 1):
            yield _Run(question, "en", sample)
        if compared:
            yield _Run(question, question.other, 0)

    def _prompt(self, run: _Run) -> Prompt:
        question, form = run.asked, self._settings.form
        asked = student_prompt(question.question, question.language, run.reasoning_language, form)
        return replace(asked, seed=run.seed)

    def _answers(self, runs: Sequence[_Run]) -> dict[_Run, _Answer]:
        sampling = Sampling(
            temperature=self._settings.temperature,
            max_tokens=self._settings.answer_tokens,
            stop=STUDENT_STOP,
            top1=True,
        )
        prompts = [self._prompt(run) for run in runs]
        drawn = self._engine.complete(prompts, sampling, self._settings.seed)
        return {run: self._located(one) for run, [one] in zip(runs, drawn, strict=True)}

    def _located(self, completion: Completion) -> _Answer:
        ids = completion.token_ids

        def decoded(tokens: int) -> str:
            return str(self._tokenizer.decode(ids[:tokens], skip_special_tokens=True))

        def tokens_of(characters: int) -> int:
            return bisect_left(range(len(ids)), characters, key=lambda n: len(decoded(n)))

        before, delimiter, _ = decoded(len(ids)).partition(ANSWER_DELIMITER)
        if not delimiter:
            return _Answer(completion, None, 0, 0)
        start = tokens_of(len(before) + len(delimiter))
        return _Answer(completion, before.strip(), tokens_of(len(before.rstrip())), start)

    def _states(self, answers: Mapping[_Run, _Answer]) -> dict[_Run, Floats]:
        """The hidden state that stands for each usable reasoning, from one pass over them all."""
        usable = [run for run, answer in answers.items() if _lost(run, answer) is None]
        if not usable:
            return {}
        sequences, spans = [], []
        for run in usable:
            prompt = encode_prompt(self._tokenizer, self._prompt(run))
            reasoning = answers[run].completion.token_ids[: answers[run].reasoning_end]
            end = len(prompt) + len(reasoning)
            sequences.append([*prompt, *reasoning])
            spans.append((end - 1 if self._settings.lsi_position == "last" else len(prompt), end))
        states = self._hidden_states(sequences, spans, layer=self._settings.lsi_layer)
        return dict(zip(usable, states, strict=True))


def _lost(run: _Run, answer: _Answer) -> str | None:
    """Why an answer's reasoning has no place in LSI; None if it has."""
    language = run.reasoning_language
    if answer.reasoning is None:
        return f"no answer delimiter after reasoning in {language}"
    if identify_language(answer.reasoning) != language:
        return f"the reasoning is not in {language}"
    return None


def _lai(answer: _Answer, span: str) -> float:
    """1 - mean probability of the likeliest token; NaN where the span has no token."""
    logs = answer.completion.top1 or ()
    if span == "answer":
        logs = logs[answer.answer_start :] if answer.reasoning is not None else ()
    return 1.0 - float(np.exp(logs).mean()) if logs else math.nan


def _deficit(answers: Mapping[_Run, _Answer], states: Mapping[_Run, Floats], span: str) -> Deficit:
    """LAI and LSI of one question; its runs are in the order of `_runs`."""
    english = [run for run in answers if run.reasoning_language == "en"]
    values = [_lai(answers[run], span) for run in english]
    known = [value for value in values if math.isfinite(value)]
    lai, unmeasured = (fmean(known), None) if known else (None, "no token of the answer to measure")
    [*_, other] = answers
    if other in english:
        return Deficit(lai, None, None, unmeasured)
    pair = [states[run] for run in english if run in states]
    null = float(cosine_distance(*pair)) if len(pair) == 2 else None
    if not pair or other not in states:
        lost = other if pair else english[0]
        return Deficit(lai, None, null, unmeasured or _lost(lost, answers[lost]))
    lsi = float(cosine_distance(pair[0], states[other]))
    if not math.isfinite(lsi):
        return Deficit(lai, None, None, "the hidden states are not finite")
    return Deficit(lai, lsi, null, unmeasured)
