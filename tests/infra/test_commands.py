"""What containers are told to run exists: programs, options, modules, names of variables."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import prefect_kubernetes.settings
import pytest
import yaml
from prefect.settings.legacy import _get_settings_fields
from prefect.settings.models.root import Settings

from deployments.bootstrap import POOLS
from deployments.stack import Stack
from tests.infra.reading import COMPOSE, ROOT, containers, manifests, program, services
from tests.ports import free_port
from tests.waiting import wait_for

# Names that the images of other people, or the store's client, read.
OTHERS = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "PGDATA", "DO_NOT_TRACK"}
OTHERS |= {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL"}


@cache
def options(*command: str) -> str:
    """The help text of a command of an installed program."""
    if command[0] == "weed":
        shown = [program("weed"), *command[1:], "-h"]
    else:
        shown = [program(command[0]), *command[1:], "--help"]
    done = subprocess.run(shown, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 or command[0] == "weed", f"there is no {' '.join(command)}"
    return done.stdout + done.stderr


def check(command: list[str]) -> None:
    """Fail unless the program has this command and these options."""
    if command[0] == "pg_isready":
        return  # Debian's PostgreSQL has it; test_postgres runs it
    if command[:2] == ["python", "-m"]:
        assert importlib.util.find_spec(command[2]), f"there is no module {command[2]}"
        return
    if command[:2] == ["python", "-c"]:
        ast.parse(command[2])
        return
    assert command[0] in {"hotfixr", "prefect", "weed"}, f"nobody knows {command[0]}"
    words = [word for word in command if word != "--no-prompt"]
    verbs = {"hotfixr": 2, "weed": 2, "prefect": 3}[words[0]]
    shown = options(*words[:verbs])
    for option in (word.partition("=")[0] for word in words[verbs:] if word.startswith("-")):
        assert re.search(rf"(?<![\w.-]){re.escape(option)}(?![\w.-])", shown), f"no {option}"
    if "--pool" in words:
        assert words[words.index("--pool") + 1] in {pool.name for pool in POOLS}


def commands(folder: Path) -> Iterator[list[str]]:
    for one in services(folder).values():
        yield from filter(None, [one.get("command")])
        if "healthcheck" in one:
            yield one["healthcheck"]["test"][1:]
    for _, container in containers():
        if "command" in container:
            yield [*container["command"], *container.get("args", [])]


def test_every_command_exists(tmp_path: Path) -> None:
    found = list(commands(tmp_path))
    assert len(found) >= 20
    for command in found:
        check(command)


@pytest.mark.parametrize(
    "command",
    [
        ["hotfixr", "deployed"],
        ["prefect", "worker", "begin", "--pool", "gpu"],
        ["prefect", "worker", "start", "--pool", "tpu"],
        ["prefect", "worker", "start", "--with-health"],
        ["weed", "server", "-s3.bind=0.0.0.0"],
        ["python", "-m", "deployments.reports"],
        ["pip", "install"],
    ],
)
def test_a_command_that_does_not_exist_is_noticed(command: list[str]) -> None:
    with pytest.raises(AssertionError):
        check(command)


def variables(folder: Path) -> set[str]:
    """Names of all variables that containers are given."""
    found = {name for one in services(folder).values() for name in one.get("environment", {})}
    found |= {entry["name"] for _, one in containers() for entry in one.get("env", [])}
    for one in manifests():
        found |= set(one.get("data", {})) | set(one.get("stringData", {}))
    return found


@cache
def known() -> set[str]:
    """Names that Prefect's settings and our own code read."""
    code = [*ROOT.glob("tasks/**/*.py"), *ROOT.glob("deployments/*.py")]
    ours = {name for file in code for name in re.findall(r"(?:HOTFIXR|WEED)_\w+", file.read_text())}
    settings: Any = prefect_kubernetes.settings.KubernetesSettings
    return ours | OTHERS | set(_get_settings_fields(Settings)) | set(_get_settings_fields(settings))


def test_every_variable_is_one_that_somebody_reads(tmp_path: Path) -> None:
    found = variables(tmp_path)
    assert len(found) > 25 and found - known() == set()
    assert not {"HOTFIXR_STORES", "PREFECT_SERVER_CORS_ORIGINS", "AWS_ENDPOINT"} & known()


def test_workers_are_told_what_the_local_stack_tells_them(tmp_path: Path, s3_stack: Stack) -> None:
    local = {"HOTFIXR_HOME", "PREFECT_HOME", "PREFECT_LOGGING_LEVEL"}
    server = {"DO_NOT_TRACK", "PREFECT_SERVER_ANALYTICS_ENABLED"}
    needed = set(s3_stack.environment) - local - server
    assert needed <= set(services(tmp_path)["worker-gpu"]["environment"])
    given = {name for one in manifests() if one["kind"] in {"ConfigMap", "Secret"}
             for name in {**one.get("data", {}), **one.get("stringData", {})}}  # fmt: skip
    assert needed <= given


def test_the_server_answers_the_probes_without_the_string(stack: Stack, tmp_path: Path) -> None:
    probe = services(tmp_path)["prefect"]["healthcheck"]["test"][3]
    code = probe.replace("127.0.0.1:4200", stack.ui.removeprefix("http://"))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    text = json.dumps(list(manifests()))
    for path in set(re.findall(r'"httpGet": \{"path": "(/api/[^"]+)"', text)):
        with urllib.request.urlopen(f"{stack.ui}{path}", timeout=10) as answer:
            assert answer.status == 200


def test_a_worker_started_as_in_the_containers_answers_its_health_check(
    stack: Stack, tmp_path: Path
) -> None:
    service = services(tmp_path)["worker-cpu"]
    port = str(free_port())
    own = os.environ | {"PREFECT_WORKER_WEBSERVER_PORT": port, "HOME": str(tmp_path)}
    command = [sys.executable, "-m", *service["command"]]
    worker = subprocess.Popen(command, env=own, cwd=tmp_path, stdout=subprocess.DEVNULL)
    code = service["healthcheck"]["test"][3].replace("8080", port)
    try:

        def healthy() -> bool:
            return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0

        wait_for(healthy, "the worker's health", 60)
    finally:
        worker.kill()
        worker.wait()


def test_the_compose_file_has_no_anchor_that_nobody_uses() -> None:
    text = COMPOSE.read_text()
    for anchor in re.findall(r"&([\w-]+)", text):
        assert re.search(rf"\*{anchor}\b", text)
    assert yaml.safe_load(text)["name"] == "hotfixr"
