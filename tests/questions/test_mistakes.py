"""Which rows count as a student's mistakes, and what the teacher is asked about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import SEEDS
from tasks.benchmarks import load_seeds
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.questions.generation import QuestionGeneration
from tasks.questions.mistakes import (
    LONGEST_SHOWN,
    Mistakes,
    find_mistakes,
    mistake_prompt,
    questions_on_mistakes,
)

WANTED = QuestionGeneration(form="completion", keep=2, max_attempts=8)
QUESTIONS = ("How many legs has a spider?", "What is the capital of Peru?", "Who wrote Hamlet?")
ANSWERS = ("eight legs", "Lima", "William Shakespeare")
ITALIAN = (
    " contare gli oggetti\n<question>Quante ruote hanno tre automobili nuove?</question>\n"
    "<reasoning>Tre per quattro fa dodici.</reasoning>\n<answer>12"
)


class Answers:
    """An engine that answers each question by what is said to it, and remembers how."""

    name = device = "test"

    def __init__(self, said: Mapping[str, str], otherwise: str = "") -> None:
        self.asked: list[Sampling] = []
        self._said, self._otherwise = said, otherwise

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        self.asked.append(sampling)
        return [[Completion(self._to(one.text), "stop", 1, 1, 0, ())] for one in prompts]

    def _to(self, prompt: str) -> str:
        asked = prompt.rpartition("Question: ")[2].partition("\n")[0]
        return self._said.get(asked, self._otherwise)

    def close(self) -> None:
        pass


def silent(done: int, total: int, what: str) -> None:
    pass


def seeds() -> pa.Table:
    rows = [
        {"seed_id": f"s{at}", "domain": "chat", "question": q, "reasoning": "It is so", "answer": a}
        for at, (q, a) in enumerate(zip(QUESTIONS, ANSWERS, strict=True))
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, SEEDS)


def found(*texts: str, settings: QuestionGeneration = WANTED) -> Mistakes:
    engine = Answers(dict(zip(QUESTIONS, texts, strict=True)))
    mistakes = find_mistakes(settings, engine, seeds(), silent)
    assert {one.temperature for one in engine.asked} == {0.6}
    return mistakes


def ids(mistakes: Mistakes) -> set[str]:
    return set(mistakes.rows.column("seed_id").to_pylist())


def test_rows_below_the_mean_are_mistakes() -> None:
    """Token F1 of 1, 1 and 2/3: the mean is 8/9."""
    mistakes = found("Count.\n<answer>eight legs", "<answer>Lima", "<answer>Shakespeare")
    assert ids(mistakes) == {"s2"}
    assert mistakes.mean_f1 == pytest.approx(8 / 9)
    assert mistakes.answered == 3
    assert mistakes.rows.column("said").to_pylist() == ["Shakespeare"]


def test_a_student_that_is_never_right_has_made_only_mistakes() -> None:
    assert ids(found("no", "idea", "<think>at all")) == {"s0", "s1", "s2"}


def test_a_student_without_a_mistake_is_an_error_that_says_so() -> None:
    with pytest.raises(BadInput, match=r"no mistake on 3 real rows \(mean token F1 1\.00\)"):
        found(*(f"It is so.\n<answer>{answer}" for answer in ANSWERS))


def test_without_a_delimiter_the_whole_text_is_the_answer_and_its_end_is_shown() -> None:
    long = "so " * LONGEST_SHOWN + "the answer is Lima"
    mistakes = found("eight legs", long, "")
    assert ids(mistakes) == {"s2"}
    assert mistakes.rows.column("said").to_pylist() == ["(nothing)"]
    [shown] = found("eight legs", long + " or Cusco", "William Shakespeare").rows.to_pylist()
    assert len(shown["said"]) == LONGEST_SHOWN and shown["said"].endswith("Lima or Cusco")


def test_no_more_rows_are_answered_than_enough_questions_need() -> None:
    one = WANTED.model_copy(update={"keep": 1})
    assert found("no", "idea", "at all", settings=one).answered == 2


def test_the_teacher_names_the_skill_and_writes_the_question() -> None:
    teacher = Answers({}, ITALIAN)
    only = WANTED.model_copy(update={"languages": ("it",), "keep": 1})
    mistakes = Mistakes(pa.Table.from_pylist(rows()), 3, 0.5)
    [row] = questions_on_mistakes(only, teacher, mistakes, silent).to_pylist()[:1]
    assert {one.temperature for one in teacher.asked} == {0.7}
    assert (row["kept"], row["reason"], row["seed_id"]) == (True, None, "s0")
    assert row["text"] == f"{ITALIAN}</answer>"
    assert (row["question"], row["answer"]) == ("Quante ruote hanno tre automobili nuove?", "12")


def rows() -> list[dict[str, Any]]:
    return [row | {"said": "six legs"} for row in seeds().to_pylist()]


@pytest.mark.parametrize("language", TRAINED)
@pytest.mark.parametrize("form", ["completion", "chat"])
def test_the_prompt_shows_the_mistake_and_asks_for_the_skill(form: Any, language: str) -> None:
    prompt = mistake_prompt(rows()[0], language, form, 3)
    text = prompt.text or (prompt.messages or ({},))[0]["content"]
    for part in (QUESTIONS[0], ANSWERS[0], "A student answered: six legs", "kill"):
        assert part in text
    assert text.endswith("Skill:" if form == "completion" else "<answer>...</answer>")


@pytest.mark.parametrize("language", HELD_OUT)
@pytest.mark.parametrize("form", ["completion", "chat"])
def test_nothing_is_asked_for_in_a_held_out_language(form: Any, language: str) -> None:
    with pytest.raises(BadInput, match=language):
        mistake_prompt(load_seeds().to_pylist()[0] | {"said": "no"}, language, form, 0)
