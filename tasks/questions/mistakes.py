"""Questions on what the student got wrong (DataEnvGym, in its open-ended, one-shot form).

The student answers real rows; those whose token F1 against the gold answer is below the mean are
its mistakes. The teacher is shown each, names the skill that is lacking, and writes a new question
that needs it, the trained languages in turn, until enough are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.errors import BadInput
from tasks.grading import grade
from tasks.languages import LANGUAGES
from tasks.models.engine import Completion, Engine, Hint, Prompt, Sampling, seed_from
from tasks.questions.generation import Progress, QuestionGeneration, Writing, generate_questions
from tasks.questions.prompts import (
    ANSWER_DELIMITER,
    STUDENT_STOP,
    Form,
    fitting_examples,
    require_trained,
    student_prompt,
    tagged,
    wanted_form,
)
from tasks.questions.selection import real_rows
from tasks.text import without_thoughts

STUDENT_TEMPERATURE = 0.6
TEACHER_TEMPERATURE = 0.7
ROWS_PER_QUESTION = 2  # of the real rows about half are mistakes
LONGEST_SHOWN = 1_000  # characters of a student's answer that the teacher is shown
_SKILL = "Skill:"
_SKILLS = {
    "stem": "applying a law of nature to a new case",
    "math": "carrying out a calculation of several steps",
    "chat": "meeting every demand of a request",
}


class Mistakes(NamedTuple):
    """Rows of SEEDS with `said`, the student's answer; and what the student came to."""

    rows: pa.Table
    answered: int
    mean_f1: float


def find_mistakes(
    settings: QuestionGeneration, engine: Engine, seeds: pa.Table, progress: Progress
) -> Mistakes:
    """What the student answers worse than it does on average.

    Raises BadInput where there is no such row.
    """
    usable = [row for row in real_rows(settings, seeds) if row["kept"]]
    rows = usable[: ROWS_PER_QUESTION * settings.keep]
    answers = list(_answers(settings, engine, rows, progress))
    scores = [_f1(row, answer) for row, answer in zip(rows, answers, strict=True)]
    mean = fmean(scores) if scores else 0.0
    wrong = [
        {name: row[name] for name in seeds.column_names} | {"said": _shown(answer)}
        for row, answer, score in zip(rows, answers, scores, strict=True)
        # Where nothing at all is right, nothing is below the mean.
        if score < mean or score == 0.0
    ]
    if not wrong:
        raise BadInput(
            f"the student made no mistake on {len(rows)} real rows (mean token F1 {mean:.2f}), so "
            "there is nothing to write questions about; give more or harder seeds"
        )
    return Mistakes(pa.Table.from_pylist(wrong), len(rows), mean)


def _answers(
    settings: QuestionGeneration,
    engine: Engine,
    rows: list[dict[str, Any]],
    progress: Progress,
) -> Iterable[Completion]:
    sampling = Sampling(
        temperature=STUDENT_TEMPERATURE, max_tokens=settings.max_tokens, stop=STUDENT_STOP
    )
    for start in range(0, len(rows), settings.batch):
        prompts = [_asked(settings, row) for row in rows[start : start + settings.batch]]
        for [completion] in engine.complete(prompts, sampling, settings.seed + start):
            yield completion
        progress(start + len(prompts), len(rows), "rows answered by the student")


def _asked(settings: QuestionGeneration, row: dict[str, Any]) -> Prompt:
    prompt = student_prompt(row["question"], "en", "en", settings.form)
    right = f"{row['reasoning']}\n{ANSWER_DELIMITER}{row['answer']}"
    hint = Hint(key=row["seed_id"], language="en", right=right)
    return replace(prompt, seed=seed_from(f"{settings.seed}/{row['seed_id']}"), hint=hint)


def _f1(row: dict[str, Any], completion: Completion) -> float:
    """Token F1 of what was answered against the gold answer; 0 for nothing."""
    text, finish = _answer(completion), completion.finish_reason
    return grade("span", "en", row["answer"], text, finish_reason=finish).score


def _answer(completion: Completion) -> str:
    """What is behind the answer delimiter; everything where there is none."""
    text, _ = without_thoughts(completion.text)
    _, found, answer = text.rpartition(ANSWER_DELIMITER)
    return (answer if found else text).strip()


def _shown(completion: Completion) -> str:
    """The student's answer as the teacher sees it: the end of one that is long."""
    return _answer(completion)[-LONGEST_SHOWN:] or "(nothing)"


def questions_on_mistakes(
    settings: QuestionGeneration, engine: Engine, mistakes: Mistakes, progress: Progress
) -> pa.Table:
    """QUESTIONS that the teacher wrote; the skill that it named stands in front of each text."""
    warmer = settings.model_copy(update={"temperature": TEACHER_TEMPERATURE})
    return generate_questions(
        warmer, engine, mistakes.rows, settings.form, progress, Writing(mistake_prompt, False)
    )


def mistake_prompt(row: Mapping[str, str], language: str, form: Form, number: int) -> Prompt:
    """Ask for the skill that a mistake shows the lack of, and a new question in `language` on it.

    `row` has the columns of SEEDS and `said`; `number` picks the worked examples.
    """
    require_trained(language)
    shown = f"{tagged(row)}\n\nA student answered: {row['said']}"
    name = LANGUAGES[language].name
    if form == "chat":
        asked = (
            f"Here is a question with its reasoning and answer.\n\n{shown}\n\nFirst name in one "
            "sentence the skill that the student lacks. Then write one new question that needs "
            f"this skill, entirely in {name}. Do not copy, translate or paraphrase the question "
            "above. The new question must be complete in itself and have one answer. Then write "
            f"the step-by-step reasoning to its answer and the answer, all in {name}, in exactly "
            f"this form and with nothing after it:\n{wanted_form()}"
        )
        return Prompt(messages=({"role": "user", "content": asked},), seed=number)
    examples = "".join(
        f"{_SKILL} {_SKILLS[example.domain]}\n{tagged(example.triple._asdict())}\n\n"
        for example in fitting_examples(language, row["domain"], number)
    )
    text = (
        f"A question in English with its reasoning and answer:\n\n{shown}\n\nSkills that the "
        f"student lacks, each with a question in {name} that needs it:\n\n{examples}{_SKILL}"
    )
    return Prompt(text=text, seed=number)
