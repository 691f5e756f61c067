"""Real GRPO runs of a tiny taught model: determinism, resume, what is logged, when it stops."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file

from tasks.artifacts.schemas import ROLLOUTS, TRAINING_LOG
from tasks.benchmarks import BENCHMARKS, load_seeds
from tasks.errors import BadInput
from tasks.languages import HELD_OUT
from tasks.models.tokens import load_tokenizer
from tasks.models.transformers_engine import TransformersEngine
from tasks.questions.settings import GeneratorTraining, StudentScoring

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of vLLM and TRL, while they load
    from tasks.questions.generator import ASKED_LANGUAGES, train_generator, training_prompts

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's and transformers' own

SETTINGS = GeneratorTraining(
    form="completion",
    dtype="float32",
    device="cpu",
    student=StudentScoring(form="completion", answer_tokens=6),
    steps=3,
    prompts_per_step=2,
    rollouts=4,
    micro_batch=4,
    learning_rate=1e-2,
    max_prompt_tokens=4_000,
    max_completion_tokens=16,
    checkpoint_every=1,
)


class Folder:
    """Checkpoints in a local folder, as a store would keep them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, folder: Path, step: int) -> None:
        shutil.copytree(folder, self.folder / f"{step:03d}")

    def latest(self, into: Path) -> Path | None:
        kept = sorted(self.folder.glob("*"))
        return shutil.copytree(kept[-1], into / "checkpoint-0") if kept else None


class Run(NamedTuple):
    log: pa.Table
    rollouts: pa.Table
    weights: dict[str, torch.Tensor]
    out: Path
    checkpoints: Path

    def logged(self, metric: str) -> list[float]:
        rows = self.log.to_pylist()
        return [r["value"] for r in rows if r["metric"] == metric and r["language"] is None]


def run(model: Path, scratch: Path, **changed: Any) -> Run:
    """Train in `scratch`, from its newest checkpoint if it has one."""
    out, checkpoints = scratch / "out", scratch / "checkpoints"
    shutil.rmtree(out, ignore_errors=True)
    checkpoints.mkdir(parents=True, exist_ok=True)
    settings = SETTINGS.model_copy(update=changed)
    seen: list[tuple[int, int]] = []
    log, rollouts = train_generator(
        settings, model, model, load_seeds()[:48], out, Folder(checkpoints),
        lambda done, total, what: seen.append((done, total)),
    )  # fmt: skip
    assert all(total == settings.steps for _, total in seen)
    return Run(log, rollouts, load_file(out / "model.safetensors"), out, checkpoints)


@pytest.fixture(scope="module")
def straight(taught_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(taught_folder, tmp_path_factory.mktemp("straight"))


def same_weights(one: Run, other: Run) -> bool:
    return all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)


def test_every_rollout_is_kept_with_its_rewards(straight: Run) -> None:
    rows = straight.rollouts.to_pylist()
    assert straight.rollouts.schema == ROLLOUTS
    assert [row["step"] for row in rows] == [1] * 8 + [2] * 8 + [3] * 8
    measured = [row for row in rows if row["reason"] is None]
    assert measured
    assert all(0 < row["lai"] < 1 and 0 <= row["lsi"] <= 2 for row in measured)
    assert all(row["lsi"] in (None, 0.0) for row in rows if row["reason"] is not None)


def test_the_log_has_rewards_variance_shares_and_the_trainers_own_numbers(straight: Run) -> None:
    assert straight.log.schema == TRAINING_LOG
    for metric in ("loss", "reward", "entropy", "format", "equal_groups"):
        assert len(straight.logged(metric)) == 3, metric
    shares = [sum(straight.logged(f"variance_share_{name}")) for name in ("format", "lai", "lsi")]
    assert sum(shares) == pytest.approx(len(straight.logged("variance_share_lai")))


