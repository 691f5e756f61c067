"""Which part a model is, which engine answers for it, and in which pool that runs."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.artifacts.records import Manifest, Part
from tasks.models.machine import EngineSettings, Machine
from tasks.models.references import parse_reference

Done = Mapping[str, Manifest]  # label of a node -> what it came to
ELSEWHERE = ("simulated", "endpoint")  # kinds of models that have no weights here


def model_of(reference: str, done: Done) -> Part | None:
    """The weights of a model; None where there are none here."""
    if parse_reference(reference).kind in ELSEWHERE:
        return None
    return done["prepare-models"].parts[str(parse_reference(reference))]


def engine_of(machine: Machine, reference: str, role: str) -> EngineSettings:
    """The machine's engine; a model without weights here has its own, and is named to it."""
    model = parse_reference(reference)
    if model.kind not in ELSEWHERE:
        return EngineSettings(**machine.model_dump(), profile=role)
    return EngineSettings(**machine.model_dump() | {"engine": model.kind}, profile=model.name)


def pool(machine: Machine, reference: str) -> str:
    """Where an engine runs: only one that holds weights needs a device."""
    light = machine.engine in ELSEWHERE or parse_reference(reference).kind in ELSEWHERE
    return "cpu" if light else "gpu"


def heavier(*pools: str) -> str:
    """The pool that has what all of these need."""
    return "gpu" if "gpu" in pools else "cpu"
