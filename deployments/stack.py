"""The local stack: an S3 server, the Prefect server, workers and the report server.

Safe by default: everything listens on loopback, keys and the API's authentication string are
generated, only the UI's own address is an allowed origin, and the S3 server's other doors refuse
whoever has not the keys that lie in the stack's folder.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from deployments import processes, s3_server
from deployments.s3_server import BUCKET, HOST, INNER_PORTS, write_private
from tasks.errors import BadInput

FIRST_PORTS = {"prefect": 4200, "s3": 8333, "reports": 8420}
WORKERS = ("control", "cpu", "gpu")
# A worker has one device; a pool has as many as workers were started for it.
ONE_AT_A_TIME = {"gpu": ("--limit", "1")}
SERVICES = ("s3", "prefect", "reports", *(f"worker-{pool}" for pool in WORKERS))
START_SECONDS = 120.0


def home() -> Path:
    """HOTFIXR_HOME, or `.hotfixr` in the present folder."""
    return Path(os.environ.get("HOTFIXR_HOME") or ".hotfixr").resolve()


@dataclass(frozen=True)
class Stack:
    """The stack whose settings, keys, data and logs lie in one folder."""

    folder: Path

    @property
    def settings_file(self) -> Path:
        """Ports and secrets; readable by its owner alone."""
        return self.folder / "stack.json"

    @property
    def known(self) -> bool:
        """Whether a stack was ever started here."""
        return self.settings_file.is_file()

    @cached_property
    def settings(self) -> dict[str, str]:
        """Ports and secrets, generated at the first start and kept."""
        if not self.known:
            raise BadInput(f"no local stack in {self.folder}; start one with: hotfixr up")
        return dict(json.loads(self.settings_file.read_text()))

    def create(self, ports: dict[str, int]) -> None:
        """Generate settings unless there are some."""
        if self.known:
            return
        inner = dict(zip(INNER_PORTS, _free_ports(len(INNER_PORTS)), strict=True))
        chosen = {**FIRST_PORTS, **ports, **inner}
        settings = {name: str(port) for name, port in chosen.items()}
        settings |= {
            "access_key": secrets.token_hex(10),
            "secret_key": secrets.token_hex(20),
            "prefect_auth": f"hotfixr:{secrets.token_urlsafe(24)}",
            **{f"jwt{number}": secrets.token_hex(20) for number in range(4)},
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        write_private(self.settings_file, json.dumps(settings, indent=2))

    @property
    def ui(self) -> str:
        """Address of the Prefect UI."""
        return f"http://{HOST}:{self.settings['prefect']}"

    @property
    def reports(self) -> str:
        """Address that reports are served at."""
        return f"http://{HOST}:{self.settings['reports']}"

    @property
    def environment(self) -> dict[str, str]:
        """What clients and workers of this stack need in their environment."""
        settings = self.settings
        return {
            "AWS_ACCESS_KEY_ID": settings["access_key"],
            "AWS_SECRET_ACCESS_KEY": settings["secret_key"],
            "AWS_ENDPOINT_URL": f"http://{HOST}:{settings['s3']}",
            "AWS_REGION": "us-east-1",
            "HOTFIXR_HOME": str(self.folder),
            "HOTFIXR_REPORTS_URL": self.reports,
            "HOTFIXR_STORE": f"s3://{BUCKET}/store",
            "PREFECT_API_AUTH_STRING": settings["prefect_auth"],
            "PREFECT_API_URL": f"{self.ui}/api",
            "PREFECT_HOME": str(self.folder / "prefect"),
            "PREFECT_WORKER_QUERY_SECONDS": "1",
            "PREFECT_LOGGING_LEVEL": os.environ.get("PREFECT_LOGGING_LEVEL", "INFO"),
            "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        }

    def running(self) -> dict[str, bool]:
        """Which of the services run."""
        return {name: processes.running(self._runs, name) is not None for name in SERVICES}

    def up(self) -> None:
        """Start what does not run; returns once every service answers."""
        self.start_s3()
        self.start_prefect()
        from deployments.bootstrap import make_ready

        make_ready()
        self._start(
            "reports", [*PYTHON, "-m", "deployments.report_server", self.settings["reports"]]
        )
        for pool in WORKERS:
            self.start_worker(pool)

    def start_worker(self, pool: str) -> None:
        """Start the worker of a pool, unless it runs; it hands down the environment of now."""
        command = [*PYTHON, "-m", "prefect", "worker", "start", "--pool", pool]
        command += ["--name", f"{pool}-1", "--type", "process", *ONE_AT_A_TIME.get(pool, ())]
        self._start(f"worker-{pool}", command)

    def stop_worker(self, pool: str) -> None:
        """End the worker of a pool and everything that it has started."""
        processes.stop(self._runs, f"worker-{pool}")

    def down(self) -> list[str]:
        """Stop everything that runs, workers first; what was stopped."""
        return [name for name in reversed(SERVICES) if processes.stop(self._runs, name)]

    @property
    def _runs(self) -> Path:
        return self.folder / "processes"

    def _start(
        self, name: str, command: list[str], environment: dict[str, str] | None = None
    ) -> bool:
        if processes.running(self._runs, name) is not None:
            return False
        own = os.environ | self.environment | (environment or {})
        processes.start(self._runs, name, command, own, self.folder)
        return True

    def start_s3(self) -> None:
        """Start the S3 server and make its bucket."""
        self._refuse_taken("s3")
        s3_server.prepare(self.folder, self._identities())
        command = s3_server.command(self.folder, self.settings)
        self._start("s3", command, s3_server.environment(self.folder, self.settings))
        log = self._runs / "s3.log"
        ready = partial(s3_server.ready, self.settings)
        processes.wait_until(ready, "the S3 server", log, START_SECONDS)

    def _identities(self) -> list[dict[str, Any]]:
        keys = {"accessKey": self.settings["access_key"], "secretKey": self.settings["secret_key"]}
        actions = ["Admin", "Read", "Write", "List"]
        return [{"name": "hotfixr", "credentials": [keys], "actions": actions}]

    def start_prefect(self) -> None:
        """Start the Prefect server."""
        self._refuse_taken("prefect")
        command = [*PYTHON, "-m", "prefect", "server", "start"]
        command += ["--host", HOST, "--port", self.settings["prefect"]]
        self._start(
            "prefect",
            command,
            {
                "PREFECT_SERVER_API_AUTH_STRING": self.settings["prefect_auth"],
                "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": self.ui,
                "PREFECT_UI_API_URL": f"{self.ui}/api",
                # SQLite has one writer at a time; on a busy disk others wait longer than the usual.
                "PREFECT_SERVER_DATABASE_TIMEOUT": "60",
            },
        )
        log = self._runs / "prefect.log"
        processes.wait_until(self._prefect_ready, "the Prefect server", log, START_SECONDS)

    def _refuse_taken(self, service: str) -> None:
        """A port that somebody else listens on must be said, not tried."""
        if processes.running(self._runs, service) is not None:
            return
        port = self.settings[service]
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex((HOST, int(port))) == 0:
                raise BadInput(
                    f"port {port} for {service} is taken by another program; stop that, or remove "
                    f"{self.folder} and choose with: hotfixr up --{service}-port PORT"
                )

    def _prefect_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.ui}/api/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:
            return error.code in {401, 403}  # it is there, and wants the string
        except OSError:
            return False


PYTHON = [sys.executable]


def inner_doors(stack: Stack) -> str:
    """What else listens on loopback, for `hotfixr status` to say."""
    ports = ", ".join(stack.settings[name] for name in INNER_PORTS)
    return f"inner ports of the S3 server on {HOST}, which refuse whoever has not its keys: {ports}"


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((HOST, 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
