"""A list of models that are scored against each other, with the facts that analyses need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from tasks.errors import BadInput
from tasks.models.machine import Machine
from tasks.models.references import parse_reference
from tasks.models.thinking import Thinking
from tasks.recipe import (
    NAME,
    Evaluation,
    Experiment,
    Form,
    Settings,
    answers,
    raise_as_value_error,
    supported,
)
from tasks.scoring.model_facts import ModelFacts


class ListedModel(Settings):
    """One model of a list, and the facts that analyses over models need."""

    name: Annotated[str, Field(pattern=NAME)]
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
        raise_as_value_error(lambda: supported(text))
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
            answers(machine, one.model, form, f"form of {one.name}")
            raise_as_value_error(lambda one=one: self.evaluation_of(one))
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
