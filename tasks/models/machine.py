"""Which engine a step opens, on what; fixed in the spec before anything is digested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tasks.artifacts.records import Part
from tasks.artifacts.store import Store
from tasks.models.cache import model_folder
from tasks.models.engine import Engine


class Machine(BaseModel):
    """What the compute steps run on; a worker that cannot honour it refuses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: Literal["vllm", "transformers", "simulated"]
    dtype: Literal["float32", "bfloat16"]
    device: Literal["cpu", "cuda"]
    context: int = Field(4096, ge=1)  # longest prompt with its answer, in tokens
    tensor_parallel: int = Field(1, ge=1)


class EngineSettings(Machine):
    """A machine, and which model the simulated engine plays."""

    profile: str

    @contextmanager
    def opened(self, store: Store, model: Part | None, seed: int) -> Iterator[Engine]:
        """The engine with the model loaded; closed on leaving."""
        from tasks.models.open_engine import open_engine

        folder = None
        if model is not None and self.engine != "simulated":
            folder = model_folder(store, model)
        engine = open_engine(self, folder, seed)
        try:
            yield engine
        finally:
            engine.close()
