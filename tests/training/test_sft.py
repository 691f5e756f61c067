"""Real fine-tuning of a tiny model: interrupted and resumed it ends where a straight run ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file

from tasks.artifacts.parts import publish_part, publish_table
from tasks.artifacts.store import Store
from tasks.compute.step import Silent, Work, complete
from tasks.errors import BadInput, WrongWorker
from tasks.models.tokens import load_tokenizer
from tasks.train_student import STEP, TrainStudent
from tasks.training.rows import training_rows
from tasks.training.settings import StudentTraining
from tasks.training.sft import student_trainer, train_student
from tasks.training.weights import load_student, merged
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


def silent(done: int, total: int, what: str) -> None:
    pass


def trained(tiny_folder: Path, into: Path, rows: pa.Table = ROWS, **settings: object) -> pa.Table:
    into.mkdir()
    chosen = SETTINGS.model_copy(update=settings)
    (kept := into.with_suffix(".kept")).mkdir()
    return train_student(chosen, tiny_folder, rows, into, Kept(kept), silent)


def logged(log: pa.Table, metric: str) -> dict[tuple[int, str | None], float]:
    rows = [row for row in log.to_pylist() if row["metric"] == metric]
    return {(row["step"], row["language"]): row["value"] for row in rows}


@pytest.mark.filterwarnings("ignore")  # TRL's and transformers' own
def test_resumed_training_ends_where_a_straight_one_does(tiny_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "straight").mkdir()
    (tmp_path / "resumed").mkdir()
    log = train_student(
        SETTINGS, tiny_folder, ROWS, tmp_path / "a", Kept(tmp_path / "straight"), silent
    )
    with pytest.raises(KeyboardInterrupt):
        train_student(
            SETTINGS, tiny_folder, ROWS, tmp_path / "b", Kept(tmp_path / "resumed", 2), silent
        )
    again = train_student(
        SETTINGS, tiny_folder, ROWS, tmp_path / "b", Kept(tmp_path / "resumed"), silent
    )
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert weights[0] == weights[1]
    losses = [row for row in log.to_pylist() if row["metric"] == "loss"]
    assert [row["step"] for row in losses] == [1, 2, 3, 4]
    assert [row for row in again.to_pylist() if row["metric"] == "loss"] == losses


def test_a_machine_that_cannot_honour_the_spec_says_so(tiny_folder: Path, tmp_path: Path) -> None:
    four_bits = SETTINGS.model_copy(update={"adapter": "qlora"})
    with pytest.raises(WrongWorker, match="qlora needs a CUDA device"):
        train_student(four_bits, tiny_folder, ROWS, tmp_path, Kept(tmp_path), silent)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("adapter", ["lora", "full"])
def test_the_loss_is_that_of_the_completions_and_their_ends(
    tiny_folder: Path, tmp_path: Path, adapter: str
) -> None:
    """A fresh adapter changes nothing yet, so the first loss is the untouched model's."""
    log = trained(tiny_folder, tmp_path / "out", adapter=adapter, batch=4, micro_batch=2)
    model = load_student(SETTINGS, tiny_folder)
    wanted = []
    for row in training_rows(ROWS, load_tokenizer(tiny_folder), "completion", 2048):
        ids = torch.tensor([*row.prompt, *row.completion])
        logs = model(ids[None]).logits[0, :-1].log_softmax(-1)
        wanted += logs.gather(-1, ids[1:, None])[-len(row.completion) :, 0].tolist()
    assert logged(log, "loss")[1, None] == pytest.approx(-sum(wanted) / len(wanted), abs=1e-4)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["completion", "chat"])
def test_labels_of_a_batch_are_the_completions_and_nothing_else(
    tiny_folder: Path, tmp_path: Path, form: str
) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    settings = SETTINGS.model_copy(update={"form": form, "batch": 4, "micro_batch": 4})
    rows = training_rows(ROWS, tokenizer, form, 2048)
    trainer = student_trainer(settings, tiny_folder, tokenizer, rows, tmp_path)
    [batch] = trainer.get_train_dataloader()
    learnt = {tuple(token for token in labels if token >= 0) for labels in batch["labels"].tolist()}
    assert learnt == {tuple(row.completion) for row in rows}
    own = [sum(token >= 0 for token in labels) for labels in batch["labels"].tolist()]
    assert batch["attention_mask"].sum() == sum(len(row.prompt) for row in rows) + sum(own)


