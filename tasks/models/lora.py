"""Low-rank adapters. Imported by the compute child only."""

from __future__ import annotations

from peft import LoraConfig


def lora_config(r: int, alpha: int, dropout: float) -> LoraConfig:
    """An adapter on all linear layers of a causal language model."""
    return LoraConfig(
        r=r,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
