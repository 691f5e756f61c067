"""Several processes want the same parts: one of them does each, also when one sleeps or dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flows.here import run_node, write_node
from flows.pipeline import Node, pipeline
from tasks.artifacts.parts import find_part
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store, open_store
from tasks.runs import new_run_id
from tests.faults.mini import attempts, evaluation, scores, undisturbed
from tests.silent import Silent
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(300)
PACE = "HOTFIXR_SIMULATED_TOKENS_PER_SECOND"


class Prepared:
    """A run whose data are there; its evaluation may be started any number of times."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.run = new_run_id("same")
        self.done: dict[str, Manifest] = {}
        self.nodes = pipeline(evaluation())
        self._step(self.nodes[0])
        self.spec = write_node(store, self.run, self.nodes[1], self.done)

    def _step(self, node: Node) -> None:
        spec = write_node(self.store, self.run, node, self.done)
        self.done[node.label] = run_node(self.store, self.run, node, spec, Silent(), False)

    def start(self, holder: str, **environment: str) -> subprocess.Popen[bytes]:
        """One more compute process of the evaluation, as a worker would start it."""
        command = [sys.executable, "-P", "-m", "tasks", "evaluate", "--spec", self.spec]
        command += ["--store", self.store.uri, "--holder", holder, "--events", "1"]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | environment,
        )

    def scores(self) -> list[dict[str, object]]:
        for node in self.nodes[1:]:
            self._step(node)
        return scores(self.store, self.run)


def ended(process: subprocess.Popen[bytes]) -> int:
    code = process.wait(120)
    assert process.stdin is not None
    process.stdin.close()
    return code


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return undisturbed(open_store(f"file://{folder}/store"), evaluation())


@pytest.fixture(params=["s3", "file"])
def prepared(request: pytest.FixtureRequest) -> Prepared:
    return Prepared(request.getfixturevalue(f"{request.param}_store"))


def test_two_workers_given_the_same_step_do_no_part_twice(
    prepared: Prepared, expected: list[dict[str, object]]
) -> None:
    both = [prepared.start(name, **{PACE: "100"}) for name in ("one", "other")]
    assert [ended(process) for process in both] == [0, 0]
    made = attempts(prepared.store, "evaluate")
    assert len(made) == 12 and all(len(of_part) == 1 for of_part in made.values())
    assert prepared.scores() == expected


def test_a_frozen_holder_is_taken_over_and_changes_nothing_when_it_wakes(
    prepared: Prepared, expected: list[dict[str, object]]
) -> None:
    patience = {"HOTFIXR_CLAIM_SECONDS": "3"}
    frozen = prepared.start("frozen", **patience, **{PACE: "60"})

    def claims() -> list[str]:
        found = prepared.store.list("parts/evaluate")
        return [path for path in found if path.endswith("/claim.json")]

    held = wait_for(claims, "a claim", 60)
    os.kill(frozen.pid, signal.SIGSTOP)
    assert ended(prepared.start("heir", **patience)) == 0
    digests = {path.split("/")[2] for path in held}
    before = {digest: find_part(prepared.store, "evaluate", digest) for digest in digests}
    assert all(before.values())
    os.kill(frozen.pid, signal.SIGCONT)
    assert ended(frozen) == 0
    after = {digest: find_part(prepared.store, "evaluate", digest) for digest in digests}
    assert after == before and not claims()
    assert prepared.scores() == expected


def test_what_a_killed_worker_held_is_done_by_the_others(
    prepared: Prepared, expected: list[dict[str, object]], tmp_path: Path
) -> None:
    patience = {"HOTFIXR_CLAIM_SECONDS": "3"}
    doomed = prepared.start("doomed", **patience, **{PACE: "60"})
    other = prepared.start("other", **patience, **{PACE: "60"})
    wait_for(
        lambda: any(p.endswith("/claim.json") for p in prepared.store.list("parts/evaluate")),
        "a claim",
        60,
    )
    doomed.kill()
    ended(doomed)
    assert ended(other) == 0
    assert prepared.scores() == expected
