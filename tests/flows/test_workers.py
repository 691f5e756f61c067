"""Workers: what one needs to know, how many steps it takes at once, how several share a step."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from prefect.client.schemas.actions import WorkPoolUpdate
from prefect.client.schemas.objects import FlowRun

from deployments.stack import Stack
from tasks.runs import recorded_step
from tests.flows.running import ParentRun, client, recipe, store
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(600)
SUMS = [{"name": "sums", "items": 6}]
TINY = {
    "methods": ["base"],
    "languages": ["en", "de"],
    "benchmarks": [{"name": "facts", "items": 2}],
    "machine": {"engine": "transformers", "dtype": "float32", "device": "cpu", "context": 2048},
    "evaluation": {"samples": 2, "max_tokens": 4},
    "scoring": {"resamples": 20},
}
# What a GPU worker needs besides a path to programs; nothing else of this environment is given.
NEEDED = (
    "PATH", "PREFECT_API_URL", "PREFECT_API_AUTH_STRING",
    "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
)  # fmt: skip


def attempts_of(run: str) -> dict[str, list[str]]:
    """Part name -> the tables of all attempts, of a run's evaluation."""
    found = recorded_step(store(), run, "evaluate", "base")
    assert found is not None
    return {
        name: [
            path
            for path in store().list(f"parts/evaluate/{part.digest}")
            if path.endswith(".parquet")
        ]
        for name, part in found.manifest.parts.items()
    }


def test_runs_of_one_evaluation_make_every_part_once(stack: Stack, tmp_path: Path) -> None:
    path = recipe(tmp_path, "simulated", name="shared", seed=61, workers=3, benchmarks=SUMS)
    parent = ParentRun(path)
    parent.wait()
    made = attempts_of(parent.run)
    assert len(made) == 20 and all(len(tables) == 1 for tables in made.values())
    runs = [one for one in parent.children() if one.name.startswith("evaluate-base")]
    assert len(runs) == 3
    for one in runs:
        parent.wait_for_any({"COMPLETED", "CANCELLED"}, one.id)


@contextmanager
def one_slot(pool: str) -> Iterator[None]:
    """A pool that runs one step at a time."""
    with client() as api:
        before = api.read_work_pool(pool).concurrency_limit
        api.update_work_pool(pool, WorkPoolUpdate(concurrency_limit=1))
        try:
            yield
        finally:
            api.update_work_pool(pool, WorkPoolUpdate(concurrency_limit=before))


def one_by_one(runs: list[FlowRun]) -> bool:
    """Whether no two of these runs ran at the same time."""
    spans = sorted((run.start_time, run.end_time) for run in runs)
    return all(ended <= begun for (_, ended), (begun, _) in pairwise(spans))


def test_three_parents_finish_where_one_step_runs_at_a_time(stack: Stack, tmp_path: Path) -> None:
    with one_slot("cpu"):
        parents = [
            ParentRun(
                recipe(tmp_path, "simulated", name=f"queue-{seed}", seed=seed, benchmarks=SUMS)
            )
            for seed in (62, 63, 64)
        ]
        for parent in parents:
            parent.wait(seconds=400)
    runs = [child for parent in parents for child in parent.children()]
    assert len(runs) >= 9  # the data are the same for all, and may be reused
    assert one_by_one([run for run in runs if run.work_pool_name == "cpu"])


@contextmanager
def bare_gpu_worker(stack: Stack, home: Path) -> Iterator[None]:
    """Instead of the stack's own: a worker that knows two addresses and their keys."""
    environment = {name: (os.environ | stack.environment)[name] for name in NEEDED}
    environment |= {"HOME": str(home), "HF_ENDPOINT": "http://127.0.0.1:9", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "gpu"]
    stack.stop_worker("gpu")
    with (home / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [*command, "--limit", "1", "--name", "bare"], env=environment, cwd=home,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield
    finally:
        for process in psutil.Process(worker.pid).children(recursive=True):
            process.kill()
        worker.kill()
        worker.wait()
        stack.start_worker("gpu")


def test_a_worker_needs_two_addresses_and_their_keys(stack: Stack, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with bare_gpu_worker(stack, home):
        parents = [
            ParentRun(recipe(tmp_path, "smoke", name=f"bare-{seed}", seed=seed, **TINY))
            for seed in (65, 66)
        ]
        for parent in parents:
            parent.wait(seconds=400)
    evaluated = [parent.child("evaluate-base") for parent in parents]
    assert one_by_one([run for run in evaluated if run is not None])
    models = recorded_step(store(), parents[0].run, "prepare-models", "main")
    assert models is not None
    [model] = models.manifest.parts.values()
    # The one copy of the model came from the store, and both evaluations read it.
    cached = home / ".cache" / "hotfixr" / "models"
    assert [path.name for path in cached.iterdir() if path.is_dir()] == [model.content]
    wait_for(lambda: stack.running()["worker-gpu"], "the stack's own worker")
