"""Low-rank adapters. Imported by the compute child only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peft import LoraConfig, PeftModel


def lora_config(r: int, alpha: int, dropout: float) -> LoraConfig:
    """An adapter on all linear layers of a causal language model."""
    return LoraConfig(
        r=r,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def with_adapter(model: Any, folder: Path) -> Any:
    """A model's weights with a trained adapter's added to them."""
    return PeftModel.from_pretrained(model, folder).merge_and_unload()
