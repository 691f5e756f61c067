"""The compose file played without containers: PostgreSQL, server, bootstrap twice, workers, a run.

Commands and variables are the file's own, with other addresses; the store is a folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import pytest

from tests.conftest import free_port
from tests.flows.running import recipe
from tests.infra.reading import environment_file, services
from tests.waiting import wait_for

# Debian keeps the server's own programs out of the PATH.
FOLDERS = [*sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)]
PROGRAMS = os.pathsep.join([*FOLDERS, os.environ["PATH"]])
MADE = ("work_pool", "work_queue", "deployment", "automation", "flow")

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        shutil.which("initdb", path=PROGRAMS) is None,
        reason="no PostgreSQL here; apt-get install postgresql brings it",
    ),
]


class Database:
    """A PostgreSQL server on loopback, of a user who is not root: as root it refuses to start."""

    def __init__(self, folder: Path, password: str) -> None:
        self.port, self.password = free_port(), password
        self._user = _unprivileged()
        data, given = folder / "data", folder / "password"
        given.write_text(self.password)
        if self._user:
            for path in (folder, given):
                shutil.chown(path, *self._user)
        made = ["--username=hotfixr", "--auth=scram-sha-256", f"--pwfile={given}", "--no-sync"]
        subprocess.run(self._command("initdb", *made, data), **self._as_user(), check=True)
        served = ["-D", data, "-h", "127.0.0.1", "-p", self.port, "-k", folder]
        self.process = subprocess.Popen(self._command("postgres", *served), **self._as_user())

    def _command(self, name: str, *arguments: object) -> list[str]:
        return [str(shutil.which(name, path=PROGRAMS)), *map(str, arguments)]

    def _as_user(self) -> dict[str, Any]:
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if self._user:
            quiet |= {"user": self._user[0], "group": self._user[1], "extra_groups": []}
        return quiet | {"cwd": "/"}

    def ready(self) -> bool:
        """What the health check of the compose file asks, at this port."""
        asked = [
            "--host=127.0.0.1",
            "--username=hotfixr",
            "--dbname=prefect",
            f"--port={self.port}",
        ]
        return (
            subprocess.run(self._command("pg_isready", *asked), **self._as_user()).returncode == 0
        )

    def ask(self, query: str, database: str = "prefect") -> list[tuple[Any, ...]]:
        """Rows of one statement."""

        async def answer() -> list[tuple[Any, ...]]:
            connection = await asyncpg.connect(self.url(database).replace("+asyncpg", ""))
            try:
                return [tuple(row) for row in await connection.fetch(query)]
            finally:
                await connection.close()

        return asyncio.run(answer())

    def url(self, database: str = "prefect") -> str:
        return f"postgresql+asyncpg://hotfixr:{self.password}@127.0.0.1:{self.port}/{database}"


def _unprivileged() -> tuple[int, int] | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    return user.pw_uid, user.pw_gid


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with generated secrets."""
    folder = tmp_path_factory.mktemp("played")
    environment_file(folder)
    return folder


@pytest.fixture(scope="module")
def database(generated: Path) -> Iterator[Database]:
    told = services(generated)["postgres"]["environment"]
    # Not pytest's own folder: that one lets nobody else in.
    folder = Path(tempfile.mkdtemp(prefix="hotfixr-postgres-"))
    database = Database(folder, told["POSTGRES_PASSWORD"])
    try:
        wait_for(database.ready, "PostgreSQL", 60)
        database.ask("CREATE DATABASE prefect", "postgres")
        yield database
    finally:
        database.process.terminate()
        database.process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


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
