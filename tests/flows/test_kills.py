"""SIGKILL in the middle: what is finished stays, what is retried completes, one child per step."""

from pathlib import Path

import psutil
import pytest

from deployments.stack import Stack
from tests.flows.running import ParentRun, attempts, kill, processes, recipe, store
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(600)
MANY = [
    {"name": "facts", "items": 20},
    {"name": "numbers", "items": 20},
    {"name": "sums", "items": 400},
]


def compute_child(step: str, run: str) -> psutil.Process:
    def found() -> psutil.Process | None:
        children = processes("-m", "tasks", step, f"runs/{run}/specs/")
        return next((one for one in children if "--holder" in one.cmdline()), None)

    return wait_for(found, f"the compute process of {step}", 120)


def flow_process(child: psutil.Process) -> psutil.Process:
    parent = child.parent()
    assert parent is not None
    return parent


def published(step: str) -> dict[str, str]:
    """Digest -> attempt of all published parts of a step."""
    found = {}
    for path in store().list(f"parts/{step}"):
        if path.endswith("/part.json"):
            there = store().get(path)
            assert there is not None
            found[path] = there.data.decode()
    return found


def evaluated(tmp_path: Path, name: str, seed: int) -> str:
    """A recipe whose evaluation takes several seconds and many parts."""
    return recipe(
        tmp_path,
        "simulated",
        name=name,
        seed=seed,
        benchmarks=MANY,
        evaluation={"samples": 10, "temperature": 1.0},
    )


def half_evaluated(before: dict[str, str]) -> dict[str, str]:
    """Wait until some parts of an evaluation are published."""
    return wait_for(lambda: {**published("evaluate")} if len(published("evaluate")) > len(before)
                    else {}, "the first answers", 120)  # fmt: skip


def test_a_killed_compute_process_is_replaced_and_finished_parts_stay(
    stack: Stack, tmp_path: Path
) -> None:
    before = published("evaluate")
    parent = ParentRun(evaluated(tmp_path, "kill-child", 11))
    child = compute_child("evaluate", parent.run)
    done = half_evaluated(before)
    kill(child)
    parent.wait()
    after = published("evaluate")
    assert {path: after[path] for path in done} == done
    assert len(attempts(parent.run, "evaluate", "base")) == 60
    assert len(parent.children()) == 4


def test_a_killed_flow_process_is_retried_on_its_own_run(stack: Stack, tmp_path: Path) -> None:
    before = published("evaluate")
    parent = ParentRun(evaluated(tmp_path, "kill-flow", 12))
    compute = compute_child("evaluate", parent.run)
    done = half_evaluated(before)
    kill(flow_process(compute))
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
    after = published("evaluate")
    assert {path: after[path] for path in done} == done
    again = parent.child("evaluate-base")
    assert again is not None and again.id == child.id and again.run_count == 2
    assert len(parent.children()) == 4


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
    from tasks.artifacts.parts import read_table
    from tasks.runs import recorded_step

    found = recorded_step(store(), parent.run, "train-student", "main")
    assert found is not None
    log = read_table(store(), found.manifest.parts["student"], file="log.parquet")
    steps = [row["step"] for row in log.to_pylist() if row["metric"] == "loss"]
    assert steps == list(range(1, max(steps) + 1))  # none twice, none lost
    assert len(parent.children()) == 10


def test_a_killed_parent_adopts_its_children_when_retried(stack: Stack, tmp_path: Path) -> None:
    parent = ParentRun(evaluated(tmp_path, "kill-parent", 14))
    compute = compute_child("evaluate", parent.run)
    [process] = [p for p in processes("prefect", "flow-run", "execute", str(parent.id))] or [
        one for one in processes(str(parent.id)) if one.pid != compute.pid
    ]
    kill(process)
    wait_for(lambda: parent.read().state_name == "Crashed", "the crash report", 60)
    child = parent.child("evaluate-base")
    assert child is not None
    parent.wait(of=child.id)
    # The crash is reported twice, and the child's success may have put the parent back already.
    if parent.read().state_name == "Crashed":
        parent.retry(parent.id)
    wait_for(lambda: parent.read().state_name == "Completed", "the parent's completion", 180)
    assert len(parent.children()) == 4
