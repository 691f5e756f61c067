"""Supervised fine-tuning of the student with TRL. Imported by the compute child only."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer

from tasks.artifacts.checkpoints import Checkpoints
from tasks.artifacts.schemas import TRAINING_LOG
from tasks.errors import WrongWorker
from tasks.models.lora import lora_config
from tasks.models.tokens import load_tokenizer
from tasks.training.rows import Row, in_turn, training_rows
from tasks.training.settings import StudentTraining
from tasks.training.weights import load_student, save_student

SHORT_MICRO_BATCH = 2_048  # tokens
IGNORED = -100  # label of a token that is not learnt
LOGGED = ("loss", "grad_norm", "learning_rate", "mean_token_accuracy", "entropy", "num_tokens")


def train_student(
    settings: StudentTraining,
    student: Path,
    labels: pa.Table,
    out: Path,
    checkpoints: Checkpoints,
    progress: Callable[[int, int, str], None],
) -> pa.Table:
    """Fine-tune on the labels, from the last checkpoint if there is one.

    Writes weights, configuration and tokenizer into `out`, the same bytes on the same machine, and
    returns TRAINING_LOG. Nothing is unpickled: weights are safetensors, and the trainer reads
    optimizer, schedule and random states with weights_only. Raises BadInput for labels in held-out
    languages, WrongWorker where this machine has not the device or the package.
    """
    _require_device(settings)
    tokenizer = load_tokenizer(student)
    fitting = training_rows(labels, tokenizer, settings.form, settings.max_length)
    rows = in_turn(fitting, settings.rows)
    with tempfile.TemporaryDirectory(prefix="hotfixr-sft-") as scratch:
        trainer = student_trainer(settings, student, tokenizer, rows, Path(scratch))
        trainer.add_callback(_Publish(checkpoints, progress))
        resumed = checkpoints.latest(Path(scratch) / "resumed")
        trainer.train(resume_from_checkpoint=str(resumed) if resumed else None)
        save_student(settings, trainer.accelerator.unwrap_model(trainer.model), student, out)
        tokenizer.save_pretrained(out)
    learnt = Counter(row.language for row in rows)
    return _log(trainer.state.log_history, learnt, labels.num_rows - len(fitting))


def student_trainer(
    settings: StudentTraining, student: Path, tokenizer: Any, rows: Sequence[Row], scratch: Path
) -> StudentTrainer:
    """The trainer over these rows, with the student in the folder `student` loaded."""
    return StudentTrainer(
        model=load_student(settings, student),
        args=_arguments(settings, scratch),
        train_dataset=Dataset.from_list([row.as_example() for row in rows]),
        processing_class=tokenizer,
        peft_config=_adapter(settings),
    )


def _require_device(settings: StudentTraining) -> None:
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise WrongWorker("train-student asks for device cuda, and this worker has no GPU")
    if settings.adapter == "qlora" and settings.device != "cuda":
        raise WrongWorker(
            "student_training.adapter qlora needs a CUDA device; set adapter: lora or full"
        )
    if settings.adapter == "qlora" and find_spec("bitsandbytes") is None:
        raise WrongWorker(
            "student_training.adapter qlora needs the package bitsandbytes, which this worker "
            "lacks; install it or set adapter: lora"
        )


def _adapter(settings: StudentTraining) -> LoraConfig | None:
    if settings.adapter == "full":
        return None
    return lora_config(settings.lora_r, settings.lora_alpha, settings.lora_dropout)


def _arguments(settings: StudentTraining, scratch: Path) -> SFTConfig:
    return SFTConfig(
        output_dir=str(scratch / "checkpoints"),
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=settings.warmup_share,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=settings.batch // settings.micro_batch,
        optim="paged_adamw_8bit" if settings.adapter == "qlora" else "adamw_torch",
        max_length=settings.max_length,
        packing=False,
        completion_only_loss=True,
        gradient_checkpointing=_recomputes(settings),
        bf16=settings.device == "cuda" and settings.dtype == "bfloat16",
        use_cpu=settings.device == "cpu",
        logging_steps=1,
        save_steps=settings.checkpoint_every,
        save_total_limit=1,
        report_to="none",
        disable_tqdm=True,
        seed=settings.seed,
        data_seed=settings.seed,
        dataloader_pin_memory=False,
    )


def _recomputes(settings: StudentTraining) -> bool:
    """Whether activations are computed again for the backward pass: same numbers, less memory.

    On a CPU it costs a third of a step's time and saves 1.4 MiB per token of a micro-batch (Gemma
    3 270M): worth it for long micro-batches, and beside the optimizer state of full fine-tuning.
    """
    tokens = settings.micro_batch * settings.max_length
    return settings.device == "cuda" or settings.adapter == "full" or tokens > SHORT_MICRO_BATCH


class StudentTrainer(SFTTrainer):  # type: ignore[misc]
    """SFT whose vocabulary projection, on a CPU as on a GPU, is done for learnt tokens alone.

    TRL's fused head projects prompts as well where there is no Triton; with a vocabulary of
    262,144 that is most of the time of a step.
    """

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | None = None,
    ) -> Any:
        """Mean negative log-likelihood of the learnt tokens."""
        if inputs["input_ids"].device.type != "cpu":
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        targets = inputs["labels"][:, 1:]
        learnt = targets != IGNORED

        def keep_learnt(body: Any, given: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state[:, :-1][learnt][None]
            return output

        whole = model.get_base_model() if isinstance(model, PeftModel) else model
        hook = whole.base_model.register_forward_hook(keep_learnt)
        try:
            shifted = {**inputs, "shift_labels": targets[learnt][None]}
            return super().compute_loss(model, shifted, return_outputs, num_items_in_batch)
        finally:
            hook.remove()


class _Publish(TrainerCallback):  # type: ignore[misc]
    """Hands every checkpoint to the store and says how far training is."""

    def __init__(self, checkpoints: Checkpoints, progress: Callable[[int, int, str], None]) -> None:
        self._checkpoints = checkpoints
        self._progress = progress

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """A checkpoint is complete on the local disk; its pickled arguments are of no use."""
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        (folder / "training_args.bin").unlink(missing_ok=True)
        self._checkpoints.save(folder, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """One update is done."""
        self._progress(state.global_step, state.max_steps, "updates of the student")


def _log(history: list[dict[str, Any]], learnt: Counter[str], left_out: int) -> pa.Table:
    """What the trainer said of each update, behind how many rows it had (step 0)."""
    counts = [(0, "rows", language, float(rows)) for language, rows in sorted(learnt.items())]
    said = [
        (entry["step"], name, None, float(entry[name]))
        for entry in history
        for name in LOGGED
        if name in entry
    ]
    lines = [*counts, (0, "rows_too_long", None, float(left_out)), *said]
    return pa.Table.from_pylist(
        [dict(zip(TRAINING_LOG.names, line, strict=True)) for line in lines], TRAINING_LOG
    )
