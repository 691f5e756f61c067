"""SIGKILL in the middle: what is finished stays, what is retried completes, one child per step."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments import processes as services
from deployments.stack import Stack
from tasks.artifacts.parts import read_table
from tasks.runs import recorded_step
from tests.faults.conftest import paced
from tests.faults.dispatched import Evaluated, compute_child, engine_of, flow_process
from tests.flows.running import ParentRun, kill, recipe, store
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(600)


def test_a_killed_compute_process_is_replaced_and_finished_parts_stay(
    stack: Stack, tmp_path: Path
) -> None:
    run = Evaluated(tmp_path, "kill-child", 11)
    child = compute_child("evaluate", run.parent.run)
    done = run.half_done()
    kill(child)
    run.parent.wait()
    assert run.kept(done) and run.scored_as_ever() and run.one_run_each()


def test_a_killed_flow_process_is_retried_on_its_own_run(stack: Stack, tmp_path: Path) -> None:
    run = Evaluated(tmp_path, "kill-flow", 12)
    parent = run.parent
    compute = compute_child("evaluate", parent.run)
    flow = flow_process(compute)
    done = run.half_done()
    kill(flow)
    # With its caller gone, the compute process leaves by itself and holds no claim.
    wait_for(lambda: not compute.is_running(), "the end of the compute process", 30)
    parent.wait("FAILED")
    child = parent.child("evaluate-base")
    assert child is not None and child.state_type is not None
    assert child.state_type.value == "CRASHED"
    parent.retry(child.id)
    parent.wait(of=child.id)
    wait_for(lambda: parent.read().run_count > 1, "the parent's second attempt")
    parent.wait()
    again = parent.child("evaluate-base")
    assert again is not None and again.id == child.id and again.run_count >= 2
    assert run.kept(done) and run.scored_as_ever() and run.one_run_each()


def test_training_resumes_from_its_last_checkpoint(stack: Stack, tmp_path: Path) -> None:
    long = {"epochs": 6, "batch": 4, "micro_batch": 2, "max_length": 2048, "checkpoint_every": 1}
    parent = ParentRun(recipe(tmp_path, "smoke", name="kill-sft", seed=13, student_training=long))
    compute = compute_child("train-student", parent.run)

    def checkpoints() -> list[str]:
        return [p for p in store().list("parts/train-student") if p.endswith("checkpoint.json")]

    known = set(checkpoints())
    wait_for(lambda: len(set(checkpoints()) - known) >= 1, "a checkpoint", 120)
    kill(compute)
    parent.wait(seconds=300)
    found = recorded_step(store(), parent.run, "train-student", "main")
    assert found is not None
    log = read_table(store(), found.manifest.parts["student"], file="log.parquet")
    steps = [row["step"] for row in log.to_pylist() if row["metric"] == "loss"]
    assert steps == list(range(1, max(steps) + 1))  # none twice, none lost


def test_a_killed_parent_adopts_its_children_when_retried(stack: Stack, tmp_path: Path) -> None:
    run = Evaluated(tmp_path, "kill-parent", 14)
    parent = run.parent
    compute = compute_child("evaluate", parent.run)
    assert compute.is_running()
    kill(engine_of(parent))
    wait_for(lambda: parent.read().state_name == "Crashed", "the crash report", 60)
    child = parent.child("evaluate-base")
    assert child is not None
    parent.wait(of=child.id)
    # The crash is reported twice, and the child's success may have put the parent back already.
    if parent.read().state_name == "Crashed":
        parent.retry(parent.id)
    wait_for(lambda: parent.read().state_name == "Completed", "the parent's completion", 180)
    assert run.scored_as_ever() and run.one_run_each()


def test_a_killed_worker_leaves_its_step_running_and_is_replaced(
    stack: Stack, tmp_path: Path
) -> None:
    run = Evaluated(tmp_path, "kill-worker", 15)
    done = run.half_done()
    worker = services.running(stack.folder / "processes", "worker-cpu")
    assert worker is not None
    kill(worker)
    with paced():
        wait_for(lambda: not stack.running()["worker-cpu"], "the end of the worker")
        stack.start_worker("cpu")
    run.parent.wait()
    assert run.kept(done) and run.scored_as_ever() and run.one_run_each()


def test_a_dead_machine_costs_what_was_in_its_hands(stack: Stack, tmp_path: Path) -> None:
    run = Evaluated(tmp_path, "kill-machine", 16)
    parent = run.parent
    compute = compute_child("evaluate", parent.run)
    done = run.half_done()
    worker = services.running(stack.folder / "processes", "worker-cpu")
    assert worker is not None
    for process in (worker, flow_process(compute), compute):
        kill(process)
    # Nobody is left to report a crash: a person presses Retry.
    child = parent.child("evaluate-base")
    assert child is not None and child.state_type is not None
    assert child.state_type.value == "RUNNING"
    with paced():
        stack.start_worker("cpu")
    parent.retry(child.id)
    parent.wait(seconds=300)
    assert run.kept(done) and run.scored_as_ever() and run.one_run_each()


def test_the_server_may_restart_in_the_middle(stack: Stack, tmp_path: Path) -> None:
    run = Evaluated(tmp_path, "restart-server", 17)
    done = run.half_done()
    assert services.stop(stack.folder / "processes", "prefect")
    stack.start_prefect()
    run.parent.wait(seconds=300)
    assert run.kept(done) and run.scored_as_ever() and run.one_run_each()
