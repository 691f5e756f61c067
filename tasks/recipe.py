"""A recipe: one experiment from data to report. The only place that a person configures.

Nothing is `auto`: engine, dtype, device and prompt form are said once and copied into every
setting that needs them, before anything is digested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tasks.benchmarks import benchmark_named
from tasks.benchmarks.judging import Judging
from tasks.errors import BadInput
from tasks.grading import JUDGED
from tasks.grading.paper_compat import PaperCompat
from tasks.languages import HELD_OUT, TRAINED, Reasoning, language
from tasks.models.machine import Machine
from tasks.models.references import parse_reference
from tasks.models.thinking import Thinking
from tasks.questions.generation import QuestionGeneration
from tasks.questions.labels import Labelling
from tasks.questions.settings import GeneratorTraining
from tasks.scoring.model_facts import ModelFacts
from tasks.training.settings import StudentTraining

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
        _raise_as_value_error(lambda: benchmark_named(name))
        return name

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, codes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if codes is None else _languages(codes)


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

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes answers: what is not asked for is not said, nor who grades them."""
        unasked = {"thinking": None, "reasoning": "none"}
        absent = {name for name, value in unasked.items() if getattr(self, name) == value}
        return self.model_dump(exclude=absent | {"judge", "paper_compat"})

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
            _raise_as_value_error(lambda: _supported(judge.model))
            _answers(judge.machine or self.machine, judge.model, "chat", "evaluation.judge")
        return self

    def with_items(self, items: int) -> Self:
        """The same recipe with so many items per benchmark and language."""
        chosen = tuple(one.model_copy(update={"items": items}) for one in self.benchmarks)
        return self.model_copy(update={"benchmarks": chosen})


class Recipe(Experiment):
    """HOTFIXR for one student. `methods` base: the untouched student; hotfixr: trained as well."""

    student: str
    generator: str = ""  # empty: the student
    teacher: str = ""  # empty: the student
    methods: tuple[Literal["base", "hotfixr"], ...] = ("base", "hotfixr")
    seeds: str = "bundled"
    generator_training: GeneratorTraining
    questions: QuestionGeneration
    labels: Labelling
    student_training: StudentTraining

    @field_validator("student", "generator", "teacher")
    @classmethod
    def _reference(cls, text: str) -> str:
        if text:
            _raise_as_value_error(lambda: _supported(text))
        return text

    @model_validator(mode="after")
    def _base_first(self) -> Recipe:
        if "base" not in self.methods:
            raise ValueError("methods must hold 'base': every method is compared with it")
        return self

    @model_validator(mode="after")
    def _trainable(self) -> Recipe:
        for text in (self.student, self.generator) if "hotfixr" in self.methods else ():
            if text.startswith(("simulated:", "endpoint:")):
                raise ValueError(f"{text} has no weights to train; use methods: [base]")
        return self

    @model_validator(mode="after")
    def _answerable(self) -> Recipe:
        _answers(self.machine, self.student, self.evaluation.form, "evaluation.form")
        if "hotfixr" in self.methods:
            _answers(self.machine, self.teacher or self.student, self.labels.form, "labels.form")
        return self


