"""What a person cancels ends, leaves no process behind, and nothing brings it back."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import UUID

import pytest
from prefect.states import Cancelling

from deployments import processes as services
from deployments.stack import Stack
from tests.faults.conftest import paced
from tests.faults.dispatched import Evaluated, compute_child, compute_children, engines_of
from tests.flows.running import ParentRun, client, kill
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(400)
LATER = 15.0  # seconds in which something would come back, if anything did


def cancel(run: UUID) -> None:
    """What the UI's Cancel does."""
    with client() as api:
        api.set_flow_run_state(run, Cancelling())


def evaluating(folder: Path, name: str, seed: int) -> tuple[Evaluated, UUID]:
    """A run in the middle of its evaluation, and the id of the evaluation's run."""
    run = Evaluated(folder, name, seed)
    compute_child("evaluate", run.parent.run)
    run.half_done()
    child = run.parent.child("evaluate-base")
    assert child is not None
    return run, child.id


def gone(parent: ParentRun) -> None:
    """No process of this run is left."""
    wait_for(
        lambda: not compute_children("evaluate", parent.run) and not engines_of(parent),
        "the end of every process of the run",
        60,
    )


def stays(parent: ParentRun, runs: dict[UUID, str]) -> None:
    """These runs stay in these states, and nothing starts again."""
    end = time.monotonic() + LATER

    def still() -> bool:
        for run, state in runs.items():
            found = parent.read(run).state_type
            assert found is not None and found.value == state
        assert not compute_children("evaluate", parent.run)
        return time.monotonic() > end

    wait_for(still, "the end of the watch", 2 * LATER, every=1.0)


def test_a_cancelled_step_ends_its_parent_and_no_retry_revives_it(
    stack: Stack, tmp_path: Path
) -> None:
    run, child = evaluating(tmp_path, "cancel-child", 21)
    parent = run.parent
    cancel(child)
    parent.wait("CANCELLED", of=child, seconds=60)
    parent.wait("FAILED", seconds=60)
    state = parent.read().state
    assert state is not None and "a person cancelled it" in str(state.message)
    gone(parent)
    attempts = parent.read().run_count
    parent.retry(parent.id)
    wait_for(lambda: parent.read().run_count > attempts, "the parent's second attempt")
    parent.wait("FAILED", seconds=60)
    stays(parent, {child: "CANCELLED", parent.id: "FAILED"})


def test_a_cancelled_parent_takes_its_steps_with_it(stack: Stack, tmp_path: Path) -> None:
    run, child = evaluating(tmp_path, "cancel-parent", 22)
    parent = run.parent
    cancel(parent.id)
    parent.wait("CANCELLED", seconds=60)
    parent.wait("CANCELLED", of=child, seconds=60)
    gone(parent)
    stays(parent, {child: "CANCELLED", parent.id: "CANCELLED"})


def replace_worker(stack: Stack, pool: str) -> None:
    """Its worker dies, and a new one knows nothing of what runs."""
    worker = services.running(stack.folder / "processes", f"worker-{pool}")
    assert worker is not None
    kill(worker)
    wait_for(lambda: not stack.running()[f"worker-{pool}"], "the end of the worker")
    with paced():
        stack.start_worker(pool)


def test_a_step_is_cancelled_though_its_worker_was_replaced(stack: Stack, tmp_path: Path) -> None:
    run, child = evaluating(tmp_path, "cancel-orphan", 23)
    parent = run.parent
    replace_worker(stack, "cpu")
    cancel(child)
    parent.wait("CANCELLED", of=child, seconds=60)
    parent.wait("FAILED", seconds=60)
    gone(parent)
    stays(parent, {child: "CANCELLED", parent.id: "FAILED"})


def test_a_parent_is_cancelled_though_its_worker_was_replaced(stack: Stack, tmp_path: Path) -> None:
    run, child = evaluating(tmp_path, "cancel-orphans", 24)
    parent = run.parent
    replace_worker(stack, "control")
    cancel(parent.id)
    parent.wait("CANCELLED", seconds=60)
    parent.wait("CANCELLED", of=child, seconds=60)
    gone(parent)
    stays(parent, {child: "CANCELLED", parent.id: "CANCELLED"})
