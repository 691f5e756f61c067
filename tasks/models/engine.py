"""What every engine does: prompts in, n sampled completions each out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol


@dataclass(frozen=True)
class Hint:
    """What the simulated engine needs to play a model; real engines never look at it."""

    key: str  # names the item, the same in every language
    language: str
    right: str
    wrong: tuple[str, ...] = ()
    source_language: str | None = "en"  # that the item was written in; None: in no one language


@dataclass(frozen=True)
class Prompt:
    """Text to continue (base models) or messages to answer (chat models)."""

    text: str = ""
    messages: tuple[dict[str, str], ...] | None = None
    seed: int = 0  # of this prompt's samples, where the engine can honour it
    hint: Hint | None = None
    part: str = ""  # which part its answers belong to, for engines that keep them as they come


@dataclass(frozen=True)
class Sampling:
    """How completions are drawn. Temperature 0 is greedy."""

    n: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 64
    stop: tuple[str, ...] = ()
    thinking: int | str | None = None  # level or tokens; None: the model's own way
    top1: bool = False  # ask for the raw log-probability of the likeliest token at each step


def seed_from(name: str) -> int:
    """A seed of 31 bits, the same for the same name whatever else is drawn."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big") >> 1


class Completion(NamedTuple):
    """One sampled completion; `text` is cut before the stop string, `top1` only where asked."""

    text: str
    finish_reason: str  # stop | length
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    token_ids: tuple[int, ...]
    top1: tuple[float, ...] | None = None


class Engine(Protocol):
    """A loaded model. `complete` keeps the order of its prompts; each gives `sampling.n`."""

    name: str  # vllm | transformers | endpoint | simulated
    device: str  # what part.json records: "cpu", "cuda:NVIDIA H200"

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """`sampling.n` completions of each prompt; `seed` where prompts' seeds cannot be used."""
        ...

    def close(self) -> None:
        """Give memory and processes back."""
        ...
