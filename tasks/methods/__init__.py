"""The methods that are compared: where a student's training rows come from. One row says it all.

    questions   generator: written by the generator that GRPO trained
                untrained: by the same model without GRPO
                teacher:   by the teacher
                seeds:     random real rows
                filtered:  the real rows of largest LAI + LSI
                mistakes:  by the teacher, shown what the student got wrong
                rows:      a published set of multilingual worked maths
    labels      teacher: its consensus; own: what the rows came with
    rewards     of GRPO's reward: which components have a weight

A method without questions trains nothing; it is the student as it is, asked in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.errors import BadInput

Questions = Literal["generator", "untrained", "teacher", "seeds", "filtered", "mistakes", "rows"]
ALL_REWARDS = ("format", "lai", "lsi")


@dataclass(frozen=True)
class Method:
    """One method; `published` is its name in the paper's tables, None where it has none."""

    name: str
    published: str | None
    questions: Questions | None = None
    labels: Literal["teacher", "own"] | None = None
    rewards: tuple[str, ...] = ()
    english_reasoning: bool = False

    @property
    def trains(self) -> bool:
        """Whether a student is trained at all."""
        return self.questions is not None


METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method("base", "Base"),
        Method("eng-reason", "EngReason", english_reasoning=True),
        Method("selection-gt", "SelectionGT", "seeds", "own"),
        Method("selection-gen", "SelectionGEN", "seeds", "teacher"),
        Method("filtered", "Filtered", "filtered", "own"),
        Method("mcot", "mCOT", "rows", "own"),
        Method("untrained", "Untrained", "untrained", "teacher"),
        Method("dataenvgym", "DataEnvGym", "mistakes", "own"),
        Method("distillation", "Distillation (32B)", "teacher", "teacher"),
        Method("hotfixr", "HOTFIXR", "generator", "teacher", ALL_REWARDS),
        # The reward ablations of the paper's table 5; all three rewards are HOTFIXR itself.
        Method("format-only", "Format", "generator", "teacher", ("format",)),
        Method("format-lai", "+ LAI", "generator", "teacher", ("format", "lai")),
        Method("format-lsi", "+ LSI", "generator", "teacher", ("format", "lsi")),
    )
}


def method_named(name: str) -> Method:
    """The row of a method; BadInput lists the known ones."""
    if name not in METHODS:
        raise BadInput(f"method {name!r} is not known; write one of {', '.join(METHODS)}")
    return METHODS[name]
