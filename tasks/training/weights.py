"""Weights in and out: the model that is trained, and the folder that others load."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from tasks.models.lora import with_adapter
from tasks.training.settings import StudentTraining


def load_student(settings: StudentTraining, folder: Path) -> Any:
    """The model of `folder` as it is trained.

    Weights that are trained themselves are float32 whatever `dtype` says (it is what they are
    saved in): most of Adam's updates are smaller than the steps of a bfloat16.
    """
    extra = {"quantization_config": _four_bits()} if settings.adapter == "qlora" else {}
    dtype = "float32" if settings.adapter == "full" else settings.dtype
    return _load(folder, dtype, settings.device, **extra)


def save_student(settings: StudentTraining, model: Any, student: Path, out: Path) -> None:
    """Write the trained model, or its adapter alone, as safetensors with its configuration."""
    # The trainer switches the cache off in the configuration; whoever generates wants it.
    model.config.use_cache = True
    if settings.adapter == "full":
        model.to(getattr(torch, settings.dtype)).save_pretrained(out)
    elif settings.output == "adapter":
        _save_adapter(model, out)
    elif settings.adapter == "qlora":
        # Four bits cannot hold the sum, so it is made with the weights that were quantised.
        with tempfile.TemporaryDirectory(prefix="hotfixr-adapter-") as scratch:
            model.save_pretrained(scratch)
            merged(student, Path(scratch), settings.dtype).save_pretrained(out)
    else:
        model.merge_and_unload().save_pretrained(out)


def merged(student: Path, adapter: Path, dtype: str) -> Any:
    """The student's own weights with an adapter's added to them, on the CPU."""
    return with_adapter(_load(student, dtype, "cpu"), adapter)


def _load(folder: Path, dtype: str, device: str, **extra: Any) -> Any:
    return AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=getattr(torch, dtype),
        device_map=device,
        trust_remote_code=False,
        use_safetensors=True,
        **extra,
    )


def _four_bits() -> Any:
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )


def _save_adapter(model: Any, out: Path) -> None:
    """What PEFT writes, without this machine's paths and with the same bytes every time."""
    model.save_pretrained(out)
    (out / "README.md").unlink(missing_ok=True)
    file = out / "adapter_config.json"
    config = json.loads(file.read_text())
    config["base_model_name_or_path"] = None
    if isinstance(config["target_modules"], list):
        config["target_modules"].sort()
    file.write_text(json.dumps(config, indent=2, sort_keys=True))
