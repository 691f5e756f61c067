"""A recipe: one experiment from data to report. The only place that a person configures.

Nothing is `auto`: engine, dtype, device and prompt form are said once and copied into every
setting that needs them, before anything is digested.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tasks.artifacts.store import open_store
from tasks.benchmarks import BENCHMARKS
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED, language
from tasks.models.machine import Machine
from tasks.models.references import parse_reference
from tasks.models.thinking import Thinking
from tasks.questions.generation import QuestionGeneration
from tasks.questions.labels import Labelling
from tasks.questions.settings import GeneratorTraining
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
        if name not in BENCHMARKS:
            raise ValueError(f"{name!r} is no benchmark; known are {', '.join(BENCHMARKS)}")
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
    form: Form
    seed: int = 0

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes answers: what is left to the model is not said."""
        return self.model_dump(exclude=set() if self.thinking else {"thinking"})

    @model_validator(mode="after")
    def _thinks_in_chats(self) -> Evaluation:
        if self.thinking not in {None, "off"} and self.form != "chat":
            raise ValueError(f"thinking {self.thinking!r} needs form: chat")
        return self


class Scoring(Settings):
    """Which language transfer starts from, and how intervals are made."""

    source: str = "en"
    resamples: Count = 1000
    seed: int = 0


class Recipe(Settings):
    """One experiment. `methods` base: the untouched student; hotfixr: trained as well."""

    name: str
    description: str = ""
    student: str
    generator: str = ""  # empty: the student
    teacher: str = ""  # empty: the student
    methods: tuple[Literal["base", "hotfixr"], ...] = ("base", "hotfixr")
    machine: Machine
    form: Form
    seed: int = 0
    languages: tuple[str, ...] = (*TRAINED, *HELD_OUT)
    seeds: str = "bundled"
    benchmarks: tuple[BenchmarkChoice, ...]
    generator_training: GeneratorTraining
    questions: QuestionGeneration
    labels: Labelling
    student_training: StudentTraining
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
        return raw | {name: _filled(cls, name, raw.get(name), shared) for name in NESTED}

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        return _languages(codes)

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
        self._answers(self.student, self.evaluation.form, "evaluation.form")
        if "hotfixr" in self.methods:
            self._answers(self.teacher or self.student, self.labels.form, "labels.form")
        return self

    def _answers(self, model: str, form: Form, setting: str) -> None:
        if model.startswith("endpoint:") and form != "chat":
            raise ValueError(f"{model} answers messages only; set {setting}: chat")
        if self.machine.engine == "endpoint" and not model.startswith(("endpoint:", "simulated:")):
            raise ValueError(
                f"machine.engine is endpoint, but {model} is not behind one; write vllm or"
                " transformers"
            )

    def with_items(self, items: int) -> Recipe:
        """The same recipe with so many items per benchmark and language."""
        chosen = tuple(one.model_copy(update={"items": items}) for one in self.benchmarks)
        return self.model_copy(update={"benchmarks": chosen})


def asked_on(recipe: Recipe, day: str) -> Recipe:
    """The recipe with the day (YYYY-MM-DD) whose answers of endpoints count, unless it says one.

    A run fixes it once: an endpoint's model may be another one tomorrow under the same name.
    """
    endpoint = recipe.machine.endpoint
    models = (recipe.student, recipe.generator, recipe.teacher)
    if endpoint.asked or not any(text.startswith("endpoint:") for text in models):
        return recipe
    dated = endpoint.model_copy(update={"asked": day})
    machine = recipe.machine.model_copy(update={"endpoint": dated})
    return recipe.model_copy(update={"machine": machine})


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


RECIPES = Path(__file__).parent.parent / "deployments" / "recipes"


def known_recipes() -> list[str]:
    """Names of the recipes that come with the package."""
    return sorted(path.stem for path in RECIPES.glob("*.yaml"))


def read_recipe(where: str, overrides: dict[str, Any] | None = None) -> Recipe:
    """A recipe by name, path or URI, with overrides by dotted key. Raises BadInput."""
    raw = _load(where)
    for key, value in (overrides or {}).items():
        _set(raw, key, value)
    try:
        return Recipe.model_validate(raw)
    except ValidationError as error:
        raise BadInput(f"recipe {where}: {explain(error)}") from error


def _load(where: str) -> dict[str, Any]:
    try:
        raw = yaml.safe_load(_text(where))
    except yaml.YAMLError as error:
        raise BadInput(f"recipe {where} is not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(raw, dict):
        raise BadInput(f"recipe {where} holds no settings; it must be a YAML mapping")
    return raw


def _text(where: str) -> str:
    if "://" in where:
        root, _, name = where.rpartition("/")
        there = open_store(root).get(name)
        if there is None:
            raise BadInput(f"no recipe at {where}")
        return there.data.decode()
    path = Path(where) if where.endswith((".yaml", ".yml")) else RECIPES / f"{where}.yaml"
    if not path.is_file():
        raise BadInput(
            f"no recipe {where!r}: give a path to a YAML file, a URI, or one of "
            f"{', '.join(known_recipes())}"
        )
    return path.read_text()


def _set(raw: Any, key: str, value: Any) -> None:
    """Set a setting by its dotted path; numbers are places in a list."""
    *parents, last = key.split(".")
    for parent in parents:
        raw = _member(raw, parent, key)
    if isinstance(raw, list):
        if not last.isdigit() or int(last) >= len(raw):
            raise BadInput(f"override {key!r}: the list has no place {last!r}")
        raw[int(last)] = value
    else:
        raw[last] = value


def _member(raw: Any, name: str, key: str) -> Any:
    if isinstance(raw, list) and name.isdigit() and int(name) < len(raw):
        return raw[int(name)]
    inner = raw.setdefault(name, {}) if isinstance(raw, dict) else None
    if not isinstance(inner, dict | list):
        raise BadInput(f"override {key!r}: {name!r} is not a group of settings")
    return inner


def parse_override(text: str) -> tuple[str, Any]:
    """`a.b=c` as a dotted key and a YAML value."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise BadInput(f"override {text!r} must look like evaluation.samples=4")
    return key, yaml.safe_load(value)


def explain(error: ValidationError) -> str:
    """All complaints of a validation in one sentence: place, value, what would be right."""
    return "; ".join(_complaint(dict(one)) for one in error.errors())


def _complaint(one: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in one["loc"]) or "the recipe"
    if one["type"] == "extra_forbidden":
        return f"{where} is no setting; check its spelling against the README"
    message = one["msg"].removeprefix("Value error, ")
    if one["type"] in {"value_error", "missing"}:
        return f"{where}: {message}"
    return f"{where} is {json.dumps(one['input'], default=str)}: {message}"
