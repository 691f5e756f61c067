"""How much each step of a recipe makes its models read and write, before anything is run.

Lengths that no setting says are averages of what was measured with the bundled model and of what is
published of instruct models: this is an estimate, right within a factor, not a promise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.benchmarks import BENCHMARKS
from tasks.devices import Load
from tasks.languages import LANGUAGES, TRAINED
from tasks.methods import Method
from tasks.recipe import BenchmarkChoice, Evaluation, Experiment, Recipe

_BILLIONS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)
_BUNDLED = {"bundled:tiny-random": 0.0001}
SAMPLES_OF_A_DEFICIT = 1  # in the question's own language, besides those in English


class Size(NamedTuple):
    """A benchmark: how many items, and English tokens of a prompt without and per example."""

    items: int
    prompt: int
    example: int


SIZES = {
    "facts": Size(27, 38, 37),
    "multihop": Size(25, 60, 46),
    "numbers": Size(27, 42, 40),
    "translation": Size(27, 35, 32),
    "sums": Size(1000, 30, 12),
    "mgsm": Size(250, 80, 80),
    "mgsm-rev2": Size(250, 80, 80),
    "mmlu-prox": Size(11_759, 250, 120),
    "mmlu-prox-lite": Size(658, 250, 120),
    "eclektic": Size(384, 45, 45),
    "mmmlu": Size(14_042, 140, 60),
    "mhotpotqa": Size(7_405, 260, 60),
    "opus-100": Size(2_000, 45, 40),
    "nemotron-stem": Size(10_000, 220, 80),
    "nemotron-math": Size(10_000, 120, 60),
    "nemotron-chat": Size(10_000, 250, 80),
}


class Form(NamedTuple):
    """What texts of one form are like, in tokens."""

    reference: int  # the prompt of a question generator
    asked: int  # the prompt of a student or teacher
    triple: int  # a written question with its reasoning and answer
    answer: int  # of a teacher or student, with its reasoning
    answered: float  # share of the length limit that a student's measured answer takes
    direct: float  # the same of a benchmark's answer without reasoning
    parsed: float  # share of texts that can be read
    kept: float  # share of labels that reach a floor of one half
    tries: float  # written for one that is kept


FORMS = {
    "completion": Form(600, 260, 90, 55, 0.75, 0.25, 0.6, 0.3, 2.5),
    "chat": Form(1_300, 350, 700, 450, 0.75, 0.5, 0.8, 0.8, 1.5),
}
REASONED = 0.4  # share of its room that a reasoned answer takes


def billions(reference: str) -> float | None:
    """Parameters that a model's name tells, such as 7B or 270m; None where it tells none."""
    if reference in _BUNDLED or reference.startswith("simulated:"):
        return _BUNDLED.get(reference, 0.0)
    found = _BILLIONS.search(reference.replace("-", " ").replace("_", " "))
    if found is None:
        return None
    return float(found[1]) / (1000.0 if found[2].lower() == "m" else 1.0)


def evaluation(
    experiment: Experiment, model: str, settings: Evaluation, reasoned: bool = False
) -> Iterator[Load]:
    """Answers to every benchmark, and what its judge makes of them."""
    form = FORMS[settings.form]
    asked = "english" if reasoned else settings.reasoning
    read = shown = written = judged = 0.0
    for choice in experiment.benchmarks:
        benchmark, size = BENCHMARKS[choice.name], SIZES[choice.name]
        for code in _languages(experiment, choice):
            items = min(choice.items or size.items, size.items)
            prompt = (size.prompt + settings.few_shot * size.example) * LANGUAGES[code].fertility
            room = settings.max_tokens or benchmark.longest(code, asked)
            thought = benchmark.reasoning(asked) != "none"
            answers = items * settings.samples
            shown += answers * prompt
            read += items * prompt
            written += answers * room * (REASONED if thought else form.direct)
            judged += answers * benchmark.judged
    yield Load(model, billions(model), reads=read, writes=written, shown=shown)
    if settings.judge is not None and judged:
        judge = settings.judge
        length = 0.3 * judge.max_tokens * judge.votes
        yield Load(judge.model, billions(judge.model), reads=judged * 800, writes=judged * length)


