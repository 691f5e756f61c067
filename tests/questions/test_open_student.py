"""A student with weights is measured on its own hidden states, through the step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.artifacts.parts import publish_part
from tasks.artifacts.store import Store
from tasks.questions.settings import StudentScoring
from tests.questions.taught import write_taught
from tests.test_generate_questions import generated, kept, played, rows_of

SCRIPT = """
import json, sys
from pathlib import Path
from tasks.benchmarks import load_seeds
from tasks.models.machine import EngineSettings
from tasks.questions.deficits import Asked
from tasks.questions.open_student import opened_student
from tasks.questions.settings import StudentScoring

machine = EngineSettings(
    engine="vllm", dtype="float32", device="cpu", context=2048, profile="student"
)
scoring = StudentScoring(form="completion", answer_tokens=6)
asked = [Asked(row["question"], "en", "fr") for row in load_seeds().to_pylist()[:20]]
with opened_student(machine, Path(sys.argv[1]), scoring, 8) as student:
    found = [student.engine, student.batch, student.score(asked)]
Path(sys.argv[2]).write_text(json.dumps(found))
"""


@pytest.mark.filterwarnings("ignore")  # transformers' own
def test_a_real_student_is_measured_on_its_own_hidden_states(
    file_store: Store, taught_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTFIXR_CACHE", str(tmp_path / "cache"))
    student = publish_part(file_store, "prepare-models", "student", "m", taught_folder, {})
    part = generated(
        file_store,
        source="filtered",
        student=student,
        student_engine=played("").model_copy(update={"engine": "transformers"}),
        scoring=StudentScoring(form="completion", answer_tokens=6),
    )
    rows = rows_of(file_store, part)
    measured = [row for row in rows if row["lsi"] is not None]
    assert 0 < len(kept(rows)) == -(-len(measured) // 2)
    assert all(0 < row["lai"] < 1 and 0 < row["lsi"] <= 2 for row in measured)
    assert all("not measured" in row["reason"] for row in rows if row["lsi"] is None)
    assert (part.facts["engine"], part.facts["device"]) == ("transformers", "cpu")


def test_vllm_answers_first_and_gives_way_to_the_body(tmp_path: Path) -> None:
    """In a process of its own, which vLLM changes."""
    folder = tmp_path / "taught"
    write_taught(folder, head_dim=32)
    out = tmp_path / "deficits.json"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(out)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    engine, batch, deficits = json.loads(out.read_text())
    assert (engine, batch, len(deficits)) == ("vllm", None, 20)
    assert all(0 < lai < 1 for lai, *_ in deficits)
    measured = [lsi for _, lsi, *_ in deficits if lsi is not None]
    assert measured and all(0 < lsi <= 2 for lsi in measured)
