"""A PostgreSQL server for tests, from Debian's packages."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from tests.ports import free_port
from tests.waiting import wait_for

# Debian keeps the server's own programs out of the PATH.
FOLDERS = [*sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)]
PROGRAMS = os.pathsep.join([*FOLDERS, os.environ["PATH"]])


def postgres_is_here() -> bool:
    return shutil.which("initdb", path=PROGRAMS) is not None


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


@contextmanager
def running_database(password: str) -> Iterator[Database]:
    """A server with an empty database `prefect`, until the end."""
    # Not pytest's own folder: that one lets nobody else in.
    folder = Path(tempfile.mkdtemp(prefix="hotfixr-postgres-"))
    database = Database(folder, password)
    try:
        wait_for(database.ready, "PostgreSQL", 60)
        database.ask("CREATE DATABASE prefect", "postgres")
        yield database
    finally:
        database.process.terminate()
        database.process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
