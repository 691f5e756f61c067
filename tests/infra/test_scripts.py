"""Every shell script through shellcheck, every YAML file through yamllint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.infra.reading import INFRA, ROOT, broken, run

SCRIPTS = [ROOT / ".ci" / "run", *sorted(INFRA.rglob("*.sh"))]
CONFIGURATION = ROOT / ".yamllint.yaml"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_shellcheck_has_nothing_to_say(script: Path) -> None:
    done = run("shellcheck", script)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('cd "$(dirname "$0")/.."', "cd $(dirname $0)/..", "SC2046"),
        ("locked() {", "locked() [", "SC1064"),
        ('"$sum"', "$sums", "SC2154"),
        ('[ -f "$lock" ]', '[ -f "$lock" ', "SC1073"),
    ],
)
def test_shellcheck_refuses_a_broken_copy(tmp_path: Path, old: str, new: str, rule: str) -> None:
    done = run("shellcheck", broken(INFRA / "install.sh", tmp_path, old, new))
    assert done.returncode != 0 and rule in done.stdout


def test_yamllint_has_nothing_to_say() -> None:
    done = run("yamllint", "--strict", "-c", CONFIGURATION, INFRA, ROOT / "deployments")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("name: hotfixr\n", "name: hotfixr\nname: again\n", "key-duplicates"),
        ("services:\n", "services: [\n", "syntax"),
        ("  prefect:\n", "   prefect:\n", "syntax"),
        ("image: hotfixr-gpu:0.1.0", "image:   hotfixr-gpu:0.1.0", "colons"),
    ],
)
def test_yamllint_refuses_a_broken_copy(tmp_path: Path, old: str, new: str, rule: str) -> None:
    copy = broken(INFRA / "compose.yaml", tmp_path, old, new)
    done = run("yamllint", "--strict", "-c", CONFIGURATION, copy)
    assert done.returncode != 0 and rule in done.stdout
