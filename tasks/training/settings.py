"""How the student is fine-tuned."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class StudentTraining(BaseModel):
    """Supervised fine-tuning; the defaults are the reference settings of HOTFIXR."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal["completion", "chat"]
    dtype: Literal["float32", "bfloat16"]
    device: Literal["cpu", "cuda"]
    adapter: Literal["lora", "qlora", "full"] = "lora"
    output: Literal["merged", "adapter"] = "merged"
    lora_r: int = Field(16, ge=1)
    lora_alpha: int = Field(32, ge=1)
    lora_dropout: float = Field(0.05, ge=0.0, lt=1.0)
    learning_rate: float = Field(2e-4, gt=0.0)
    warmup_share: float = Field(0.05, ge=0.0, le=1.0)
    rows: int | None = Field(None, ge=1)  # equal for methods that are compared; None: all labels
    epochs: int = Field(3, ge=1)
    batch: int = Field(64, ge=1)  # rows of one update
    micro_batch: int = Field(4, ge=1)  # rows of one forward and backward
    max_length: int = Field(4096, ge=1)  # tokens of prompt and completion
    checkpoint_every: int = Field(20, ge=1)  # updates
    seed: int = 0

    @model_validator(mode="after")
    def _fits(self) -> StudentTraining:
        if self.batch % self.micro_batch:
            raise ValueError(f"micro_batch {self.micro_batch} does not divide batch {self.batch}")
        if self.adapter == "full" and self.output == "adapter":
            raise ValueError("output 'adapter' needs adapter 'lora' or 'qlora'")
        return self
