"""Which engine a step opens, on what; fixed in the spec before anything is digested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tasks.artifacts.journal import Kept
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store
from tasks.models.cache import model_folder
from tasks.models.engine import Engine


class EndpointSettings(BaseModel):
    """How endpoints are asked. All but `asked` may change without anything being asked again.

    A budget covers every answer that a step needs, those of earlier attempts too. Requests on
    their way when it is spent are still answered and kept, at most `concurrency` of them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrency: int = Field(16, ge=1)  # requests at a time
    retries: int = Field(6, ge=0)  # further tries of one request
    timeout: float = Field(600.0, gt=0.0)  # seconds of one try
    budget_tokens: int | None = Field(None, ge=1)  # prompts and completions; None: no limit
    budget_money: float | None = Field(None, gt=0.0)  # in the currency of the prices
    price_input: float = Field(0.0, ge=0.0)  # money per million tokens
    price_output: float = Field(0.0, ge=0.0)
    asked: str = ""  # the day whose answers count, YYYY-MM-DD; empty: the day of the run

    @field_validator("asked")
    @classmethod
    def _day(cls, text: str) -> str:
        return text and date.fromisoformat(text).isoformat()

    @model_validator(mode="after")
    def _priced(self) -> EndpointSettings:
        if self.budget_money is not None and not self.price_input + self.price_output:
            raise ValueError("budget_money needs price_input and price_output, per million tokens")
        return self


class Machine(BaseModel):
    """What the compute steps run on; a worker that cannot honour it refuses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: Literal["vllm", "transformers", "endpoint", "simulated"]
    dtype: Literal["float32", "bfloat16"]
    device: Literal["cpu", "cuda"]
    context: int = Field(4096, ge=1)  # longest prompt with its answer, in tokens
    tensor_parallel: int = Field(1, ge=1)
    endpoint: EndpointSettings = EndpointSettings()


class EngineSettings(Machine):
    """A machine, and which model it answers for where that is no part: profile or NAME/MODEL."""

    profile: str

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes answers: of an endpoint the model and the day, not how it is asked."""
        if self.engine == "endpoint":
            return {"engine": self.engine, "model": self.profile, "asked": self.endpoint.asked}
        return self.model_dump(exclude={"endpoint"})

    @contextmanager
    def opened(
        self,
        store: Store,
        model: Part | None,
        seed: int,
        kept: Kept,
        adapter: Part | None = None,
    ) -> Iterator[Engine]:
        """The engine with the model loaded, and its trained adapter; closed on leaving.

        `kept` is where an engine finds and keeps answers that are paid for one by one.
        """
        from tasks.models.open_engine import open_engine

        local = self.engine not in {"simulated", "endpoint"}
        folder, adapted = (
            model_folder(store, part) if local and part is not None else None
            for part in (model, adapter)
        )
        engine = open_engine(self, folder, seed, kept, adapted)
        try:
            yield engine
        finally:
            engine.close()
