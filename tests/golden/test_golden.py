"""What every step gives for the smoke recipe: output that moves without its version fails.

Run with HOTFIXR_UPDATE_GOLDEN=1 after raising a version to write the new fingerprints.
Floating-point numbers are rounded, since other processors give other last digits; trained weights
are compared by names, shapes and rough sizes for the same reason.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import tasks.evaluate
import tasks.generate_questions
import tasks.label_questions
import tasks.prepare_data
import tasks.prepare_models
import tasks.report
import tasks.score
import tasks.train_generator
import tasks.train_student
from flows.here import run_here
from flows.pipeline import pipeline
from tasks.artifacts.parts import fetch_part
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store, open_store
from tasks.grading import GRADER_VERSION
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tests.silent import Silent

GOLDEN = Path(__file__).with_name("smoke.json")
VERSIONS = {
    "prepare-data": [tasks.prepare_data.VERSION],
    "prepare-models": [tasks.prepare_models.VERSION],
    "train-generator": [tasks.train_generator.VERSION],
    "generate-questions": [tasks.generate_questions.VERSION],
    "label-questions": [tasks.label_questions.VERSION],
    "train-student": [tasks.train_student.VERSION],
    "evaluate": [tasks.evaluate.SAMPLING_VERSION, GRADER_VERSION],
    "score": [tasks.score.VERSION],
    "report": [tasks.report.VERSION],
}
WHOLE_BY_ROUGH_SIZE = {"train-generator", "train-student"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Step -> its version and the fingerprint of each of its parts."""
    folder = tmp_path_factory.mktemp("golden")
    store = open_store(f"file://{folder}/store")
    recipe = read_recipe("smoke")
    run = run_here(store, recipe, Silent())
    fingerprints: dict[str, Any] = {}
    for node in pipeline(recipe):
        resolved = recorded_step(store, run, node.step, node.role)
        assert resolved is not None
        entry = fingerprints.setdefault(node.step, {"version": VERSIONS[node.step], "parts": {}})
        for name, part in resolved.manifest.parts.items():
            where = folder / node.label / name.replace("/", "-").replace(":", "-")
            entry["parts"][f"{node.role}/{name}"] = fingerprint(store, part, where)
    return fingerprints


def fingerprint(store: Store, part: Part, folder: Path) -> str:
    fetch_part(store, part, folder)
    digest = hashlib.sha256()
    for file in sorted(part.files, key=lambda file: file.name):
        digest.update(file.name.encode())
        for line in described(folder / file.name, part.step):
            digest.update(line.encode())
    return digest.hexdigest()[:16]


def described(file: Path, step: str) -> Iterator[str]:
    """A file's content without what another processor would make otherwise."""
    if file.suffix == ".safetensors":
        yield from tensors(file)
    elif file.suffix == ".parquet":
        table = pq.read_table(io.BytesIO(file.read_bytes()))
        yield str(table.schema.names)
        rows = table.to_pylist() if step not in WHOLE_BY_ROUGH_SIZE else rough(table.to_pylist())
        yield from (json.dumps(rounded(row), sort_keys=True) for row in rows)
    elif file.suffix in {".html", ".csv"}:
        text = file.read_bytes().decode()
        yield re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.3g}", text)
    else:
        yield hashlib.sha256(file.read_bytes()).hexdigest()


def tensors(file: Path) -> Iterator[str]:
    from safetensors import safe_open

    with safe_open(str(file), framework="pt") as weights:
        for name in sorted(weights.keys()):
            tensor = weights.get_tensor(name)
            yield f"{name} {tuple(tensor.shape)} {tensor.dtype} {tensor.float().norm():.1e}"


def rough(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a training log or its rollouts: which rows there are, not their numbers or texts."""
    kept = ("step", "metric", "language", "seed_id")
    return [{name: row[name] for name in kept if name in row} for row in rows]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return value


def test_no_output_moved_without_its_version(found: dict[str, Any]) -> None:
    if os.environ.get("HOTFIXR_UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    golden = json.loads(GOLDEN.read_text())
    assert set(found) == set(golden)
    for step, now in found.items():
        then = golden[step]
        assert now["version"] == then["version"], f"{step}: new version; update the golden file"
        moved = [name for name in now["parts"] if now["parts"][name] != then["parts"].get(name)]
        assert not moved, f"{step} gives something else for {moved} under the same version"
        assert set(now["parts"]) == set(then["parts"]), step


def test_the_run_is_complete(found: dict[str, Any]) -> None:
    assert set(found) == set(VERSIONS)
    assert len(found["evaluate"]["parts"]) == 2 * 2 * 39  # models, answers and grades, cells
