"""A recipe: one experiment from data to report. The only place that a person configures.

Nothing is `auto`: engine, dtype, device and prompt form are said once and copied into every
setting that needs them, before anything is digested.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tasks.benchmarks import benchmark_named
from tasks.benchmarks.judging import Judging
from tasks.errors import BadInput
from tasks.grading import JUDGED
from tasks.grading.paper_compat import PaperCompat
from tasks.languages import HELD_OUT, TRAINED, Reasoning, language
from tasks.methods import method_named
from tasks.methods.variants import Grid
from tasks.models.machine import Machine
from tasks.models.references import parse_reference
from tasks.models.thinking import Thinking
from tasks.questions.generation import QuestionGeneration
from tasks.questions.labels import Labelling
from tasks.questions.settings import GeneratorTraining
from tasks.training.settings import StudentTraining

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"  # of a student or a model: it becomes part of paths
Count = Annotated[int, Field(ge=1)]
Form = Literal["completion", "chat"]
SHARED = ("form", "dtype", "device", "seed")


class Settings(BaseModel):
    """Frozen, and an unknown key is an error that names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BenchmarkChoice(Settings):
    """One benchmark to evaluate on; `source` is where its published files are."""

    name: str
    source: str = "bundled"
    items: Count | None = None  # the first so many; None: all
    languages: tuple[str, ...] | None = None  # None: the recipe's

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        raise_as_value_error(lambda: benchmark_named(name))
        return name

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, codes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if codes is None else _languages(codes)


# Of an evaluation: what shapes its scores and not its answers.
GRADED_BY = ("judge", "paper_compat", "translation_metric")


