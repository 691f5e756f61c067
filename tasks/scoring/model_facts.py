"""What is known about the models that are compared, as the recipe's table of models says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

LEVELS = ("off", "minimal", "low", "medium", "high")


def _written(given: Any) -> Any:
    """What YAML made of an unquoted text: `off` is false there, 2024 a number."""
    if given is None or isinstance(given, str):
        return given
    return "off" if given is False else str(given)


Size = Annotated[float, Field(gt=0, allow_inf_nan=False)]  # in total, billions
Month = Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]  # YYYY-MM
# A level, or a number of tokens.
Thinking = Annotated[str, Field(pattern=rf"^({'|'.join(LEVELS)}|[1-9]\d*)$")]


@dataclass(frozen=True)
class ModelFacts:
    """Facts of one model; None where not known or not published."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str  # as in the column `model` of the grades
    family: str | None = None  # Gemma
    system: str | None = None  # what its thinking variants share; None: its name
    parameters: Size | None = None
    released: Annotated[Month | None, BeforeValidator(_written)] = None
    thinking: Annotated[Thinking | None, BeforeValidator(_written)] = None

    @property
    def year(self) -> int | None:
        """The year of its release."""
        return None if self.released is None else int(self.released[:4])
