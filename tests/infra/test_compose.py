"""The compose file, read by Compose itself; no engine is needed for that, and none was there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployments.stack import FIRST_PORTS
from tests.infra.reading import COMPOSE, broken, compose, environment_file, run, services


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("services:\n", "servises:\n"),
        ("restart: unless-stopped", "restarts: unless-stopped"),
        ("postgres: {condition: service_healthy}", "postgres: {condition: healthy}"),
        ("postgres: {condition: service_healthy}", "postgre: {condition: service_healthy}"),
        ('volumes: ["s3:/var/lib/hotfixr"]', 'volumes: ["s4:/var/lib/hotfixr"]'),
        ("networks: [database]", "networks: [databases]"),
        ('ports: ["127.0.0.1:${S3_PORT:-8333}:8333"]', 'ports: ["127.0.0.1:8333:port"]'),
        ("capabilities: [gpu]", "capability: [gpu]"),
        ("<<: *contained", "<<: *container"),
    ],
)
def test_compose_refuses_a_broken_copy(tmp_path: Path, old: str, new: str) -> None:
    refused = compose(tmp_path, broken(COMPOSE, tmp_path, old, new))
    assert refused.returncode != 0 and refused.stderr


def test_nothing_starts_without_generated_secrets(tmp_path: Path) -> None:
    (tmp_path / "empty.env").touch()
    arguments = ["--env-file", tmp_path / "empty.env", "--file", COMPOSE, "config", "--quiet"]
    refused = run("docker-compose", *arguments)
    assert refused.returncode != 0 and "make_env.sh" in refused.stderr


def test_every_service_is_watched_and_waits_for_what_it_needs(tmp_path: Path) -> None:
    found = services(tmp_path)
    assert {name for name, one in found.items() if "healthcheck" not in one} == {"bootstrap"}
    waits = {
        name: {other: how["condition"] for other, how in one.get("depends_on", {}).items()}
        for name, one in found.items()
    }
    assert waits["prefect"] == {"postgres": "service_healthy"}
    assert waits["bootstrap"] == {"prefect": "service_healthy", "s3": "service_healthy"}
    for name in ("worker-control", "worker-cpu", "worker-gpu", "reports"):
        assert waits[name] == {"bootstrap": "service_completed_successfully"}


def test_ports_are_those_of_the_local_stack_and_on_loopback(tmp_path: Path) -> None:
    published = {
        name: [(port["host_ip"], int(port["published"]), port["target"]) for port in one["ports"]]
        for name, one in services(tmp_path).items()
        if "ports" in one
    }
    assert published == {name: [("127.0.0.1", port, port)] for name, port in FIRST_PORTS.items()}


def secrets(file: Path) -> set[str]:
    return set(re.findall(r"^[A-Z0-9_]+=(.+)$", file.read_text(), re.M))


def test_secrets_come_from_the_generated_file_alone(tmp_path: Path) -> None:
    resolved = compose(tmp_path).stdout
    for secret in secrets(environment_file(tmp_path)):
        assert secret in resolved and secret not in COMPOSE.read_text()
    lines = re.findall(r"^ +\w*(?:KEY|PASSWORD|AUTH_STRING|URL):.*$", COMPOSE.read_text(), re.M)
    assert len(lines) >= 10
    for line in lines:
        assert "${" in line or re.search(r"https?://\w", line), line


def test_containers_gain_no_rights_and_only_the_database_is_apart(tmp_path: Path) -> None:
    for name, one in services(tmp_path).items():
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert name == "postgres" or one["cap_drop"] == ["ALL"]
        reaches_database = "database" in one["networks"]
        assert reaches_database == (name in {"postgres", "prefect"})
    assert set(services(tmp_path)["postgres"]["networks"]) == {"database"}


def test_only_the_gpu_worker_reserves_a_device(tmp_path: Path) -> None:
    reserved = {
        name: one["deploy"]["resources"]["reservations"]["devices"]
        for name, one in services(tmp_path).items()
        if "devices" in one.get("deploy", {}).get("resources", {}).get("reservations", {})
    }
    assert list(reserved) == ["worker-gpu"]
    assert reserved["worker-gpu"][0]["capabilities"] == ["gpu"]


def test_the_secrets_are_private_new_each_time_and_never_replaced(tmp_path: Path) -> None:
    first = environment_file(tmp_path)
    assert first.stat().st_mode & 0o777 == 0o600
    text = first.read_text()
    again = run("bash", COMPOSE.parent / "make_env.sh", first)
    assert again.returncode == 1 and "there already" in again.stderr and first.read_text() == text
    (tmp_path / "other").mkdir()
    assert not secrets(first) & secrets(environment_file(tmp_path / "other"))
