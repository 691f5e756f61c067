"""Start runs through their deployments, look at them, kill parts of them, as people and fate do."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
import yaml
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.deployments import run_deployment
from prefect.states import AwaitingRetry

from deployments.stack import Stack
from flows.dispatch import SECOND_CRASH
from tasks.artifacts.store import Store, configured_store
from tasks.read_recipe import RECIPES
from tasks.runs import recorded_step
from tests.waiting import wait_for

EVERY = 0.5  # seconds between looks at the server: each costs it and us some of two cores
FINAL = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


def recipe(folder: Path, based_on: str, **changes: Any) -> str:
    """A recipe like a bundled one with other top-level settings; its path."""
    raw = yaml.safe_load((RECIPES / f"{based_on}.yaml").read_text()) | changes
    path = folder / f"{raw['name']}.yaml"
    path.write_text(yaml.safe_dump(raw))
    return str(path)


def client() -> SyncPrefectClient:
    return get_client(sync_client=True)


class ParentRun:
    """A run of a big deployment."""

    def __init__(self, recipe: str, deployment: str = "hotfixr/control", **parameters: Any) -> None:
        started = run_deployment(deployment, parameters={"recipe": recipe, **parameters}, timeout=0)
        assert isinstance(started, FlowRun)
        self.id: UUID = started.id
        self._run = ""

    @classmethod
    def of(cls, started: FlowRun) -> ParentRun:
        """A run that something else has started."""
        parent = cls.__new__(cls)
        parent.id = started.id
        parent._run = ""
        return parent

    def read(self, run: UUID | None = None) -> FlowRun:
        with client() as api:
            return api.read_flow_run(run or self.id)

    @property
    def run(self) -> str:
        """Our run id, which the parent takes as its name once it runs."""
        if not self._run:

            def named() -> str:
                name = self.read().name
                return name if name.startswith("20") else ""

            self._run = wait_for(named, "a run id", 120, EVERY)
        return self._run

    def children(self) -> list[FlowRun]:
        tags = FlowRunFilterTags(all_=[f"run:{self.run}"])
        with client() as api:
            return api.read_flow_runs(flow_run_filter=FlowRunFilter(tags=tags), limit=100)

    def child(self, label: str) -> FlowRun | None:
        named = [one for one in self.children() if one.name.startswith(f"{label} of ")]
        assert len(named) <= 1, "one child per parent and step"
        return named[0] if named else None

    def wait(
        self, state: str = "COMPLETED", seconds: float = 240.0, of: UUID | None = None
    ) -> None:
        """Until the run is in a final state, which must be this one."""
        self.wait_for_any({state}, of, seconds)

    def wait_for_any(
        self, states: set[str], of: UUID | None = None, seconds: float = 240.0
    ) -> None:
        """Until the run is in a final state, which must be one of these."""

        def ended() -> str:
            found = self.read(of).state_type
            return found.value if found is not None and found.value in FINAL else ""

        found = wait_for(ended, f"the end of {of or self.id}", seconds, EVERY)
        assert found in states, self.read(of).state

    def retry(self, run: UUID) -> None:
        """What the UI's Retry button does; pressed again if a late crash report undoes it.

        Prefect reports a crash twice, and a retry between the two is overwritten by the second.
        """
        asked = 0.0

        def holds() -> bool:
            nonlocal asked
            with client() as api:
                if not asked or api.read_flow_run(run).state_type == StateType.CRASHED:
                    api.set_flow_run_state(run, AwaitingRetry(), force=True)
                    asked = time.monotonic()
            return time.monotonic() - asked > SECOND_CRASH

        wait_for(holds, "the retry to hold", 60)


def store() -> Store:
    return configured_store()


def attempts(run: str, step: str, role: str = "main") -> dict[str, str]:
    """Part name -> attempt of what a run resolved a step to."""
    found = recorded_step(store(), run, step, role)
    return {name: part.attempt for name, part in found.manifest.parts.items()} if found else {}


@contextmanager
def worker_that_knows(stack: Stack, environment: Mapping[str, str]) -> Iterator[None]:
    """The cpu worker started anew with more in its environment, and later as it was."""
    before = dict(os.environ)
    os.environ.update(environment)
    stack.stop_worker("cpu")
    try:
        stack.start_worker("cpu")
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        stack.stop_worker("cpu")
        stack.start_worker("cpu")


def processes(*words: str) -> list[psutil.Process]:
    """Running processes whose command line holds all these words."""
    found = []
    for process in psutil.process_iter():
        try:
            line = process.cmdline()
            if all(any(word in argument for argument in line) for word in words):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found


def kill(process: psutil.Process) -> None:
    os.kill(process.pid, signal.SIGKILL)
