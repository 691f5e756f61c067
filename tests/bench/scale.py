"""How much faster eight workers share one evaluation than one worker does it alone.

python tests/bench/scale.py [--seconds 480] [--workers 8] [--folder DIR]

The simulated engine writes at a fixed pace and sleeps meanwhile, so that eight workers fit on few
cores. The Prefect server keeps its state in PostgreSQL where that is installed, as it should for so
many workers: SQLite refuses some of them while others write, and they wait for seconds. Runs the
recipe through a stack of its own, first with one worker, then with all of them, and counts from the
first claim of an answer to the run's record of the finished evaluation. Also prints what a reused
and what a dispatched step costs the parent. Leaves with 1 unless eight workers need at most 1/6 of
the time (in proportion for other numbers), a reused step at most 0.5 s, a dispatched one at most
6 s.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from deployments import processes
from deployments.stack import PYTHON, Stack
from tests.infra.postgres import postgres_is_here, running_database
from tests.ports import free_port

ITEMS, SAMPLES = 20, 2
LANGUAGES = ["en", "fr", "es", "pt", "it", "ar", "de", "ru", "zh", "ja"]
BENCHMARKS = ["facts", "multihop", "numbers", "sums", "translation"]
NEEDED = 6 / 8  # of an ideal sharing
REUSED, DISPATCHED = 0.5, 6.0  # seconds
POLL = 0.25  # seconds


def recipe(folder: Path, seed: int, workers: int) -> str:
    """One simulated student on every bundled benchmark; a seed of its own, so nothing is reused."""
    raw: dict[str, Any] = {
        "name": f"scale-{workers}-{seed}",
        "student": "simulated:base",
        "methods": ["base"],
        "machine": {"engine": "simulated", "dtype": "float32", "device": "cpu"},
        "form": "completion",
        "seed": seed,
        "workers": workers,
        "languages": LANGUAGES,
        "benchmarks": [{"name": name, "items": ITEMS} for name in BENCHMARKS],
        "evaluation": {"samples": SAMPLES},
        "scoring": {"resamples": 100},
    }
    path = folder / f"{raw['name']}.yaml"
    path.write_text(yaml.safe_dump(raw))
    return str(path)


def words(folder: Path) -> int:
    """How many tokens the evaluation writes, counted without any pace."""
    from flows.here import run_here
    from tasks.artifacts.store import open_store
    from tasks.read_recipe import read_recipe
    from tasks.runs import recorded_step
    from tests.silent import Silent

    store = open_store(f"file://{folder}/counted")
    run = run_here(store, read_recipe(recipe(folder, 0, 1)), Silent())
    found = recorded_step(store, run, "evaluate", "base")
    assert found is not None
    return sum(part.facts.get("completion_tokens", 0) for part in found.manifest.parts.values())


class Bench:
    """A stack with as many cpu workers as are asked for."""

    def __init__(self, folder: Path, pace: float) -> None:
        self.folder = folder
        self.stack = Stack(folder / "stack")
        self.stack.create({name: free_port() for name in ("prefect", "s3", "reports")})
        os.environ.update(self.stack.environment)
        os.environ["HOTFIXR_SIMULATED_TOKENS_PER_SECOND"] = str(pace)
        self.workers = 0

    def up(self) -> None:
        self.stack.up()
        for pool in ("cpu", "gpu"):
            self.stack.stop_worker(pool)
        from prefect.client.orchestration import get_client
        from prefect.client.schemas.actions import WorkPoolUpdate

        with get_client(sync_client=True) as client:
            client.update_work_pool("cpu", WorkPoolUpdate(concurrency_limit=None))

    def down(self) -> None:
        for number in range(1, self.workers + 1):
            processes.stop(self.folder, f"worker-{number}")
        self.stack.down()

    def start_workers(self, wanted: int) -> None:
        while self.workers < wanted:
            self.workers += 1
            command = [*PYTHON, "-m", "prefect", "worker", "start", "--pool", "cpu"]
            command += ["--name", f"cpu-{self.workers}", "--type", "process", "--limit", "1"]
            environment = dict(os.environ)
            processes.start(
                self.folder, f"worker-{self.workers}", command, environment, self.folder
            )
        processes.wait_until(self._online, "the workers", self.folder / "worker-1.log", 180)

    def _online(self) -> bool:
        from prefect.client.orchestration import get_client

        with get_client(sync_client=True) as client:
            names = {worker.name for worker in client.read_workers_for_work_pool("cpu")}
        return {f"cpu-{number}" for number in range(1, self.workers + 1)} <= names

    def evaluated(self, path: str) -> tuple[Any, float]:
        """Run a recipe; the parent, and seconds from the first claim to the end of evaluation."""
        from tests.flows.running import ParentRun, store

        before = set(store().list("parts/evaluate"))
        parent = ParentRun(path)
        while not any(
            name.endswith("/claim.json") for name in set(store().list("parts/evaluate")) - before
        ):
            time.sleep(POLL)
        began, run = time.monotonic(), parent.run
        while store().get(f"runs/{run}/evaluate-base.json") is None:
            time.sleep(POLL)
        seconds = time.monotonic() - began
        parent.wait()
        return parent, seconds


def each_once(parent: Any) -> None:
    """Of every part one attempt, whoever worked."""
    from tasks.runs import recorded_step
    from tests.flows.running import store

    found = recorded_step(store(), parent.run, "evaluate", "base")
    assert found is not None
    for part in found.manifest.parts.values():
        folder = f"parts/evaluate/{part.digest}"
        tables = [path for path in store().list(folder) if path.endswith(".parquet")]
        assert tables == [f"{part.folder}/data.parquet"], tables


def dispatched(parent: Any) -> float:
    """Median seconds from a step's submission to the parent's next move, less its computing."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

    children = sorted(parent.children(), key=lambda run: run.created)
    costs = []
    with get_client(sync_client=True) as client:
        for child, after in zip(children, [*children[1:], None], strict=True):
            end: datetime = after.created if after else parent.read().end_time
            only = FlowRunFilter(id=FlowRunFilterId(any_=[child.id]))
            tasks = client.read_task_runs(flow_run_filter=only)
            work = sum(one.total_run_time.total_seconds() for one in tasks if "compute" in one.name)
            costs.append((end - child.created).total_seconds() - work)
    print("  dispatched steps cost", [round(cost, 1) for cost in costs], "s")
    return statistics.median(costs)


