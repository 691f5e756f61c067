"""What is known about the models that are compared, as the recipe's table of models says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelFacts:
    """Facts of one model; None where not known or not published."""

    name: str  # as in the column `model` of the grades
    family: str | None = None  # Gemma
    system: str | None = None  # what its thinking variants share; None: its name
    parameters: float | None = None  # in total, billions
    released: str | None = None  # YYYY-MM
    thinking: str | None = None  # off | minimal | low | medium | high | a number of tokens

    @property
    def year(self) -> int | None:
        """The year of its release."""
        return None if self.released is None else int(self.released[:4])
