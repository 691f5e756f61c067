"""One step fails, is mended and run again alone: nothing that is done is done twice.

The fault is one that people make: an endpoint's address is missing in the worker's environment.
The endpoint counts what it is asked, so that a second evaluation could not hide.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from prefect.client.schemas.objects import FlowRun

from deployments.stack import Stack
from tests.flows.running import ParentRun, attempts, client, recipe, worker_that_knows
from tests.models.endpoint_server import Server, said, serving
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(500)
ITEMS, SAMPLES, LANGUAGES = 3, 2, ["en", "de"]
ASKED = ITEMS * SAMPLES * len(LANGUAGES)
LISTED: dict[str, Any] = {
    "machine": {"engine": "endpoint", "dtype": "float32", "device": "cpu"},
    "form": "chat",
    "languages": LANGUAGES,
    "benchmarks": [{"name": "facts", "items": ITEMS}],
    "evaluation": {"samples": SAMPLES, "temperature": 1.0},
    "scoring": {"resamples": 20},
    "models": [
        {"name": "elm", "model": "simulated:slope-0.60-mean-0.40"},
        {"name": "lab", "model": "endpoint:lab/org/model"},
    ],
}
BEFORE = [("prepare-data", "main"), ("evaluate", "elm")]


def failed_for_want_of_an_address(folder: Path, name: str) -> tuple[ParentRun, FlowRun, str]:
    """A run one of whose two evaluations has failed; that one's run, and the recipe."""
    unseen = secrets.randbelow(10**6)  # whatever is in the store, nothing of this is
    path = recipe(folder, "simulated-models", name=name, seed=unseen, **LISTED)
    parent = ParentRun(path, deployment="benchmark-models/control")
    parent.wait("FAILED")
    child = parent.child("evaluate-lab")
    assert child is not None and child.state_name == "Failed"
    sentence = "endpoint 'lab' is not known to this worker; set HOTFIXR_ENDPOINT_LAB_URL"
    for run in (child, parent.read()):
        assert run.state is not None and sentence in str(run.state.message)
    assert str(child.id) in str(getattr(parent.read().state, "message", ""))
    return parent, child, path


class Mended(NamedTuple):
    """A run whose failed step was copied to a new run, after the fault was mended."""

    parent: ParentRun
    recipe: str
    server: Server
    failed: FlowRun
    before: list[FlowRun]  # runs of steps when it failed
    parts: dict[tuple[str, str], dict[str, str]]  # what was there then

    @property
    def run(self) -> str:
        return self.parent.run

    def attempt(self) -> int:
        return self.parent.read().run_count

    def untouched(self, known: list[FlowRun]) -> bool:
        """Whether these runs of steps are there still, and were not run again."""
        now = {run.id: (run.run_count, run.start_time) for run in self.parent.children()}
        return all(now[run.id] == (run.run_count, run.start_time) for run in known)


@pytest.fixture(scope="module")
def mended(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mended]:
    folder = tmp_path_factory.mktemp("recipes")
    parent, failed, path = failed_for_want_of_an_address(folder, "copied")
    before = parent.children()
    parts = {step: attempts(parent.run, *step) for step in BEFORE}
    with serving() as server, worker_that_knows(stack, server.environment()):
        server.answer = lambda body: said("A")
        # What Copy to new run in the UI does: the same parameters, a new run.
        assert failed.deployment_id is not None
        with client() as api:
            copied = api.create_flow_run_from_deployment(
                failed.deployment_id, parameters=failed.parameters, tags=failed.tags
            )
        parent.wait(of=copied.id)
        yield Mended(parent, path, server, failed, before, parts)


def test_the_parent_goes_on_by_itself_and_only_what_was_missing_is_computed(
    mended: Mended,
) -> None:
    wait_for(lambda: mended.attempt() > 1, "the parent's second attempt", 120)
    mended.parent.wait()
    assert len(mended.server.bodies) == ASKED
    assert mended.untouched(mended.before)  # the failed run, too, stays as it was
    assert all(mended.parts.values())
    assert {step: attempts(mended.run, *step) for step in BEFORE} == mended.parts


def test_a_retried_parent_launches_nothing_that_is_done(mended: Mended) -> None:
    done, attempt = mended.parent.children(), mended.attempt()
    mended.parent.retry(mended.parent.id)
    wait_for(lambda: mended.attempt() > attempt, "the parent's next attempt", 120)
    mended.parent.wait()
    assert len(mended.parent.children()) == len(done) and mended.untouched(done)
    assert len(mended.server.bodies) == ASKED


@pytest.mark.parametrize(
    ("answer", "computed"),
    [
        ("A", {"evaluate-elm", "evaluate-lab"}),  # the same answers: what reads them is kept
        ("B", {"evaluate-elm", "evaluate-lab", "score", "report"}),
    ],
)
def test_force_computes_the_step_and_exactly_what_depends_on_its_content(
    mended: Mended, answer: str, computed: set[str]
) -> None:
    asked = len(mended.server.bodies)
    mended.server.answer = lambda body: said(answer)
    again = ParentRun(mended.recipe, deployment="benchmark-models/control", force=["evaluate"])
    again.wait()
    assert {run.name.split(" of ")[0] for run in again.children()} == computed
    assert len(mended.server.bodies) == asked + ASKED
    assert attempts(again.run, "evaluate", "lab") != attempts(mended.run, "evaluate", "lab")
    assert attempts(again.run, "prepare-data") == attempts(mended.run, "prepare-data")
    scored = attempts(again.run, "score") != attempts(mended.run, "score")
    assert scored == ("score" in computed)