def reused(bench: Bench, path: str) -> float:
    """Seconds that the parent spends on each step of a run that is all there."""
    from tests.flows.running import ParentRun

    again = ParentRun(path)
    again.wait()
    assert again.children() == []
    run = again.read()
    return (run.end_time - run.start_time).total_seconds() / 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=480.0)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with ExitStack() as opened:
        scratch = opened.enter_context(tempfile.TemporaryDirectory(prefix="hotfixr-scale-"))
        if postgres_is_here():
            database = opened.enter_context(running_database(secrets.token_hex(8)))
            os.environ["PREFECT_SERVER_DATABASE_CONNECTION_URL"] = database.url()
        return measure(options.folder or Path(scratch), options.seconds, options.workers)


def measure(folder: Path, seconds: float, workers: int) -> int:
    tokens = words(folder)
    print(f"{tokens} tokens, to be written in {seconds:.0f} s by one worker", flush=True)
    bench = Bench(folder, tokens / seconds)
    try:
        bench.up()
        return report(bench, workers)
    finally:
        bench.down()


def report(bench: Bench, workers: int) -> int:
    bench.start_workers(1)
    alone = recipe(bench.folder, 1, 1)
    parent, one = bench.evaluated(alone)
    print(f"one worker: {one:.1f} s", flush=True)
    step = dispatched(parent)
    again = reused(bench, alone)
    print(f"a reused step: {again:.2f} s; a dispatched one: {step:.1f} s (median)", flush=True)
    bench.start_workers(workers)
    parent, many = bench.evaluated(recipe(bench.folder, 2, workers))
    each_once(parent)
    print(f"{workers} workers: {many:.1f} s, {one / many:.2f} times faster; no part twice")
    fast = one / many >= NEEDED * workers
    return 0 if fast and again <= REUSED and step <= DISPATCHED else 1


if __name__ == "__main__":
    raise SystemExit(main())
