"""What a person said about files that do not say it: their names for our columns, fixed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput

REQUIRED = ("model", "benchmark", "item_id", "language", "sample", "score")
KIND = "kind"  # of answers that the file leaves ungraded; not a column of the grades
NAMES = tuple(field.name for field in GRADES)


class Notes:
    """Sentences about what was read, each once, with counts added up over the files."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def say(self, sentence: str, count: int = 0) -> None:
        """Keep a sentence; `{n}` in it becomes the sum of its counts."""
        self._counts[sentence] = self._counts.get(sentence, 0) + count

    def sentences(self) -> list[str]:
        """All of them, in the order in which they were first said."""
        return [text.replace("{n}", f"{count:,}") for text, count in self._counts.items()]


@dataclass(frozen=True)
class Asked:
    """`columns` maps our column to theirs, `constants` a column to one value for all rows."""

    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Raise BadInput for names that are no columns, or that are given twice."""
        for option, given in (("--column", self.columns), ("--value", self.constants)):
            allowed = NAMES if option == "--column" else (*NAMES, KIND)
            for name in given:
                if name not in allowed:
                    raise BadInput(
                        f"{option} {name}={given[name]} names no column of the grades: "
                        f"use one of {', '.join(allowed)}."
                    )
        for name in self.columns:
            if name in self.constants:
                raise BadInput(f"{name!r} is given by --column and by --value: give it by one.")

    def missing(self, where: str, name: str, theirs: str = "THEIRS") -> BadInput:
        """The sentence about a needed column that neither the file nor the person gives."""
        return BadInput(
            f"{where} does not say the {name} of its rows: name the field that does with "
            f"--column {name}={theirs}, or give one for all with --value {name}=VALUE."
        )


def at_path(record: Mapping[str, Any], path: str, where: str, option: str) -> Any:
    """The value at a dotted path such as doc.lang; BadInput lists what is there instead."""
    value: Any = record
    for depth, step in enumerate(steps := path.split(".")):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        else:
            there = ", ".join(value) if isinstance(value, Mapping) else "nothing"
            inside = f"its {'.'.join(steps[:depth])}" if depth else "it"
            raise BadInput(f"{where} has no {path!r} for {option}={path}: {inside} has {there}.")
    return value