def _languages(experiment: Experiment, choice: BenchmarkChoice) -> list[str]:
    wanted = choice.languages or experiment.languages
    return [code for code in wanted if BENCHMARKS[choice.name].has(code)]


def generator_training(recipe: Recipe, student: str, validated: bool) -> Iterator[Load]:
    """Rollouts and updates of the generator; what the student is asked meanwhile."""
    settings, form = recipe.generator_training, FORMS[recipe.generator_training.form]
    generator = recipe.generator or student
    rollouts = settings.steps * settings.prompts_per_step * settings.rollouts
    compared = 2 * recipe.compared_prompts
    prompt = min(form.reference, settings.max_prompt_tokens)
    length = min(form.triple, 0.6 * settings.max_completion_tokens)
    drawn = (rollouts + compared) * length
    served = settings.rollout_engine == "vllm"
    yield Load(
        generator,
        billions(generator),
        reads=(rollouts + compared) * prompt,
        writes=drawn if served else 0.0,
        draws=0.0 if served else drawn,
        trains=rollouts * (prompt + length),
    )
    questions = form.parsed * (rollouts + compared)
    if validated:
        questions += sum(
            min(recipe.validity_items, SIZES[name].items) * len(TRAINED)
            for name in recipe.validated
        )
    yield _measured(recipe, student, questions)


def _measured(recipe: Recipe, student: str, questions: float) -> Load:
    """Deficits of a student on so many questions."""
    scoring = recipe.generator_training.student
    form = FORMS[scoring.form]
    answers = questions * (scoring.english_samples + SAMPLES_OF_A_DEFICIT)
    length = form.answered * scoring.answer_tokens
    # Each prompt twice: for its answer, and for the hidden states.
    return Load(
        student,
        billions(student),
        reads=answers * (2 * form.asked + length),
        draws=answers * length,
    )


def writing(recipe: Recipe, method: Method, student: str) -> Iterator[Load]:
    """Questions from where a method takes them."""
    settings, form = recipe.questions, FORMS[recipe.questions.form]
    written = min(form.tries * settings.keep, settings.max_attempts)
    length = min(form.triple, settings.max_tokens)
    if method.questions == "filtered":
        yield _measured(recipe, student, 2 * settings.keep)
    if method.questions == "mistakes":
        answer = min(form.answer, settings.max_tokens)
        asked = 2 * settings.keep
        yield Load(student, billions(student), reads=asked * form.asked, writes=asked * answer)
    generator, teacher = recipe.generator or student, recipe.teacher or student
    writers = {"generator": generator, "untrained": generator} | dict.fromkeys(
        ("teacher", "mistakes"), teacher
    )
    if writer := writers.get(str(method.questions)):
        read, drawn = written * form.reference, written * length
        yield Load(writer, billions(writer), reads=read, writes=drawn)


def labelling(recipe: Recipe, method: Method, student: str) -> Iterator[Load]:
    """A teacher's answers to every question that was kept; nothing where rows bring their own."""
    settings, form = recipe.labels, FORMS[recipe.labels.form]
    if method.labels != "teacher":
        return
    teacher = recipe.teacher or student
    answers = recipe.questions.keep * settings.samples
    length = min(form.answer, settings.max_tokens)
    yield Load(
        teacher,
        billions(teacher),
        reads=recipe.questions.keep * form.asked,
        writes=answers * length,
        shown=answers * form.asked,
    )


def student_training(recipe: Recipe, method: Method, student: str) -> Iterator[Load]:
    """Every row, as often as there are epochs."""
    settings, form = recipe.student_training, FORMS[recipe.student_training.form]
    gated = method.labels == "teacher" and recipe.labels.agreement_floor > 1 / recipe.labels.samples
    rows = settings.rows or recipe.questions.keep * (form.kept if gated else 1.0)
    length = min(form.asked + form.answer, settings.max_length)
    yield Load(student, billions(student), trains=rows * settings.epochs * length)
