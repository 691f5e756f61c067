"""Runs through the stack whose evaluation takes several seconds, and the processes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil

from flows.here import run_here
from tasks.artifacts.store import open_store
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tests.faults import mini
from tests.flows.running import ParentRun, processes, recipe, store
from tests.silent import Silent
from tests.waiting import wait_for

MANY = [{"name": name, "items": 20} for name in ("facts", "numbers", "sums")]
PARTS = 2 * 3 * 10  # answers and grades, benchmarks, languages


class Evaluated:
    """A run of an evaluation in many parts: 2,400 words, at the pace of the stack's workers."""

    def __init__(self, folder: Path, name: str, seed: int, **changes: Any) -> None:
        self.folder = folder
        self.path = recipe(
            folder,
            "simulated",
            name=name,
            seed=seed,
            benchmarks=MANY,
            evaluation={"samples": 4, "temperature": 1.0},
            scoring={"resamples": 100},
            **changes,
        )
        self.before = published("evaluate")
        self.parent = ParentRun(self.path)

    def half_done(self) -> set[str]:
        """Wait until some answers are there; which."""
        return wait_for(lambda: published("evaluate") - self.before, "the first answers", 180)

    def kept(self, done: set[str]) -> bool:
        """Whether the run's evaluation consists of these attempts, among others."""
        found = recorded_step(store(), self.parent.run, "evaluate", "base")
        assert found is not None
        names = {f"{part.folder}/data.parquet" for part in found.manifest.parts.values()}
        assert len(names) == PARTS
        return done <= names

    def scored_as_ever(self) -> bool:
        """Whether the scores are those of an undisturbed run."""
        elsewhere = open_store(f"file://{self.folder}/undisturbed")
        undisturbed = run_here(elsewhere, read_recipe(self.path), Silent())
        return mini.scores(store(), self.parent.run) == mini.scores(elsewhere, undisturbed)

    def one_run_each(self) -> bool:
        """One child run per step, whatever happened."""
        names = [child.name for child in self.parent.children()]
        assert any("evaluate-base" in name for name in names)
        return len(names) == len(set(names))


def compute_child(step: str, run: str) -> psutil.Process:
    def found() -> psutil.Process | None:
        return next(iter(compute_children(step, run)), None)

    return wait_for(found, f"the compute process of {step}", 300)


def compute_children(step: str, run: str) -> list[psutil.Process]:
    found = processes("-m", "tasks", step, f"runs/{run}/specs/")
    return [one for one in found if "--holder" in one.cmdline()]


def flow_process(child: psutil.Process) -> psutil.Process:
    parent = child.parent()
    assert parent is not None
    return parent


def engine_of(parent: ParentRun) -> psutil.Process:
    """The process in which a flow run is executed: its environment names the run."""
    [engine] = engines_of(parent)
    return engine


def engines_of(parent: ParentRun) -> list[psutil.Process]:
    return [p for p in processes("prefect.engine") if str(parent.id) in _values(p)]


def _values(process: psutil.Process) -> list[str]:
    try:
        return list(process.environ().values())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []


def published(step: str) -> set[str]:
    """Attempts of a step that have data, as paths; cheap, for it is asked often."""
    return {p for p in store().list(f"parts/{step}") if p.endswith("/data.parquet")}
