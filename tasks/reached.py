"""What the runs of a store reach: the attempts that they name, the parts that they plan."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tasks.artifacts.store import Entry, Store
from tasks.compute.specs import read_spec
from tasks.compute.step import Silent, Work
from tasks.errors import BadInput, StoreError
from tasks.steps import STEPS

NAMING = {"step", "digest", "attempt", "files"}  # the fields of a part
RUN_OBJECT, SPEC = 3, 4  # folders of runs/RUN/STEP-LABEL.json, runs/RUN/specs/STEP-LABEL.json


class PartKey(NamedTuple):
    """A part, whichever attempt made it."""

    step: str
    digest: str


class AttemptKey(NamedTuple):
    """One attempt at a part."""

    part: PartKey
    attempt: str


@dataclass
class Reached:
    """What must stay."""

    attempts: set[AttemptKey] = field(default_factory=set)
    parts: set[PartKey] = field(default_factory=set)
    steps: set[str] = field(default_factory=set)  # of which every part must stay

    def holds(self, part: PartKey) -> bool:
        """Whether this part must stay."""
        return part in self.parts or part.step in self.steps

    def add(self, named: Iterator[AttemptKey]) -> None:
        """Attempts that something names; their parts stay with them."""
        for key in named:
            self.attempts.add(key)
            self.parts.add(key.part)


def find_reached(store: Store, before: datetime, forgotten: Collection[str] = ()) -> Reached:
    """What all runs but the forgotten ones reach, and manifests that are not older than `before`.

    Raises StoreError for an object of a run that is no JSON: what it reaches cannot be known.
    """
    found = Reached()
    entries = {entry.path: entry for entry in store.entries("runs")}
    for path, entry in entries.items():
        folders = path.split("/")
        if folders[1] in forgotten or not path.endswith(".json"):
            continue
        if len(folders) == RUN_OBJECT:
            found.add(named_attempts(read_json(store, path)))
        elif len(folders) == SPEC and folders[2] == "specs":
            raw = read_json(store, path)
            found.add(named_attempts(raw))
            if _unfinished(entry, entries.get(path.replace("/specs/", "/"))):
                _add_plan(store, found, path, raw, entry.modified >= before)
    for entry in store.entries("steps"):
        if entry.modified >= before:
            found.add(named_attempts(read_json(store, entry.path)))
    return found


def read_json(store: Store, path: str) -> Any:
    """A small object; None where there is none by now. Raises StoreError for what is no JSON."""
    there = store.get(path)
    return None if there is None else parsed(path, there.data)


def parsed(path: str, data: bytes) -> Any:
    """The JSON at a path. Raises StoreError."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise StoreError(
            f"{path} is no JSON, so that what it names cannot be known; put it right or remove it, "
            "then try again"
        ) from error


def named_attempts(raw: Any) -> Iterator[AttemptKey]:
    """Every part that stands anywhere in a JSON object of whatever version."""
    if isinstance(raw, dict):
        if raw.keys() >= NAMING:
            yield AttemptKey(PartKey(raw["step"], raw["digest"]), raw["attempt"])
        for inner in raw.values():
            yield from named_attempts(inner)
    elif isinstance(raw, list):
        for inner in raw:
            yield from named_attempts(inner)


def _unfinished(spec: Entry, resolved: Entry | None) -> bool:
    """Whether a step may still be looking for its parts: its times are those of one clock."""
    return resolved is None or spec.modified >= resolved.modified


def _add_plan(store: Store, found: Reached, path: str, raw: Any, young: bool) -> None:
    """The parts of a step that is not done yet, made or not."""
    name = raw.get("step") if isinstance(raw, dict) else None
    step = STEPS.get(str(name))
    if step is None:
        return
    try:
        spec = read_spec(store, step, path).spec
    except BadInput:
        # Written by another version, which plans other parts; perhaps it is at work just now.
        found.steps |= {step.name} if young else set()
        return
    work = Work(store, step, Silent())
    work.resolve(spec)
    found.add(named_attempts([part.model_dump() for part in work.done.values()]))
    found.parts |= {PartKey(step.name, digest) for digest in work.missing.values()}
