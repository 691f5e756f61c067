"""Specs in the store: what one run asks of one step, written by the parent, read by workers."""

from __future__ import annotations

import json
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.artifacts.store import Store
from tasks.compute.environment import package_version
from tasks.compute.step import Step
from tasks.errors import BadInput, WrongWorker

S = TypeVar("S", bound=BaseModel)


class Spec(BaseModel):
    """Base of every step's parameters: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SpecFile(BaseModel, Generic[S]):
    """A spec with its address: which run, which step, under which label."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str
    run: str
    step: str
    label: str
    parent: str | None = None  # id of the Prefect run that dispatches it
    sharers: int = 1  # runs that were started to share its parts
    spec: S


def spec_path(run: str, step: str, label: str) -> str:
    """Where a run writes the spec of one of its steps."""
    return f"runs/{run}/specs/{step}-{label}.json"


def write_spec(store: Store, file: SpecFile[Any]) -> str:
    """Write a spec; its path. Writing the same spec again changes nothing."""
    path = spec_path(file.run, file.step, file.label)
    store.put(path, file.model_dump_json(indent=2).encode())
    return path


def read_spec(store: Store, step: Step, path: str) -> SpecFile[Any]:
    """Read a spec for a step; BadInput if it is none, WrongWorker if of another version."""
    path = path.removeprefix(f"{store.uri}/")
    there = store.get(path)
    if there is None:
        raise BadInput(
            f"no spec at {path!r} in {store.uri}; give the path that the parent run wrote, "
            "runs/RUN/specs/STEP-LABEL.json"
        )
    raw = json.loads(there.data)
    if raw.get("package") != package_version():
        raise WrongWorker(
            f"spec {path} was written by hotfixr-flows {raw.get('package')}, this worker runs "
            f"{package_version()}; install the same version on both"
        )
    if raw.get("step") != step.name:
        raise BadInput(f"spec {path} is for step {raw.get('step')!r}, not for {step.name!r}")
    try:
        return SpecFile[step.spec].model_validate(raw)  # type: ignore[name-defined]
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"spec {path}: {where}: {first['msg']}") from error