@pytest.mark.filterwarnings("ignore")
def test_the_same_training_gives_the_same_bytes(tiny_folder: Path, tmp_path: Path) -> None:
    logs = [trained(tiny_folder, tmp_path / name) for name in "ab"]
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "ab"
    ]
    assert files[0] == files[1] and logs[0].equals(logs[1])
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= files[0].keys()


@pytest.mark.filterwarnings("ignore")
def test_an_adapter_added_to_the_student_is_the_merged_student(
    tiny_folder: Path, tmp_path: Path
) -> None:
    trained(tiny_folder, tmp_path / "adapter", output="adapter")
    trained(tiny_folder, tmp_path / "merged")
    own = merged(tiny_folder, tmp_path / "adapter", "float32").state_dict()
    saved = load_file(tmp_path / "merged" / "model.safetensors")
    assert all(torch.equal(own[name], weight) for name, weight in saved.items())
    assert str(tiny_folder) not in (tmp_path / "adapter" / "adapter_config.json").read_text()


@pytest.mark.filterwarnings("ignore")
def test_updates_that_a_bfloat16_could_not_hold_are_not_lost(
    tiny_folder: Path, tmp_path: Path
) -> None:
    """Full training rounds to bfloat16 once, at the end."""
    for dtype in ("float32", "bfloat16"):
        trained(tiny_folder, tmp_path / dtype, adapter="full", learning_rate=1e-5, dtype=dtype)
    whole, short = (
        load_file(tmp_path / dtype / "model.safetensors") for dtype in ("float32", "bfloat16")
    )
    assert all(torch.equal(whole[name].bfloat16(), short[name]) for name in whole)


@pytest.mark.filterwarnings("ignore")
def test_the_log_says_how_many_rows_of_each_language_were_learnt(
    tiny_folder: Path, tmp_path: Path
) -> None:
    longest = max(len(row.prompt) + len(row.completion) for row in fitting(tiny_folder, 2048))
    log = trained(tiny_folder, tmp_path / "out", max_length=longest - 1)
    kept = {row.language for row in fitting(tiny_folder, longest - 1)}
    assert logged(log, "rows") == {(0, language): 1.0 for language in kept}
    assert logged(log, "rows_too_long") == {(0, None): 4.0 - len(kept)}


@pytest.mark.filterwarnings("ignore")
def test_a_student_says_how_many_rows_it_learnt_not_how_many_it_was_given(
    tiny_folder: Path, file_store: Store
) -> None:
    longest = max(len(row.prompt) + len(row.completion) for row in fitting(tiny_folder, 2048))
    learnt = len(fitting(tiny_folder, longest - 1))
    spec = TrainStudent(
        student=publish_part(file_store, "prepare-models", "tiny", "0" * 64, tiny_folder, {}),
        labels=publish_table(file_store, "label-questions", "labels", "1" * 64, ROWS, {}),
        settings=SETTINGS.model_copy(update={"max_length": longest - 1}),
    )
    made = complete(Work(file_store, STEP, Silent()), spec)
    assert 0 < made.parts["student"].facts["rows"] == learnt < ROWS.num_rows


def fitting(tiny_folder: Path, max_length: int) -> list:
    return training_rows(ROWS, load_tokenizer(tiny_folder), "completion", max_length)


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_holds_nothing_that_must_be_unpickled(
    tiny_folder: Path, tmp_path: Path
) -> None:
    trained(tiny_folder, tmp_path / "out")
    [*_, newest] = sorted((tmp_path / "out.kept").iterdir())
    names = {file.name for file in newest.iterdir()}
    assert {"adapter_model.safetensors", "optimizer.pt", "rng_state.pth"} <= names
    assert "training_args.bin" not in names
    for name in ("optimizer.pt", "scheduler.pt"):
        torch.load(newest / name, weights_only=True)


def test_a_held_out_language_is_refused_before_anything_is_loaded(
    tiny_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="held-out languages"):
        train_student(SETTINGS, tiny_folder, labels("fr", "ru"), tmp_path, Kept(tmp_path), silent)
