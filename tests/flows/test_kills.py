"""SIGKILL in the middle: what is finished stays, what is retried completes, one child per step."""

from pathlib import Path

import psutil
import pytest

from deployments.stack import Stack
from tasks.artifacts.parts import read_table
from tasks.runs import recorded_step
from tests.flows.running import ParentRun, kill, processes, recipe, store
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(600)
MANY = [
    {"name": "facts", "items": 20},
    {"name": "numbers", "items": 20},
    {"name": "sums", "items": 1500},
]


def compute_child(step: str, run: str) -> psutil.Process:
    def found() -> psutil.Process | None:
        children = processes("-m", "tasks", step, f"runs/{run}/specs/")
        return next((one for one in children if "--holder" in one.cmdline()), None)

    return wait_for(found, f"the compute process of {step}", 300)


def flow_process(child: psutil.Process) -> psutil.Process:
    parent = child.parent()
    assert parent is not None
    return parent


def only_one_run_each(parent: ParentRun) -> None:
    """One child run per step, whatever was killed."""
    names = [child.name for child in parent.children()]
    assert len(names) == len(set(names)) and any("evaluate-base" in name for name in names)


def engine_of(parent: ParentRun) -> psutil.Process:
    """The process in which a flow run is executed: its environment names the run."""
    engines = [p for p in processes("prefect.engine") if str(parent.id) in _values(p)]
    assert len(engines) == 1
    return engines[0]


def _values(process: psutil.Process) -> list[str]:
    try:
        return list(process.environ().values())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []


def published(step: str) -> set[str]:
    """Attempts of a step that have data, as paths; cheap, for it is asked often."""
    return {p for p in store().list(f"parts/{step}") if p.endswith("/data.parquet")}


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


def half_evaluated(before: set[str]) -> set[str]:
    """Wait until some parts of an evaluation are there; which."""
    return wait_for(lambda: published("evaluate") - before, "the first answers", 120)


def kept(run: str, done: set[str]) -> bool:
    """Whether the run's evaluation consists of these attempts, among others."""
    found = recorded_step(store(), run, "evaluate", "base")
    assert found is not None
    names = {f"{part.folder}/data.parquet" for part in found.manifest.parts.values()}
    assert len(names) == 60
    return done <= names


def test_a_killed_compute_process_is_replaced_and_finished_parts_stay(
    stack: Stack, tmp_path: Path
) -> None:
    before = published("evaluate")
    parent = ParentRun(evaluated(tmp_path, "kill-child", 11))
    child = compute_child("evaluate", parent.run)
    done = half_evaluated(before)
    kill(child)
    parent.wait()
    assert kept(parent.run, done)
    only_one_run_each(parent)


def test_a_killed_flow_process_is_retried_on_its_own_run(stack: Stack, tmp_path: Path) -> None:
    before = published("evaluate")
    parent = ParentRun(evaluated(tmp_path, "kill-flow", 12))
    compute = compute_child("evaluate", parent.run)
    flow = flow_process(compute)
    done = half_evaluated(before)
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
    assert kept(parent.run, done)
    again = parent.child("evaluate-base")
    assert again is not None and again.id == child.id and again.run_count >= 2
    only_one_run_each(parent)


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
    only_one_run_each(parent)


def test_a_killed_parent_adopts_its_children_when_retried(stack: Stack, tmp_path: Path) -> None:
    parent = ParentRun(evaluated(tmp_path, "kill-parent", 14))
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
    only_one_run_each(parent)
