"""The steps, in the order of the DAG.

A step's module is imported when the step is first asked for: each flow run and each compute
process needs one of them, and starts a second or two sooner without what the others import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from tasks.compute.step import Step

NAMES = (
    "prepare-data",
    "prepare-models",
    "train-generator",
    "generate-questions",
    "label-questions",
    "train-student",
    "evaluate",
    "score",
    "report",
)


class _Steps(Mapping[str, Step]):
    def __getitem__(self, name: str) -> Step:
        if name not in NAMES:
            raise KeyError(name)
        return cast(Step, import_module(f"tasks.{name.replace('-', '_')}").STEP)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


STEPS: Mapping[str, Step] = _Steps()
