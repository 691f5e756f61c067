"""Training the question generator with GRPO. Imported by the compute child only.

A run may be killed at any time: a checkpoint holds the trainer's state, the log and the rollouts so
far, and a resumed run draws the seeds, prompts and rollouts that an uninterrupted one draws.
Nothing in a checkpoint is unpickled: adapters are safetensors, the trainer reads optimizer,
schedule and random states with weights_only, and its pickled arguments are not published.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig

from tasks.artifacts.checkpoints import Checkpoints
from tasks.errors import BadInput
from tasks.models.engine import Prompt
from tasks.models.hidden_states import last_hidden
from tasks.models.lora import lora_config
from tasks.models.tokens import encode_prompt, load_tokenizer
from tasks.models.transformers_engine import TransformersEngine
from tasks.questions.grpo import GeneratorTrainer, with_dense_head
from tasks.questions.held_out import refuse_held_out
from tasks.questions.prompts import ASKED_LANGUAGES, GENERATOR_STOP, generator_prompt
from tasks.questions.recorder import Progress, Recorder
from tasks.questions.rewards import Rewards
from tasks.questions.settings import GeneratorTraining
from tasks.questions.student_scorer import StudentScorer


def train_generator(
    settings: GeneratorTraining,
    generator_folder: Path,
    student_folder: Path,
    seeds: pa.Table,
    out: Path,
    checkpoints: Checkpoints,
    progress: Progress,
) -> tuple[pa.Table, pa.Table]:
    """Train with LoRA, merge, and save the whole model with its tokenizer in `out`.

    Returns TRAINING_LOG and ROLLOUTS. Of several processes each calls this, and the main one saves.
    Raises BadInput where no seed fits into a prompt.
    """
    tokenizer, lora = load_tokenizer(generator_folder), settings.lora
    prompts = Dataset.from_list(list(training_prompts(settings, seeds.to_pylist(), tokenizer)))
    engine = TransformersEngine(student_folder, settings.dtype, _student_device(settings))
    with closing(engine), tempfile.TemporaryDirectory(prefix="hotfixr-grpo-") as scratch:
        hidden_states = partial(last_hidden, with_dense_head(engine.model))
        student = StudentScorer(engine, hidden_states, engine.tokenizer, settings.student)
        rewards = Rewards(settings.weights, settings.form, student.score)
        recorder = Recorder(settings, rewards, checkpoints, progress)
        resumed = recorder.restore(Path(scratch, "resumed"))
        functions, weights = rewards.functions()
        trainer = GeneratorTrainer(
            model=_load(generator_folder, settings),
            reward_funcs=functions,
            args=GRPOConfig(**trainer_arguments(settings, weights, Path(scratch, "trainer"))),
            train_dataset=prompts,
            processing_class=tokenizer,
            peft_config=lora_config(lora.r, lora.alpha, lora.dropout),
            callbacks=[recorder],
            stops=GENERATOR_STOP if settings.form == "completion" else (),
        )
        trainer.train(resume_from_checkpoint=None if resumed is None else str(resumed))
        merged = trainer.accelerator.unwrap_model(trainer.model).merge_and_unload()
    if trainer.accelerator.is_main_process:
        merged.save_pretrained(out)
        tokenizer.save_pretrained(out)
    return recorder.tables()


def _student_device(settings: GeneratorTraining) -> str:
    if settings.student_device or settings.device == "cpu":
        return settings.student_device or "cpu"
    # Torch's "cuda" is the first GPU, whichever a process trains on.
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}"


def training_prompts(
    settings: GeneratorTraining, seeds: list[dict[str, str]], tokenizer: PreTrainedTokenizerFast
) -> Iterator[dict[str, Any]]:
    """One row per prompt of the run, in the order of training.

    Seeds are shuffled once and used in turn, languages likewise, so every step has nearly equal
    numbers of each and a seed comes back in another language. Prompts that are too long are left
    out.
    """
    refuse_held_out("seeds", seeds, ("question", "reasoning"))
    random.Random(settings.seed).shuffle(seeds)
    pairs = zip(cycle(seeds), cycle(ASKED_LANGUAGES), count(), strict=False)
    wanted = settings.steps * settings.prompts_per_step
    fitting = (
        row
        for seed, language, number in islice(pairs, wanted * len(ASKED_LANGUAGES))
        if (row := _row(settings, seed, language, number, tokenizer)) is not None
    )
    rows = list(islice(fitting, wanted))
    if len(rows) < wanted:
        raise BadInput(
            f"only {len(rows)} of {wanted} training prompts have at most "
            f"{settings.max_prompt_tokens} tokens; raise max_prompt_tokens or use shorter seeds."
        )
    yield from rows


def _row(
    settings: GeneratorTraining,
    seed: dict[str, str],
    language: str,
    number: int,
    tokenizer: PreTrainedTokenizerFast,
) -> dict[str, Any] | None:
    prompt = generator_prompt(seed, language, settings.form, number)
    if len(encode_prompt(tokenizer, prompt)) > settings.max_prompt_tokens:
        return None
    return {
        "prompt": _shown(prompt),
        "seed_id": seed["seed_id"],
        "language": language,
        "question": seed["question"],
    }


def _shown(prompt: Prompt) -> str | list[dict[str, str]]:
    return prompt.text if prompt.messages is None else list(prompt.messages)


def _load(folder: Path, settings: GeneratorTraining) -> Any:
    return with_dense_head(
        AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, settings.dtype), trust_remote_code=False
        )
    )


def trainer_arguments(
    settings: GeneratorTraining, weights: list[float], folder: Path
) -> dict[str, Any]:
    """The trainer's own words for the settings; `weights` are of its reward functions."""
    completions = settings.prompts_per_step * settings.rollouts
    together = settings.micro_batch * settings.processes
    return dict(
        output_dir=str(folder),
        max_steps=settings.steps,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=completions // together,
        num_generations=settings.rollouts,
        max_completion_length=settings.max_completion_tokens,
        temperature=settings.temperature,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="constant",
        beta=0.0,
        reward_weights=weights,
        seed=settings.seed,
        shuffle_dataset=False,  # the rows are in the order of training
        use_cpu=settings.device == "cpu",
        bf16=settings.dtype == "bfloat16",
        gradient_checkpointing=settings.gradient_checkpointing,
        save_strategy="steps",
        save_steps=settings.checkpoint_every,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        **_rollout_engine(settings),
    )


def _rollout_engine(settings: GeneratorTraining) -> dict[str, Any]:
    if settings.rollout_engine == "transformers":
        return {}
    stops = {"stop": list(GENERATOR_STOP), "include_stop_str_in_output": True}
    asked = {
        "use_vllm": True,
        "vllm_max_model_length": settings.max_prompt_tokens + settings.max_completion_tokens,
        "generation_kwargs": stops if settings.form == "completion" else None,
    }
    vllm = settings.vllm
    if vllm.mode == "served":
        return asked | {"vllm_mode": "server", "vllm_server_base_url": vllm.server}
    return asked | {
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": vllm.memory,
        "vllm_tensor_parallel_size": vllm.tensor_parallel,
        "vllm_enable_sleep_mode": vllm.sleeps,
    }