def test_the_saved_model_is_whole_loads_and_differs_from_the_base(
    straight: Run, taught_folder: Path
) -> None:
    base = load_file(taught_folder / "model.safetensors")
    assert straight.weights.keys() == base.keys()
    assert any(not torch.equal(straight.weights[name], base[name]) for name in base)
    assert TransformersEngine(straight.out, "float32", "cpu").tokenizer.bos_token == "<bos>"


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(
    straight: Run, taught_folder: Path, tmp_path: Path
) -> None:
    again = run(taught_folder, tmp_path / "again")
    assert same_weights(straight, again)
    assert again.rollouts == straight.rollouts
    assert again.log == straight.log
    other = run(taught_folder, tmp_path / "other", seed=1, steps=1)
    assert other.rollouts.slice(0, 8) != straight.rollouts.slice(0, 8)


def test_two_steps_and_a_resume_are_three_steps(
    straight: Run, taught_folder: Path, tmp_path: Path
) -> None:
    # What a killed run leaves behind: the checkpoints of its first two steps.
    shutil.copytree(straight.checkpoints, tmp_path / "checkpoints")
    shutil.rmtree(tmp_path / "checkpoints" / "003")
    resumed = run(taught_folder, tmp_path)
    assert resumed.rollouts == straight.rollouts
    assert resumed.log == straight.log
    assert same_weights(resumed, straight)


def test_a_finished_run_that_was_not_published_is_only_merged_again(
    straight: Run, taught_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(straight.checkpoints, tmp_path / "checkpoints")
    again = run(taught_folder, tmp_path)
    assert again.rollouts == straight.rollouts
    assert same_weights(again, straight)


def test_checkpoints_hold_no_pickled_arguments_and_load_as_weights_only(straight: Run) -> None:
    folder = straight.checkpoints / "003"
    assert (folder / "adapter_model.safetensors").is_file()
    assert not (folder / "training_args.bin").exists()
    for name in ("optimizer.pt", "scheduler.pt"):
        torch.load(folder / name, weights_only=True)


def test_a_generator_that_repeats_itself_is_stopped(taught_folder: Path, tmp_path: Path) -> None:
    # The taught model knows ten questions, so windows of sixteen cannot be distinct.
    stopped = run(taught_folder, tmp_path, steps=20, collapse_window=16, collapse_below=0.9)
    assert stopped.logged("stopped_collapsed") == [1.0]
    assert stopped.logged("distinct")[-1] < 0.9
    assert len(stopped.logged("loss")) < 20


@pytest.fixture(scope="module")
def prompts(tiny_folder: Path) -> Iterator[list[dict[str, Any]]]:
    wanted = SETTINGS.model_copy(update={"steps": 30})
    yield list(training_prompts(wanted, load_seeds().to_pylist(), load_tokenizer(tiny_folder)))


def test_languages_are_even_and_seeds_come_back_in_another_one(
    prompts: list[dict[str, Any]],
) -> None:
    languages = [prompt["language"] for prompt in prompts]
    assert languages == list(ASKED_LANGUAGES) * 12
    pairs = {(prompt["seed_id"], prompt["language"]) for prompt in prompts}
    assert len(pairs) == len(prompts)
    assert "en" not in languages


def test_prompts_that_are_too_long_are_left_out_and_too_few_is_an_error(
    tiny_folder: Path, prompts: list[dict[str, Any]]
) -> None:
    tokenizer, seeds = load_tokenizer(tiny_folder), load_seeds().to_pylist()
    lengths = sorted(len(tokenizer.encode(prompt["prompt"])) for prompt in prompts)
    short = SETTINGS.model_copy(update={"max_prompt_tokens": lengths[len(lengths) // 2]})
    kept = list(training_prompts(short, seeds, tokenizer))
    assert max(len(tokenizer.encode(row["prompt"])) for row in kept) <= short.max_prompt_tokens
    none = SETTINGS.model_copy(update={"max_prompt_tokens": 10})
    with pytest.raises(BadInput, match="only 0 of 6"):
        list(training_prompts(none, seeds, tokenizer))


@pytest.mark.parametrize("language", HELD_OUT)
def test_a_seed_in_a_held_out_language_stops_the_training(tiny_folder: Path, language: str) -> None:
    seeds = load_seeds().to_pylist()
    facts = BENCHMARKS["multihop"].examples(language)[0]
    seeds[3] |= {"question": facts.question, "reasoning": " ".join(facts.context)}
    with pytest.raises(BadInput, match=f"1 seeds are in held-out languages .{language}."):
        list(training_prompts(SETTINGS, seeds, load_tokenizer(tiny_folder)))
