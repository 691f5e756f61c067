"""Several processes share one evaluation: nothing is asked twice, and all of them work."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from flows.here import run_node, write_node
from flows.pipeline import pipeline
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store, open_store
from tasks.read_recipe import read_recipe
from tasks.run_step import compute
from tasks.runs import new_run_id
from tests.models.endpoint_server import Server, said, serving
from tests.silent import Silent

WORKERS = 3
SMALL = {
    "student": "endpoint:lab/counted",
    "machine.engine": "endpoint",
    "machine.endpoint": {"asked": "2026-12-01", "concurrency": 4},
    "form": "chat",
    "languages": ["en", "de", "ja", "ar"],
    "benchmarks": [{"name": "sums", "items": 5}, {"name": "numbers", "items": 5}],
    "evaluation": {"samples": 2},
}


@dataclass
class Made:
    """What one process says that it published."""

    names: list[str] = field(default_factory=list)

    def progress(self, done: int, total: int, what: str) -> None:
        if not what.startswith("waiting"):
            self.names.append(what)


def shared(store: Store, server: Server) -> list[Made]:
    """Prepare the data, then evaluate with several processes at once; what each has made."""
    recipe = read_recipe("simulated", SMALL)
    run, done = new_run_id("shared"), dict[str, Manifest]()
    data, evaluate = pipeline(recipe)[:2]
    spec = write_node(store, run, data, done)
    done[data.label] = run_node(store, run, data, spec, Silent(), False)
    spec = write_node(store, run, evaluate, done, sharers=WORKERS)
    made = [Made() for _ in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        works = [pool.submit(compute, open_store(store.uri), "evaluate", spec, m) for m in made]
        manifests = [work.result() for work in works]
    assert all(one == manifests[0] for one in manifests)
    return made


def test_every_answer_is_asked_for_once_whoever_asks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        server.answer = lambda body: said("42")
        server.seconds = 0.05
        made = shared(store, server)
        assert len(server.bodies) == 2 * 4 * 5 * 2
    parts = Counter(name for one in made for name in one.names)
    assert set(parts.values()) == {1} and len(parts) == 2 * (2 * 4)
    folders = Counter(
        path.split("/")[2] for path in store.list("parts/evaluate") if path.endswith(".parquet")
    )
    assert set(folders.values()) == {1} and len(folders) == len(parts)
    answered = [sum(name.startswith("answers/") for name in one.names) for one in made]
    assert all(answered), answered


def test_sharers_and_a_lone_process_come_to_the_same(file_store: Store) -> None:
    plain: dict[str, Any] = {
        "languages": ["en", "de"], "benchmarks": [{"name": "sums", "items": 9}]
    }  # fmt: skip
    contents = []
    for sharers in (1, 4):
        store = open_store(f"{file_store.uri}/{sharers}")
        run, done = new_run_id("alone"), dict[str, Manifest]()
        for node in pipeline(read_recipe("simulated", plain))[:2]:
            spec = write_node(store, run, node, done, sharers=sharers)
            done[node.label] = run_node(store, run, node, spec, Silent(), False)
        parts = done["evaluate-base"].parts
        # Answers also say in which call they were drawn; grades do not.
        contents.append({name: part.content for name, part in parts.items() if "grades" in name})
    assert contents[0] == contents[1] and len(contents[0]) == 2
