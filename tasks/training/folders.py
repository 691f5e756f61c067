"""Folders of trained models."""

from __future__ import annotations

import uuid
from pathlib import Path


def stamp(folder: Path) -> None:
    """Write a name of this training into the header of each safetensors file of a folder.

    Two trainings are two models even where their numbers agree: a checkpoint that is found
    somewhere can be traced, and a forced training makes everything below it new.
    """
    from safetensors import safe_open
    from safetensors.torch import save_file

    training = uuid.uuid4().hex
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(str(file), framework="pt") as weights:
            metadata = weights.metadata() or {}
            tensors = {name: weights.get_tensor(name) for name in weights.keys()}  # noqa: SIM118
        save_file(tensors, str(file), metadata={**metadata, "training": training})
