"""One flow per step, so that each has its own deployment, run, retry button and pool.

A run shows three tasks: resolve (is it there already?), compute, publish.
"""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from httpx import HTTPError
from prefect import Flow, flow, get_run_logger, runtime, task
from prefect.artifacts import update_progress_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State, StateType, TaskRun
from prefect.exceptions import ObjectNotFound
from prefect.states import AwaitingRetry, Cancelled

from flows.address import split_spec
from flows.bars import bar_of
from flows.console import outlive_worker
from tasks.artifacts.store import open_store
from tasks.compute.specs import read_spec
from tasks.compute.step import find_manifest
from tasks.errors import HotfixrError, StepCancelled
from tasks.run_step import compute as compute_step
from tasks.run_step import reuse
from tasks.runs import record_step
from tasks.steps import STEPS
from tasks.untrusted import in_markdown

PROGRESS_EVERY = 2.0  # seconds between updates of the progress bar
LOOK_EVERY = 5.0  # seconds between looks at whether a person cancelled this run


@task(name="resolve")
def resolve(step: str, spec: str) -> bool:
    """Whether every part of the spec is there already."""
    root, path = split_spec(spec)
    found = reuse(open_store(root), step, path) is not None
    get_run_logger().info("%s: %s", step, "reused" if found else "something is missing")
    return found


async def _worth_retrying(task: Any, run: TaskRun, state: State[Any]) -> bool:
    """Only what may go through without anybody changing anything."""
    error = await state.aresult(raise_on_failure=False)
    return isinstance(error, HotfixrError) and error.retryable


@task(name="compute", retries=1, retry_delay_seconds=5, retry_condition_fn=_worth_retrying)
def compute(step: str, spec: str, force: bool) -> None:
    """Start the compute process and follow it until its parts are published."""
    root, path = split_spec(spec)
    compute_step(open_store(root), step, path, ProgressBar(), force, CancelWatch())


@task(name="publish")
def publish(step: str, spec: str) -> None:
    """Record what the run resolved this step to, and wake a parent that failed over it."""
    root, path = split_spec(spec)
    store = open_store(root)
    file = read_spec(store, STEPS[step], path)
    manifest = find_manifest(store, STEPS[step], file.spec)
    assert manifest is not None, "published parts are gone"
    record_step(store, file.run, step, file.label, path, manifest)
    if file.parent is not None:
        _put_back(file.parent)


def _put_back(parent: str) -> None:
    """Send a failed parent on its way again; it adopts what is done."""
    with get_client(sync_client=True) as client:
        try:
            run = client.read_flow_run(UUID(parent))
        except ObjectNotFound:
            return
        if run.state_type in {StateType.FAILED, StateType.CRASHED}:
            client.set_flow_run_state(run.id, AwaitingRetry(), force=True)
            get_run_logger().info("parent run %s was put back", run.name)


class ProgressBar:
    """One progress artifact of this run, updated in place and not too often."""

    def __init__(self) -> None:
        with get_client(sync_client=True) as client:
            self._artifact = bar_of(client, UUID(str(runtime.flow_run.id)))
        self._last = 0.0

    def progress(self, done: int, total: int, what: str) -> None:
        """See `tasks.compute.step.Events`."""
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY or done == total:
            self._last = now
            self._update(100.0 * done / total if total else 0.0, f"{what} ({done} of {total})")

    def _update(self, share: float, description: str) -> None:
        try:
            update_progress_artifact(
                artifact_id=self._artifact,
                progress=min(share, 100.0),
                description=in_markdown(description),
            )
        except HTTPError as error:
            # The work goes on while the server is away.
            get_run_logger().warning("progress not shown: %s", error)


class CancelWatch:
    """Whether a person cancelled this run: after its worker died, nobody else would notice."""

    def __init__(self) -> None:
        self._run = UUID(str(runtime.flow_run.id))
        self._next = 0.0

    def __call__(self) -> bool:
        """Ask the server now and then."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + LOOK_EVERY
        try:
            with get_client(sync_client=True) as client:
                run = client.read_flow_run(self._run)
        except HTTPError:
            return False  # a server that is away or starts again cancels nothing
        return run.state_type in {StateType.CANCELLING, StateType.CANCELLED}


def step_flow(step: str) -> Flow[[str, bool], State[Any] | None]:
    """The flow of one step."""

    @flow(name=step, description=f"The step {step} of a run, from the spec that the run wrote.")
    def run(spec: str, force: bool = False) -> State[Any] | None:
        """Compute one step of a run.

        Args:
            spec: URI of the spec that the parent run wrote (runs/RUN/specs/STEP-ROLE.json).
            force: Compute it again even where its parts are there.
        """
        outlive_worker()
        if force or not resolve(step, spec):
            try:
                compute(step, spec, force)
            except StepCancelled as error:
                # Of a run that is being cancelled the server takes no other end; usually its
                # worker says so, but that may be dead.
                return Cancelled(message=str(error))
        publish(step, spec)
        return None

    return run


prepare_data = step_flow("prepare-data")
prepare_models = step_flow("prepare-models")
train_generator = step_flow("train-generator")
generate_questions = step_flow("generate-questions")
label_questions = step_flow("label-questions")
train_student = step_flow("train-student")
evaluate = step_flow("evaluate")
score = step_flow("score")
report = step_flow("report")
