"""Real fine-tuning of a tiny model: interrupted and resumed it ends where a straight run ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tasks.errors import WrongWorker
from tasks.models.mirror import materialise
from tasks.models.references import parse_reference
from tasks.training.settings import StudentTraining
from tasks.training.sft import train_student
from tests.training.test_rows import labels

SETTINGS = StudentTraining(
    form="completion",
    dtype="float32",
    device="cpu",
    epochs=2,
    batch=2,
    micro_batch=2,
    max_length=2048,
    checkpoint_every=1,
)
ROWS = labels("fr", "es", "it", "pt")


class Kept:
    """Checkpoints in a folder; pulls the plug after so many."""

    def __init__(self, folder: Path, die_after: int = 99) -> None:
        self._folder, self._die_after = folder, die_after

    def save(self, folder: Path, step: int) -> None:
        shutil.copytree(folder, self._folder / str(step))
        if step == self._die_after:
            raise KeyboardInterrupt

    def latest(self, into: Path) -> Path | None:
        steps = sorted(int(path.name) for path in self._folder.glob("*"))
        if not steps:
            return None
        shutil.copytree(self._folder / str(steps[-1]), into / f"checkpoint-{steps[-1]}")
        return into / f"checkpoint-{steps[-1]}"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    materialise(parse_reference("bundled:tiny-random"), folder)
    return folder


def silent(done: int, total: int, what: str) -> None:
    pass


@pytest.mark.filterwarnings("ignore")  # TRL's and transformers' own
def test_resumed_training_ends_where_a_straight_one_does(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "straight").mkdir()
    (tmp_path / "resumed").mkdir()
    log = train_student(SETTINGS, tiny, ROWS, tmp_path / "a", Kept(tmp_path / "straight"), silent)
    with pytest.raises(KeyboardInterrupt):
        train_student(SETTINGS, tiny, ROWS, tmp_path / "b", Kept(tmp_path / "resumed", 2), silent)
    again = train_student(SETTINGS, tiny, ROWS, tmp_path / "b", Kept(tmp_path / "resumed"), silent)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert weights[0] == weights[1]
    losses = [row for row in log.to_pylist() if row["metric"] == "loss"]
    assert [row["step"] for row in losses] == [1, 2, 3, 4]
    assert [row for row in again.to_pylist() if row["metric"] == "loss"] == losses


def test_a_machine_that_cannot_honour_the_spec_says_so(tiny: Path, tmp_path: Path) -> None:
    four_bits = SETTINGS.model_copy(update={"adapter": "qlora"})
    with pytest.raises(WrongWorker, match="qlora needs a CUDA device"):
        train_student(four_bits, tiny, ROWS, tmp_path, Kept(tmp_path), silent)