class Evaluation(Settings):
    """How answers are drawn; equal for every model that is compared."""

    samples: Count = 10
    temperature: Annotated[float, Field(ge=0.0)] = 1.0
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    few_shot: Annotated[int, Field(ge=0, le=3)] = 3
    max_tokens: Count | None = None  # of an answer; None: each benchmark's own
    thinking: Thinking | None = None  # before an answer, besides its tokens; None: the model's way
    # Written before the answer and part of its tokens, in the question's language or in English.
    reasoning: Reasoning = "none"
    form: Form
    seed: int = 0
    judge: Judging | None = None  # grades free answers; None: their benchmark's own grader does
    paper_compat: PaperCompat | None = None  # None: no scores for published tables only
    # Name of a metric of the worker's (HOTFIXR_METRIC_<NAME>), besides chrF++ and BLEU.
    translation_metric: Annotated[str, Field(pattern=r"^[a-z0-9_]*$")] = ""

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes answers: what is not asked for is not said, nor who grades them."""
        unasked = {"thinking": None, "reasoning": "none"}
        absent = {name for name, value in unasked.items() if getattr(self, name) == value}
        return self.model_dump(exclude=absent | set(GRADED_BY))

    def asked(self, reasoning: Reasoning) -> str:
        """All that shapes a prompt, in words: "chat, 3 examples, reasoning native"."""
        said = [self.form, f"{self.few_shot} examples"]
        said += [f"reasoning {reasoning}"] if reasoning != "none" else []
        said += [f"thinking {self.thinking}"] if self.thinking is not None else []
        return ", ".join(said)

    @model_validator(mode="after")
    def _rated(self) -> Evaluation:
        if self.paper_compat is not None and self.paper_compat.ratings and self.judge is None:
            raise ValueError("paper_compat.ratings need a judge; name one: evaluation.judge.model")
        return self

    @model_validator(mode="after")
    def _thinks_in_chats(self) -> Evaluation:
        if self.thinking not in {None, "off"} and self.form != "chat":
            raise ValueError(f"thinking {self.thinking!r} needs form: chat")
        return self


class Scoring(Settings):
    """Which language transfer starts from, what is compared, and how intervals are made."""

    source: str = "en"
    languages: tuple[tuple[str, str], ...] = ()  # pairs of targets whose difference is given
    resamples: Count = 1000
    interval: Literal["percentile", "bca"] = "percentile"  # from 100 items on
    seed: int = 0


class Experiment(Settings):
    """What every recipe says: what is asked, how, in which languages, and on which machine."""

    name: str
    description: str = ""
    machine: Machine
    form: Form
    seed: int = 0
    languages: tuple[str, ...] = (*TRAINED, *HELD_OUT)
    benchmarks: tuple[BenchmarkChoice, ...]
    evaluation: Evaluation
    scoring: Scoring = Scoring()
    workers: Count = 1  # runs that share each evaluation; changes no score

    @model_validator(mode="before")
    @classmethod
    def _copy_shared(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        given = raw.get("machine")
        machine = given if isinstance(given, dict) else {}
        shared = {key: raw.get(key, 0 if key == "seed" else None) for key in ("form", "seed")}
        shared |= {key: machine.get(key) for key in ("dtype", "device")}
        nested = [name for name in NESTED if name in cls.model_fields]
        return raw | {name: _filled(cls, name, raw.get(name), shared) for name in nested}

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        return _languages(codes)

    @model_validator(mode="after")
    def _judged(self) -> Self:
        judge = self.evaluation.judge
        for one in self.benchmarks if judge is None else ():
            if benchmark_named(one.name).kind == JUDGED:
                raise ValueError(
                    f"only a judge can grade {one.name}; name one: evaluation.judge.model"
                )
        if judge is not None:
            raise_as_value_error(lambda: supported(judge.model))
            answers(judge.machine or self.machine, judge.model, "chat", "evaluation.judge")
        return self

    def with_items(self, items: int) -> Self:
        """The same recipe with so many items per benchmark and language."""
        chosen = tuple(one.model_copy(update={"items": items}) for one in self.benchmarks)
        return self.model_copy(update={"benchmarks": chosen})


class Student(Settings):
    """One of several students, and what its models are called."""

    name: Annotated[str, Field(pattern=NAME)]
    model: str


class Recipe(Experiment):
    """Students x methods x training seeds x rounds; what each method is stands in METHODS."""

    student: str = ""
    students: tuple[Student, ...] = ()  # instead of `student`, where there are several
    generator: str = ""  # empty: the student
    teacher: str = ""  # empty: the student
    methods: tuple[str, ...] = ("base", "hotfixr")
    training_seeds: tuple[int, ...] = ()  # empty: `seed` alone
    rounds: Annotated[int, Field(ge=1, le=5)] = 1  # of methods that train a generator
    seeds: str = "bundled"
    seed_rows: Count | None = None  # half of them train generators, half are written from
    seed_skip: Annotated[int, Field(ge=0)] = 0  # of each category, left to the nemotron benchmarks
    rows: str = ""  # URI of published multilingual worked maths, for the method mcot
    validity_items: Annotated[int, Field(ge=0)] = 30  # of each bundled benchmark; 0: no table
    # Held-out ones, on which a trained generator is compared with its untrained self; 0: it is not.
    compared_prompts: Annotated[int, Field(ge=0)] = 0
    generator_training: GeneratorTraining
    questions: QuestionGeneration
    labels: Labelling
    student_training: StudentTraining

    @field_validator("student", "generator", "teacher")
    @classmethod
    def _reference(cls, text: str) -> str:
        if text:
            raise_as_value_error(lambda: supported(text))
        return text

    @field_validator("methods")
    @classmethod
    def _known_methods(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            raise_as_value_error(lambda name=name: method_named(name))
        if "base" not in names:
            raise ValueError("methods must hold 'base': every method is compared with it")
        return tuple(dict.fromkeys(names))

    @model_validator(mode="after")
    def _some_student(self) -> Recipe:
        if bool(self.student) == bool(self.students):
            raise ValueError("give either one student or a list of students")
        names = [one.name.lower() for one in self.students]
        if len(set(names)) < len(names):
            raise ValueError("two students have the same name; give each a name of its own")
        for one in self.students:
            supported(one.model)
        return self

    @model_validator(mode="after")
    def _trainable(self) -> Recipe:
        texts = [*self.student_models.values(), self.generator] if self.trains else []
        for text in texts:
            if text.startswith(("simulated:", "endpoint:")):
                raise ValueError(f"{text} has no weights to train; use methods: [base]")
        if self.rounds > 1 and self.student_training.output == "adapter":
            raise ValueError("a later round needs student_training.output: merged")
        if "mcot" in self.methods and not self.rows:
            raise ValueError("method mcot needs rows: the URI of multilingual worked maths")
        return self

    @model_validator(mode="after")
    def _answerable(self) -> Recipe:
        for student in self.student_models.values():
            answers(self.machine, student, self.evaluation.form, "evaluation.form")
            if self.trains:
                answers(self.machine, self.teacher or student, self.labels.form, "labels.form")
        return self

    @property
    def trains(self) -> bool:
        """Whether any method trains a student."""
        return any(method.trains for method in self.grid.methods)

    @property
    def student_models(self) -> dict[str, str]:
        """Name -> reference of each student; a single one is called "student"."""
        return {one.name: one.model for one in self.students} or {"student": self.student}

    @property
    def validated(self) -> tuple[str, ...]:
        """The benchmarks on which it is said whether the rewards mean anything for a student."""
        bundled = [one.name for one in self.benchmarks if one.source == "bundled"]
        parallel = tuple(name for name in bundled if benchmark_named(name).parallel)
        return parallel if self.validity_items else ()

    @property
    def grid(self) -> Grid:
        """Everything that is evaluated."""
        return Grid(
            students=tuple(self.student_models),
            methods=tuple(method_named(name) for name in self.methods),
            seeds=self.training_seeds or (self.seed,),
            rounds=self.rounds,
        )


NESTED = ("generator_training", "questions", "labels", "student_training", "evaluation")


def _filled(model: type[BaseModel], name: str, given: Any, shared: dict[str, Any]) -> Any:
    """The nested settings with what the recipe says once: form, dtype, device, seed."""
    nested = model.model_fields[name].annotation
    given = {} if given is None else given
    if not (isinstance(given, dict) and isinstance(nested, type) and issubclass(nested, BaseModel)):
        return given
    filled = {k: shared[k] for k in SHARED if k in nested.model_fields and shared[k] is not None}
    for key, field in nested.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            filled[key] = _filled(nested, key, given.get(key), shared)
    return filled | {k: v for k, v in given.items() if not isinstance(v, dict) or k not in filled}


def _languages(codes: tuple[str, ...]) -> tuple[str, ...]:
    for code in codes:
        raise_as_value_error(lambda code=code: language(code))
    return codes


def supported(text: str) -> None:
    """Raise BadInput for a reference that a recipe cannot use."""
    kind = parse_reference(text).kind
    if kind == "step":
        raise BadInput(f"{text!r}: models of kind {kind!r} cannot be used in a recipe yet")


def raise_as_value_error(check: Any) -> None:
    """Run a check; its BadInput becomes the ValueError that settings collect."""
    # pydantic collects ValueErrors, with the place where they happened.
    try:
        check()
    except BadInput as error:
        raise ValueError(str(error)) from error


def answers(machine: Machine, model: str, form: Form, setting: str) -> None:
    """Raise ValueError where a machine cannot answer for a model in this form."""
    if model.startswith("endpoint:") and form != "chat":
        raise ValueError(f"{model} answers messages only; set {setting}: chat")
    if machine.engine == "endpoint" and not model.startswith(("endpoint:", "simulated:")):
        raise ValueError(
            f"machine.engine is endpoint, but {model} is not behind one; write vllm or transformers"
        )