class ListedModel(Settings):
    """One model of a list, and the facts that analyses over models need."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    model: str
    machine: Machine | None = None  # None: the recipe's
    form: Form | None = None  # None: the recipe's
    temperature: float | None = Field(None, ge=0.0)  # of its model card; None: the recipe's
    simulated: str = ""  # profile that plays it when the recipe's engine is the simulated one
    family: str | None = None
    system: str | None = None  # what its thinking variants share
    parameters: float | None = Field(None, gt=0)  # in total, billions; None: not published
    released: str | None = Field(None, pattern=r"^\d{4}-\d{2}$")
    thinking: Thinking | None = None

    @field_validator("model")
    @classmethod
    def _reference(cls, text: str) -> str:
        _raise_as_value_error(lambda: _supported(text))
        return text

    @property
    def facts(self) -> ModelFacts:
        """What scoring knows about it."""
        thinking = None if self.thinking is None else str(self.thinking)
        known = {key: getattr(self, key) for key in ("name", "family", "system", "parameters")}
        return ModelFacts(**known, released=self.released, thinking=thinking)


class ModelsRecipe(Experiment):
    """The HAT paper's experiment: a list of models, evaluated and scored against each other."""

    models: Annotated[tuple[ListedModel, ...], Field(min_length=1)]

    @field_validator("models")
    @classmethod
    def _distinct(cls, models: tuple[ListedModel, ...]) -> tuple[ListedModel, ...]:
        names = [one.name.lower() for one in models]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"models has {twice[0]!r} twice; give each a name of its own")
        return models

    def with_models(self, names: Sequence[str]) -> ModelsRecipe:
        """The same recipe with some of its models. Raises BadInput for one it does not list."""
        known = {one.name: one for one in self.models}
        strangers = [name for name in names if name not in known]
        if strangers:
            raise BadInput(f"no model {strangers[0]!r} in {self.name}; it lists {', '.join(known)}")
        return self.model_copy(update={"models": tuple(known[name] for name in names)})

    @model_validator(mode="after")
    def _playable(self) -> ModelsRecipe:
        """A simulated run needs to know what plays each model."""
        for one in self.models if self.machine.engine == "simulated" else ():
            if not self.plays(one):
                raise ValueError(
                    f"machine.engine is simulated, but {one.name} does not say what plays it; "
                    "give it simulated: slope-0.8-mean-0.6"
                )
        return self

    @model_validator(mode="after")
    def _answerable(self) -> ModelsRecipe:
        for one in self.models if self.machine.engine != "simulated" else ():
            machine, form = one.machine or self.machine, one.form or self.form
            _answers(machine, one.model, form, f"form of {one.name}")
            _raise_as_value_error(lambda one=one: self.evaluation_of(one))
        return self

    def plays(self, one: ListedModel) -> str:
        """The profile that plays a model; empty for a real one.

        With the simulated engine the whole list is played.
        """
        if one.model.startswith("simulated:"):
            return parse_reference(one.model).name
        return one.simulated if self.machine.engine == "simulated" else ""

    def evaluation_of(self, one: ListedModel) -> Evaluation:
        """How one model is asked: in its own form, at its own temperature, with its thinking."""
        own: dict[str, Any] = {"form": one.form, "temperature": one.temperature}
        if not self.plays(one):
            own["thinking"] = one.thinking
        changed = {key: value for key, value in own.items() if value is not None}
        return Evaluation.model_validate(self.evaluation.model_dump() | changed)


def asked_on(recipe: Recipe | ModelsRecipe, day: str) -> Recipe | ModelsRecipe:
    """The recipe with the day (YYYY-MM-DD) whose answers of endpoints count, unless it says one.

    A run fixes it once: an endpoint's model may be another one tomorrow under the same name.
    """
    if isinstance(recipe, ModelsRecipe):
        listed = tuple(
            one.model_copy(update={"machine": one.machine and _dated(one.machine, one.model, day)})
            for one in recipe.models
        )
        recipe = recipe.model_copy(update={"models": listed})
        models = [one.model for one in recipe.models]
    else:
        models = [recipe.student, recipe.generator, recipe.teacher]
    recipe = recipe.model_copy(update={"evaluation": _judged_on(recipe.evaluation, day)})
    models += [recipe.evaluation.judge.model] if recipe.evaluation.judge else []
    remote = next((model for model in models if model.startswith("endpoint:")), "")
    return recipe.model_copy(update={"machine": _dated(recipe.machine, remote, day)})


def _judged_on(evaluation: Evaluation, day: str) -> Evaluation:
    judge = evaluation.judge
    if judge is None or judge.machine is None:
        return evaluation
    dated = judge.model_copy(update={"machine": _dated(judge.machine, judge.model, day)})
    return evaluation.model_copy(update={"judge": dated})


def _dated(machine: Machine, model: str, day: str) -> Machine:
    if machine.endpoint.asked or not model.startswith("endpoint:"):
        return machine
    return machine.model_copy(
        update={"endpoint": machine.endpoint.model_copy(update={"asked": day})}
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
        _raise_as_value_error(lambda code=code: language(code))
    return codes


def _supported(text: str) -> None:
    kind = parse_reference(text).kind
    if kind == "step":
        raise BadInput(f"{text!r}: models of kind {kind!r} cannot be used in a recipe yet")


def _raise_as_value_error(check: Any) -> None:
    # pydantic collects ValueErrors, with the place where they happened.
    try:
        check()
    except BadInput as error:
        raise ValueError(str(error)) from error


def _answers(machine: Machine, model: str, form: Form, setting: str) -> None:
    """Raise ValueError where a machine cannot answer for a model in this form."""
    if model.startswith("endpoint:") and form != "chat":
        raise ValueError(f"{model} answers messages only; set {setting}: chat")
    if machine.engine == "endpoint" and not model.startswith(("endpoint:", "simulated:")):
        raise ValueError(
            f"machine.engine is endpoint, but {model} is not behind one; write vllm or transformers"
        )
