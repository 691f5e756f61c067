"""Runs: a recipe, when it was started, and what each of its steps resolved to."""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tasks.artifacts.parts import fetch_part
from tasks.artifacts.records import (
    VERSION,
    Manifest,
    Part,
    Record,
    RunObject,
    run_object_path,
)
from tasks.artifacts.store import Store
from tasks.compute.environment import package_version
from tasks.errors import BadInput, PartMissing

SLUG_LENGTH = 40
RUN_OBJECT_DEPTH = 3  # runs/RUN/STEP-LABEL.json


class Run(Record):
    """What was asked for. `name` is a person's label; nothing depends on it."""

    version: int = VERSION
    run: str
    name: str
    recipe: dict[str, Any]
    labels: list[str]  # of its steps, in order: "evaluate-base"
    created: str  # UTC, ISO 8601
    package: str
    flow_run: str | None = None  # id of the Prefect run


def slug(text: str) -> str:
    """Lower-case ASCII letters, digits and dashes: the only way a name becomes part of a path."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG_LENGTH].strip("-") or "run"


def new_run_id(name: str, when: datetime | None = None, unique: str | None = None) -> str:
    """Time, slug and a short id; the same for the same `when` and `unique`, so that a retry of a
    Prefect run keeps its run."""
    when = when or datetime.now(UTC)
    return f"{when.astimezone(UTC):%Y%m%dT%H%M%SZ}-{slug(name)}-{(unique or uuid.uuid4().hex)[:6]}"


def day_of(run: str) -> str:
    """The day in a run's id, YYYY-MM-DD: the same however often the run is retried."""
    return f"{run[:4]}-{run[4:6]}-{run[6:8]}"


def start_run(
    store: Store,
    run: str,
    name: str,
    recipe: dict[str, Any],
    labels: list[str],
    flow_run: str | None = None,
) -> Run:
    """Write run.json once; a run that was started before keeps its first one."""
    fresh = Run(
        run=run,
        name=name,
        recipe=recipe,
        labels=labels,
        created=now(),
        package=package_version(),
        flow_run=flow_run,
    )
    store.create(f"runs/{run}/run.json", fresh.to_bytes())
    return read_run(store, run)


def now() -> str:
    """UTC to the second, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_run(store: Store, run: str) -> Run:
    """A run by its id, or by the beginning of it if that is unambiguous. Raises BadInput."""
    there = store.get(f"runs/{run}/run.json")
    if there is None:
        there = store.get(f"runs/{_only(store, run)}/run.json")
    assert there is not None
    return Run.model_validate_json(there.data)


def _only(store: Store, beginning: str) -> str:
    ids = run_ids(store)
    fitting = [run for run in ids if run.startswith(beginning)]
    if len(fitting) != 1:
        some = ", ".join(ids[-3:]) or "none yet"
        problem = "is ambiguous" if fitting else "does not exist"
        raise BadInput(f"run {beginning!r} {problem} in {store.uri}; the latest are: {some}")
    return fitting[0]


def run_ids(store: Store) -> list[str]:
    """All runs of a store, oldest first."""
    paths = store.list("runs")
    return sorted({path.split("/")[1] for path in paths if path.endswith("/run.json")})


def record_step(
    store: Store, run: str, step: str, label: str, spec: str, manifest: Manifest
) -> None:
    """Write what a run resolved a step to; each step has an object of its own.

    A report is put under the run as well.
    """
    if step == "report":
        _copy_report(store, run, manifest.parts["report"])
    finished = RunObject(
        run=run,
        step=step,
        label=label,
        spec=spec,
        manifest=manifest,
        package=package_version(),
        finished=now(),
    )
    store.put(run_object_path(run, step, label), finished.to_bytes())


def recorded_step(store: Store, run: str, step: str, label: str) -> RunObject | None:
    """What a run resolved a step to, or None while it has not."""
    return _run_object(store, run_object_path(run, step, label))


def recorded_manifests(store: Store, run: Run) -> dict[str, Manifest]:
    """What each step of a run that is done resolved to, by its label in the run."""
    found = {}
    for path in store.list(f"runs/{run.run}"):
        folders = path.split("/")
        if len(folders) == RUN_OBJECT_DEPTH and folders[-1] != "run.json":
            label = folders[-1].removesuffix(".json").removesuffix("-main")
            known = _run_object(store, path)
            if known is not None:
                found[label] = known.manifest
    return found


def _run_object(store: Store, path: str) -> RunObject | None:
    there = store.get(path)
    if there is None:
        return None
    try:
        return RunObject.model_validate_json(there.data)
    except ValidationError:
        return None


def approve(store: Store, run: str, what: str) -> None:
    """Record that a person has let a run go on past its plan, or its questions."""
    store.create(_approval_path(run, what), json.dumps({"approved": now()}).encode())


def approved(store: Store, run: str, what: str) -> bool:
    """Whether a person has; a retried run is not asked about twice."""
    return store.get(_approval_path(run, what)) is not None


def _approval_path(run: str, what: str) -> str:
    return f"runs/{run}/approvals/{what}.json"


def _copy_report(store: Store, run: str, report: Part) -> None:
    """Put the report's files under the run, where people look for it."""
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        fetch_part(store, report, Path(scratch))
        for file in report.files:
            store.upload(Path(scratch) / file.name, f"runs/{run}/report/{file.name}")


def forget_run(store: Store, run: str) -> None:
    """Remove all that a run has written of itself; its parts stay until they are cleaned up."""
    store.delete(f"runs/{run}/run.json")  # first: what is half removed must not be listed
    for path in store.list(f"runs/{run}"):
        store.delete(path)


def report_path(store: Store, run: str) -> str:
    """The path of a run's report. Raises PartMissing while there is none."""
    path = f"runs/{run}/report/index.html"
    if store.get(path) is None:
        raise PartMissing(f"run {run} has no report yet; see what is missing: hotfixr show {run}")
    return path
