"""The compose file played without containers: PostgreSQL, server, bootstrap twice, workers, a run.

Commands and variables are the file's own, with other addresses; the store is a folder.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.flows.running import recipe
from tests.infra.postgres import Database, postgres_is_here, running_database
from tests.infra.reading import environment_file, services
from tests.ports import free_port
from tests.waiting import wait_for

MADE = ("work_pool", "work_queue", "deployment", "automation", "flow")

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not postgres_is_here(),
        reason="no PostgreSQL here; apt-get install postgresql brings it",
    ),
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with generated secrets."""
    folder = tmp_path_factory.mktemp("played")
    environment_file(folder)
    return folder


@pytest.fixture(scope="module")
def database(generated: Path) -> Iterator[Database]:
    told = services(generated)["postgres"]["environment"]
    with running_database(told["POSTGRES_PASSWORD"]) as database:
        yield database


class Played:
    """The services of the compose file as processes of this machine."""

    def __init__(self, folder: Path, database: Database, found: dict[str, dict[str, Any]]) -> None:
        self._folder, self._found = folder, found
        self._prefect = str(free_port())
        self._addresses = {
            "@postgres:5432": f"@127.0.0.1:{database.port}",
            "http://prefect:4200": f"http://127.0.0.1:{self._prefect}",
            "s3://hotfixr/store": f"file://{folder}/store",
            "0.0.0.0": "127.0.0.1",
            "4200": self._prefect,
        }
        self.started: list[psutil.Process] = []

    def _here(self, text: str) -> str:
        for there, here in self._addresses.items():
            text = text.replace(there, here)
        return text

    def environment(self, name: str) -> dict[str, str]:
        kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
        own = {key: self._here(value) for key, value in self._found[name]["environment"].items()}
        # Two workers on one machine cannot both have the port that each has in its container.
        own |= {"HOME": str(self._folder), "PREFECT_WORKER_WEBSERVER_PORT": str(free_port())}
        if "HOTFIXR_ROOTS" in own:  # the test's recipe is a file
            own["HOTFIXR_ROOTS"] += f" {self._folder.parent.as_uri()}"
        return kept | own

    def start(self, name: str) -> None:
        words = map(self._here, self._found[name]["command"])
        with (self._folder / f"{name}.log").open("wb") as log:
            started = psutil.Popen(
                [sys.executable, "-m", *words],
                env=self.environment(name),
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        self.started.append(started)

    def hotfixr(self, *words: object) -> str:
        """A command with the variables of the bootstrap."""
        done = subprocess.run(
            [sys.executable, "-m", "deployments.cli", *map(str, words)],
            env=self.environment("bootstrap"),
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def healthy(self, name: str) -> bool:
        """What the service's health check says."""
        code = self._here(self._found[name]["healthcheck"]["test"][3])
        return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0

    def stop(self) -> None:
        family = [*self.started, *(c for p in self.started for c in p.children(recursive=True))]
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, timeout=10)


@pytest.fixture(scope="module")
def played(database: Database, generated: Path) -> Iterator[Played]:
    played = Played(generated, database, services(generated))
    try:
        played.start("prefect")
        wait_for(lambda: played.healthy("prefect"), "the Prefect server", 120)
        played.hotfixr("deploy")
        yield played
    finally:
        played.stop()


def made(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    return {table: database.ask(f"SELECT id, name FROM {table} ORDER BY id") for table in MADE}


def test_a_second_bootstrap_makes_nothing_more(played: Played, database: Database) -> None:
    before = made(database)
    automations = database.ask("SELECT name, updated FROM automation ORDER BY name")
    assert len(before["deployment"]) >= 14 and len(automations) == 2
    played.hotfixr("deploy")
    assert made(database) == before
    assert database.ask("SELECT name, updated FROM automation ORDER BY name") == automations


def test_a_run_completes_and_postgresql_knows_it(
    played: Played, database: Database, tmp_path: Path
) -> None:
    few = [{"name": "facts", "items": 4}]
    played.start("worker-control")
    played.start("worker-cpu")
    played.hotfixr("trigger", recipe(tmp_path, "simulated", name="on-postgres", benchmarks=few))
    states = database.ask("SELECT name, state_type FROM flow_run WHERE name LIKE '% of %'")
    assert {name.split(" of ")[0] for name, _ in states} >= {"evaluate-base", "score", "report"}
    assert {state for _, state in states} == {"COMPLETED"}
    assert "on-postgres" in played.hotfixr("runs")
