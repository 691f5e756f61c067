"""Credentials stay in the environment, and what a model says stays text, in all that a run leaves.

The model is behind an endpoint that opens to a key, tells it when it refuses, and answers with
what a terminal, a browser or a spreadsheet would take for more than text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from prefect.client.schemas.objects import FlowRun
from prefect.client.schemas.sorting import LogSort
from prefect.deployments import run_deployment

from deployments.stack import Stack
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import part_folder
from tasks.runs import read_run, recorded_manifests
from tests.flows.running import ParentRun, client, recipe, store, worker_that_knows
from tests.models.endpoint_server import KEY, Misdeed, said, serving
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(400)
SMALL = {
    "student": "endpoint:lab/org/model",
    "machine": {"engine": "endpoint", "dtype": "float32", "device": "cpu"},
    "form": "chat",
    "benchmarks": [{"name": "facts", "items": 4}],
    "languages": ["en", "de"],
    "evaluation": {"samples": 2},
}
HOSTILE = "A </script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J\u202e| =1+1"


@pytest.fixture(scope="module")
def parent(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> ParentRun:
    """A run through server, workers and store, to its report."""
    written = recipe(tmp_path_factory.mktemp("secrets"), "simulated", name="discreet", **SMALL)
    with serving() as server, worker_that_knows(stack, server.environment()):
        server.answer = lambda body: said(HOSTILE)
        server.misdeeds = [Misdeed(500, json.dumps({"error": {"message": f"no: Bearer {KEY}"}}))]
        started = ParentRun(written)
        started.wait()
    assert len(server.bodies) == 4 * 2 * 2
    return started


@pytest.fixture(scope="module")
def secrets(stack: Stack) -> dict[str, str]:
    """What must be found nowhere."""
    environment = stack.environment
    names = ("AWS_SECRET_ACCESS_KEY", "PREFECT_API_AUTH_STRING")
    found = {name: environment[name] for name in names} | {"the endpoint's key": KEY}
    assert all(len(value) > 12 for value in found.values())
    return found


def told(parent: ParentRun) -> Iterator[tuple[str, str]]:
    """Everything that the server keeps."""
    with client() as api:
        kept = {
            "work pools": api.read_work_pools(),
            "deployments": api.read_deployments(),
            "runs": [api.read_flow_run(parent.id), *parent.children()],
            "task runs": api.read_task_runs(),
            "artifacts": api.read_artifacts(),
            "logs": api.read_logs(sort=LogSort.TIMESTAMP_DESC),
        }
    for what, found in kept.items():
        assert found, what
        yield what, json.dumps([one.model_dump(mode="json") for one in found])


def test_the_server_keeps_no_secret(parent: ParentRun, secrets: dict[str, str]) -> None:
    for what, text in told(parent):
        for name, secret in secrets.items():
            assert secret not in text, f"{name} in {what}"


def test_the_store_keeps_no_secret(parent: ParentRun, secrets: dict[str, str]) -> None:
    made = recorded_manifests(store(), read_run(store(), parent.run)).values()
    parts = [part for manifest in made for part in manifest.parts.values()]
    paths = [*store().list(f"runs/{parent.run}"), *store().list("steps")]
    paths += [path for part in parts for path in store().list(part_folder(part.step, part.digest))]
    assert any(path.endswith(".html") for path in paths)
    for path in paths:
        found = store().get(path)
        assert found is not None
        for name, secret in secrets.items():
            assert secret.encode() not in found.data, f"{name} in {path}"


def test_no_process_logs_a_secret(stack: Stack, parent: ParentRun, secrets: dict[str, str]) -> None:
    logs = [path for path in stack.folder.rglob("*.log") if path.is_file()]
    assert logs
    for path in logs:
        for name, secret in secrets.items():
            assert secret.encode() not in path.read_bytes(), f"{name} in {path.name}"


def test_what_the_model_says_is_kept_and_runs_nowhere(parent: ParentRun) -> None:
    made = recorded_manifests(store(), read_run(store(), parent.run))
    answers = [
        read_table(store(), part).column("text").to_pylist()
        for manifest in made.values()
        for name, part in manifest.parts.items()
        if name.startswith("answers/")
    ]
    assert answers and all(text == HOSTILE for texts in answers for text in texts)
    page = store().get(f"runs/{parent.run}/report/index.html")
    assert page is not None
    shown = page.data.decode() + "".join(text for _, text in told(parent))
    for piece in ("alert(", "\x1b", "\u202e"):
        assert piece not in shown


def test_a_run_does_not_say_what_its_worker_executes(stack: Stack, tmp_path: Path) -> None:
    made = tmp_path / "made"
    given = {"command": f"touch {made}", "env": {"PATH": "/nowhere"}, "working_dir": "/nowhere"}
    started = run_deployment("examine-worker/cpu", job_variables=given, timeout=0)
    assert isinstance(started, FlowRun)

    def ended() -> bool:
        with client() as api:
            state = api.read_flow_run(started.id).state
        return state is not None and state.is_final()

    wait_for(ended, "the end of the run", 120)
    with client() as api:
        state = api.read_flow_run(started.id).state
    assert state is not None and state.is_completed()
    assert not made.exists()
