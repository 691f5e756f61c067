"""A generator trained in two processes, and what a GPU's form of training is configured as."""

from __future__ import annotations

import shutil
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from safetensors.torch import load_file

from tasks.artifacts.schemas import ROLLOUTS
from tasks.benchmarks import load_seeds
from tasks.errors import BadInput
from tasks.questions.ranks import launch, train_in_ranks
from tasks.questions.settings import GeneratorTraining, StudentScoring

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of vLLM and TRL, while they load
    from tasks.questions.generator import trainer_arguments

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's and transformers' own

TWO = GeneratorTraining(
    form="completion",
    dtype="float32",
    device="cpu",
    student=StudentScoring(form="completion", answer_tokens=6),
    steps=2,
    prompts_per_step=2,
    rollouts=4,
    micro_batch=4,
    processes=2,
    learning_rate=1e-2,
    max_prompt_tokens=4_000,
    max_completion_tokens=16,
    checkpoint_every=1,
)


class Folder:
    """Checkpoints in a local folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def save(self, folder: Path, step: int) -> None:
        shutil.copytree(folder, self.folder / f"{step:03d}")

    def latest(self, into: Path) -> Path | None:
        kept = sorted(self.folder.glob("*"))
        return shutil.copytree(kept[-1], into / "checkpoint-0") if kept else None


def test_two_processes_are_one_training(taught_folder: Path, tmp_path: Path) -> None:
    """Straight through: on a CPU transformers cannot load a distributed run's optimizer."""
    kept, seen, out = Folder(tmp_path / "kept"), [], tmp_path / "out"
    log, rollouts = train_in_ranks(
        TWO, taught_folder, taught_folder, load_seeds(), out, kept, lambda *said: seen.append(said)
    )
    assert rollouts.schema == ROLLOUTS
    steps = rollouts.column("step").to_pylist()
    assert steps == [1] * 8 + [2] * 8  # those of both processes, in order
    assert len(set(rollouts.column("seed_id").to_pylist())) == 4
    assert log.filter(pc.field("metric") == "equal_groups").num_rows == 2
    assert seen[-1] == (2, 2, "step 2 of 2")
    assert sorted(folder.name for folder in kept.folder.iterdir()) == ["001", "002"]
    base, trained = (load_file(f / "model.safetensors") for f in (taught_folder, out))
    assert base.keys() == trained.keys()
    assert any((base[name] != trained[name]).any() for name in base)


def test_what_is_wrong_in_a_process_is_said_in_its_words(
    taught_folder: Path, tmp_path: Path
) -> None:
    short = TWO.model_copy(update={"max_prompt_tokens": 10})
    with pytest.raises(BadInput, match="only 0 of 4 training prompts"):
        train_in_ranks(
            short, taught_folder, taught_folder, load_seeds(), tmp_path / "out",
            Folder(tmp_path / "kept"), lambda *said: None,
        )  # fmt: skip


def test_the_launcher_starts_as_many_processes_once(tmp_path: Path) -> None:
    command = launch(TWO, tmp_path / "job.json")
    said = dict(pairwise(command))
    assert (said["--num_processes"], said["--max_restarts"]) == ("2", "0")
    assert command[-3:] == ["-m", "tasks.questions.rank", str(tmp_path / "job.json")]


ON_GPUS = TWO.model_dump() | {
    "device": "cuda", "dtype": "bfloat16", "rollout_engine": "vllm", "processes": 4,
    "prompts_per_step": 12, "micro_batch": 2, "student_device": "cuda:7",
}  # fmt: skip


@pytest.mark.parametrize(
    ("vllm", "expected"),
    [
        (
            {"memory": 0.4, "tensor_parallel": 2, "sleeps": True},
            {"vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.4,
             "vllm_tensor_parallel_size": 2, "vllm_enable_sleep_mode": True},
        ),
        (
            {"mode": "served", "server": "http://10.0.0.7:8000"},
            {"vllm_mode": "server", "vllm_server_base_url": "http://10.0.0.7:8000"},
        ),
    ],
    ids=["colocated", "served"],
)  # fmt: skip
def test_rollouts_by_vllm_are_configured_from_the_settings(
    vllm: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    settings = GeneratorTraining(**ON_GPUS | {"vllm": vllm})
    said = trainer_arguments(settings, [1.0, 1.0, 1.0], tmp_path)
    expected |= {
        "use_vllm": True, "vllm_max_model_length": 4_016, "gradient_accumulation_steps": 6,
        "per_device_train_batch_size": 2,
        "generation_kwargs": {"stop": ["</answer>"], "include_stop_str_in_output": True},
    }  # fmt: skip
    assert {name: said[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"device": "cpu"}, "rollout_engine vllm needs device: cuda"),
        ({"vllm": {"mode": "served"}}, "served needs vllm.server"),
        ({"vllm": {"server": "http://10.0.0.7"}}, "colocated has none"),
        ({"vllm": {"tensor_parallel": 3}}, "tensor_parallel 3 does not divide processes 4"),
        ({"processes": 5}, "processes 5 does not divide the 48 completions"),
        ({"micro_batch": 5}, "micro_batch 5 does not divide the 12 completions"),
    ],
)
def test_settings_that_no_machine_can_honour_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        GeneratorTraining(**ON_GPUS | changes)
