"""The one place where an engine is chosen."""

from __future__ import annotations

from pathlib import Path

from tasks.artifacts.journal import Kept
from tasks.errors import BadInput, WrongWorker
from tasks.models.engine import Engine
from tasks.models.machine import EngineSettings
from tasks.models.simulated import SimulatedEngine


def open_engine(
    settings: EngineSettings,
    folder: Path | None,
    seed: int,
    kept: Kept,
    adapter: Path | None = None,
) -> Engine:
    """The engine that `settings` ask for, with the model in `folder` and its adapter loaded.

    Without a folder there is an endpoint's model, or a simulated one; `settings.profile` says
    which. `seed` is the engine's own, for vLLM on a CPU.

    Raises:
        BadInput: there is no such engine.
        WrongWorker: this machine lacks the package, the device or the number type.
    """
    if settings.engine == "endpoint":
        from tasks.models.endpoint_engine import EndpointEngine

        return EndpointEngine(settings.profile, settings.endpoint, kept)
    if settings.engine == "simulated" or folder is None:
        return SimulatedEngine(settings.profile)
    _require_device(settings)
    if settings.engine == "transformers":
        from tasks.models.transformers_engine import TransformersEngine

        return TransformersEngine(
            folder, settings.dtype, settings.device, settings.context, adapter=adapter
        )
    if settings.engine == "vllm":
        from tasks.models.vllm_engine import VllmEngine

        return VllmEngine(
            folder, settings.dtype, settings.device, seed, settings.context,
            settings.tensor_parallel, adapter=adapter,
        )  # fmt: skip
    raise BadInput(
        f"engine {settings.engine!r} is not known; write vllm, transformers, endpoint or simulated"
    )


def _require_device(settings: EngineSettings) -> None:
    try:
        import torch
    except ImportError as error:
        raise WrongWorker(
            f"engine {settings.engine} needs torch; install hotfixr-flows[compute]"
        ) from error
    if settings.device == "cpu":
        return
    if not torch.cuda.is_available():
        raise WrongWorker(
            "machine.device is cuda, but torch finds no GPU here; use a GPU worker or device: cpu"
        )
    if settings.tensor_parallel > torch.cuda.device_count():
        raise WrongWorker(
            f"machine.tensor_parallel is {settings.tensor_parallel}, but this worker has"
            f" {torch.cuda.device_count()} GPUs"
        )
    if settings.dtype == "bfloat16" and not torch.cuda.is_bf16_supported():
        raise WrongWorker("This worker's GPU cannot compute in bfloat16; write dtype: float32")
