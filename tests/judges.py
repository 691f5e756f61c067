"""Judges whose ways are known: each reads the slots of what it is asked, and replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tasks.models.engine import Completion, Prompt, Sampling

Judge = Callable[[str, str, str], str]


def slot(asked: str, name: str) -> str:
    return asked.split(f"<{name}>\n")[1].split(f"\n</{name}>")[0]


def good(question: str, reference: str, response: str) -> str:
    """Accepts what has a reference in it; lets an empty reference pass, as models do."""
    golds = [line.removeprefix("- ").casefold() for line in reference.split("\n")]
    return f"Compared.\n{'YES' if any(gold in response.casefold() for gold in golds) else 'NO'}"


def lenient(question: str, reference: str, response: str) -> str:
    return "YES"


def rambling(question: str, reference: str, response: str) -> str:
    return "On the whole I would tend to say yes, more or less."


class Engine:
    """Asks a judge in this process."""

    name, device = "played", "cpu"

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.asked: list[str] = []

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        return [[self._reply(prompt)] * sampling.n for prompt in prompts]

    def _reply(self, prompt: Prompt) -> Completion:
        assert prompt.messages is not None
        asked = prompt.messages[-1]["content"]
        self.asked.append(asked)
        said = self.judge(*(slot(asked, name) for name in ("question", "reference", "response")))
        return Completion(said, "stop", len(asked.split()), len(said.split()), 0, ())

    def close(self) -> None:
        pass
