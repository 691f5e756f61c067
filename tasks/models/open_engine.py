"""The engine that a spec names, or one sentence about why this machine cannot honour it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.errors import WrongWorker
from tasks.models.engine import Engine

if TYPE_CHECKING:
    from tasks.models.machine import EngineSettings


def open_engine(settings: EngineSettings, folder: Path | None, seed: int) -> Engine:
    """Load a model folder with the engine of the settings; the simulated one needs no folder.

    Raises WrongWorker where the engine is not installed or the device is not there.
    """
    if settings.engine == "simulated" or folder is None:
        from tasks.models.simulated import SimulatedEngine

        return SimulatedEngine(settings.profile)
    _require(settings)
    if settings.engine == "transformers":
        from tasks.models.transformers_engine import TransformersEngine

        return TransformersEngine(folder, settings.dtype, settings.device)
    from tasks.models.vllm_engine import VllmEngine

    return VllmEngine(
        folder,
        settings.dtype,
        settings.device,
        seed,
        max_model_len=settings.context,
        tensor_parallel=settings.tensor_parallel,
    )


def _require(settings: EngineSettings) -> None:
    for package in {"torch", settings.engine}:
        if importlib.util.find_spec(package) is None:
            raise WrongWorker(
                f"the spec asks for engine {settings.engine!r}, and package {package!r} is not "
                "installed on this worker; install the compute layer: bash infra/install.sh"
            )
    import torch

    if settings.device == "cuda" and not torch.cuda.is_available():
        raise WrongWorker(
            "the spec asks for device 'cuda', and this worker has no GPU that torch can use; "
            "run it on a GPU worker or set machine.device: cpu"
        )
