"""Imports run one way, and what is heavy stays in the compute process."""

from __future__ import annotations

import ast
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"torch", "transformers", "trl", "vllm", "peft", "datasets", "accelerate"}
# A module may import from its own layer and from those to the right of it.
LAYERS = ("deployments", "flows", "tasks", "stages", "ground")
TRUST = "trust_remote_code"
GROUND = {"tasks.errors", "tasks.languages", "tasks.text", "tasks.untrusted"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in ("deployments", "flows", "tasks"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield name, ast.parse(file.read_text())


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> str | None:
    top, _, rest = module.partition(".")
    if top in ("deployments", "flows"):
        return top
    if top != "tasks":
        return None
    if any(module == one or module.startswith(f"{one}.") for one in GROUND):
        return "ground"
    inner = rest.partition(".")[0]
    return "stages" if (ROOT / "tasks" / inner).is_dir() and inner else "tasks"


def test_imports_run_one_way() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, tree in modules()
        for other in imported(tree)
        if (there := layer(other)) is not None
        and other != "tasks"
        and LAYERS.index(there) < LAYERS.index(layer(module) or "ground")
    ]
    assert wrong == []


def test_prefect_is_known_to_flows_and_deployments_only() -> None:
    wrong = [
        module
        for module, tree in modules()
        if module.startswith("tasks")
        and any(name == "prefect" or name.startswith("prefect.") for name in imported(tree))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("tasks.scoring, tasks.grading, tasks.artifacts.store", HEAVY | {"prefect"}),
        ("tasks.importers", HEAVY | {"prefect"}),
        ("tasks.steps, flows.here, deployments.cli", HEAVY | {"prefect"}),
        ("flows.hotfixr, flows.steps, deployments.bootstrap", HEAVY),
    ],
)
def test_what_is_heavy_is_not_loaded(modules: str, absent: set[str]) -> None:
    code = f"import sys, {modules}; print(sorted({absent!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_base_layer_scores_and_lists_runs_by_itself(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    lock = ROOT / "infra" / "requirements" / "base.txt"
    subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True, capture_output=True)
    code = "import tasks.scoring; from deployments.cli import main; main()"
    runs = ["runs", "--store", f"file://{tmp_path}/store"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [python, "-c", code, *runs], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_no_model_brings_code_of_its_own() -> None:
    """transformers asks on the terminal, or obeys, where a call does not say."""
    calls = [
        (name, node)
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "from_pretrained"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id.startswith("Auto")
    ]
    assert len(calls) > 5
    for name, call in calls:
        said = [ast.unparse(word.value) for word in call.keywords if word.arg == TRUST]
        assert said == ["False"], f"{name}, line {call.lineno}"


def test_nobody_trusts_code_by_another_way() -> None:
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == TRUST:
                assert ast.unparse(node.value) == "False", name
            assert not (isinstance(node, ast.Constant) and node.value == TRUST), name
