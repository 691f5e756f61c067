"""What the tests of infra share: its files, the programs that judge them, and broken copies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
INFRA = ROOT / "infra"
COMPOSE = INFRA / "compose.yaml"
KUBERNETES = INFRA / "kubernetes"
IMAGES = sorted((INFRA / "images").glob("*.Dockerfile"))


def program(name: str) -> str:
    """The program of the environment that runs the tests, else the machine's."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    assert found, f"no program {name}; bash infra/install.sh brings it"
    return found


def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run one of them; nothing of this process's secrets is handed down."""
    command = [program(name), *map(str, arguments)]
    kept = {
        key: value for key, value in os.environ.items() if key in {"HOME", "PATH", "PYTHONPATH"}
    }
    return subprocess.run(command, capture_output=True, text=True, env=kept, timeout=120)


def broken(file: Path, folder: Path, old: str, new: str) -> Path:
    """A copy of a file in which `old`, which must be there, is `new`."""
    text = file.read_text()
    assert old in text, f"{old!r} is no longer in {file.name}: break something else"
    copy = folder / file.name
    copy.write_text(text.replace(old, new))
    return copy


def environment_file(folder: Path) -> Path:
    """Generated secrets."""
    file = folder / "generated.env"
    if not file.exists():
        done = run("bash", INFRA / "make_env.sh", file)
        assert done.returncode == 0, done.stderr
    return file


def compose(folder: Path, file: Path = COMPOSE) -> subprocess.CompletedProcess[str]:
    """Compose's own reading of a file, with generated secrets."""
    given = ["--env-file", environment_file(folder), "--file", file, "--profile", "gpu"]
    return run("docker-compose", *given, "config", "--format", "json")


def services(folder: Path) -> dict[str, dict[str, Any]]:
    """The services as Compose resolves them."""
    done = compose(folder)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["services"])


def manifests() -> Iterator[dict[str, Any]]:
    """Every object that `kubectl apply` would send, and the template of secrets."""
    for file in sorted(KUBERNETES.glob("*.yaml")):
        if file.name not in {"kustomization.yaml", "secrets.yaml"}:
            yield from yaml.safe_load_all(file.read_text())


def pod_specs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every pod that the manifests describe, by its owner's kind and name."""
    for one in manifests():
        if "template" in one.get("spec", {}):
            yield f"{one['kind']}/{one['metadata']['name']}", one["spec"]["template"]["spec"]


def containers() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every container of these pods, those that run first as well."""
    for owner, pod in pod_specs():
        for one in [*pod.get("initContainers", []), *pod["containers"]]:
            yield f"{owner}/{one['name']}", one
