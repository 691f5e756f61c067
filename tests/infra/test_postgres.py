"""The Prefect server on PostgreSQL, as in the compose file: bootstrap twice, then a real run."""

from __future__ import annotations

import asyncio
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.conftest import STACK, free_port
from tests.flows.running import recipe
from tests.waiting import wait_for

# Debian keeps the server's own programs out of the PATH.
FOLDERS = [*sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)]
PROGRAMS = os.pathsep.join([*FOLDERS, os.environ["PATH"]])
MADE = ("work_pool", "work_queue", "deployment", "automation", "flow")

pytestmark = pytest.mark.skipif(
    shutil.which("initdb", path=PROGRAMS) is None,
    reason="no PostgreSQL here; apt-get install postgresql brings it",
)


class Database:
    """A PostgreSQL server on loopback, of a user who is not root: as root it refuses to start."""

    def __init__(self, folder: Path) -> None:
        self.port, self.password = free_port(), secrets.token_hex(16)
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
def database() -> Iterator[Database]:
    # Not pytest's own folder: that one lets nobody else in.
    folder = Path(tempfile.mkdtemp(prefix="hotfixr-postgres-"))
    database = Database(folder)
    try:
        wait_for(database.ready, "PostgreSQL", 60)
        database.ask("CREATE DATABASE prefect", "postgres")
        yield database
    finally:
        database.process.terminate()
        database.process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


class Machine:
    """Somebody's terminal: none of the variables that these tests' own stack has set."""

    def __init__(self, folder: Path, database: Database) -> None:
        own = {name: value for name, value in os.environ.items() if name not in STACK.environment}
        self._own = own | {
            "HOTFIXR_HOME": str(folder / "home"),
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": database.url(),
        }

    def hotfixr(self, *words: object) -> str:
        command = [sys.executable, "-m", "deployments.cli", *map(str, words)]
        done = subprocess.run(command, env=self._own, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def machine(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine"), database)
    ports = [f"--{name}-port={free_port()}" for name in ("prefect", "s3", "reports")]
    try:
        machine.hotfixr("up", *ports)
        yield machine
    finally:
        machine.hotfixr("down")


def made(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    return {table: database.ask(f"SELECT id, name FROM {table} ORDER BY id") for table in MADE}


def test_a_second_bootstrap_makes_nothing_more(machine: Machine, database: Database) -> None:
    before = made(database)
    automations = database.ask("SELECT name, updated FROM automation ORDER BY name")
    assert len(before["deployment"]) >= 14 and len(automations) == 2
    machine.hotfixr("deploy")
    assert made(database) == before
    assert database.ask("SELECT name, updated FROM automation ORDER BY name") == automations


def test_a_run_completes_and_postgresql_knows_it(
    machine: Machine, database: Database, tmp_path: Path
) -> None:
    few = [{"name": "facts", "items": 4}]
    machine.hotfixr("trigger", recipe(tmp_path, "simulated", name="on-postgres", benchmarks=few))
    states = database.ask("SELECT name, state_type FROM flow_run WHERE name LIKE '% of %'")
    assert {name.split(" of ")[0] for name, _ in states} >= {"evaluate-base", "score", "report"}
    assert {state for _, state in states} == {"COMPLETED"}
    assert "on-postgres" in machine.hotfixr("runs")
