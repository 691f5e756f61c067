"""How long a model thinks before it answers: one row per family, and what each is told.

What a row says is written as fields of a request. A model that runs here reads the same fields:
`chat_template_kwargs` and `reasoning_effort` are variables of its chat template, and after
`thinking_token_budget` tokens its engine closes the thought.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from tasks.errors import BadInput
from tasks.models.thoughts import MARKS, Marks

Fields = Mapping[str, Any]
Level = Literal["off", "minimal", "low", "medium", "high"]
# YAML reads a bare `off` as false.
Thinking = Annotated[
    Level | Annotated[int, Field(ge=1, strict=True)],
    BeforeValidator(lambda given: "off" if given is False else given),
]
# Tokens that a level stands for where a model has only budgets, and its room everywhere.
ROOM: dict[int | str, int] = {
    "off": 0, "minimal": 512, "low": 1_024, "medium": 8_192, "high": 24_576,
}  # fmt: skip
LEVELS = tuple(level for level in ROOM if level != "off")


class Family(NamedTuple):
    """Models that are told alike how long to think; None and what is missing: not offered."""

    name: str
    served: str  # regular expression of their names at endpoints; empty: never there
    template: str  # what their chat template holds; empty: they do not run here
    off: Fields | None
    levels: Mapping[Any, Fields] = {}
    budget: Callable[[int], Fields] | None = None
    fewest: int = 1  # tokens of the smallest budget
    marks: Marks = MARKS
    limit: str = "max_tokens"  # the field that bounds thought and answer
    own_sampling: bool = False  # temperature and top_p of 1 are theirs, and must not be sent


class Told(NamedTuple):
    """What a model that runs here is told."""

    variables: Fields  # of the chat template
    budget: int | None  # tokens after which its thought is closed


def _effort(*levels: str) -> dict[Any, Fields]:
    return {level: {"reasoning_effort": level} for level in levels}


def _budgets(budget: Callable[[int], Fields], fewest: int = 1) -> dict[Any, Fields]:
    return {level: budget(ROOM[level]) for level in LEVELS if ROOM[level] >= fewest}


def _adaptive(level: str) -> Fields:
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": level}}


def _extended(tokens: int) -> Fields:
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}}


def _gemini(tokens: int) -> Fields:
    return {"extra_body": {"google": {"thinking_config": {"thinking_budget": tokens}}}}


def _switched(tokens: int) -> Fields:
    return {"chat_template_kwargs": {"enable_thinking": True}, "thinking_token_budget": tokens}


def _always(tokens: int) -> Fields:
    return {"thinking_token_budget": tokens}


SWITCHED_OFF: Fields = {"chat_template_kwargs": {"enable_thinking": False}}
HARMONY = ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>")
CLAUDE_FEWEST = 1_024
# The first row that fits counts.
FAMILIES = (
    Family("GPT-OSS", r"gpt-oss", "<|channel|>analysis", None, _effort("low", "medium", "high"),
           marks=HARMONY),
    Family("OpenAI's thinking models", r"(^|/)(gpt-[5-9]|o[1-9])", "",
           {"reasoning_effort": "none"}, _effort("minimal", "low", "medium", "high"),
           limit="max_completion_tokens", own_sampling=True),
    Family("Gemini", r"gemini", "", {"reasoning_effort": "none"},
           _effort("minimal", "low", "medium", "high"), _gemini, own_sampling=True),
    Family("Claude from 4.6", r"claude\D*(4[.-][6-9]|[5-9])(\D|$)", "", {},
           {level: _adaptive(level) for level in ("low", "medium", "high")}, own_sampling=True),
    Family("Claude", r"claude", "", {}, _budgets(_extended, CLAUDE_FEWEST), _extended,
           CLAUDE_FEWEST, own_sampling=True),
    Family("Gemma 4", r"gemma-?4", "<|channel>", SWITCHED_OFF, _budgets(_switched), _switched,
           marks=("<|channel>", "<channel|>")),
    Family("Gemma up to 3", r"gemma", "", {}),
    Family("Qwen 3 and its like", r"^(?!.*deepseek-r1).*(qwen-?3|glm-?[4-9]|nemotron)",
           "enable_thinking", SWITCHED_OFF, _budgets(_switched), _switched),
    Family("models that always think", r"deepseek-r1|qwq", "<think>", None, _budgets(_always),
           _always),
)  # fmt: skip
THOUGHTLESS = Family("models whose chat template has no thoughts", "", "", {})


def family_of_template(template: object) -> Family:
    """The family of a model that runs here; without a template it is one without thoughts."""
    text = str(template or "")
    rows = (row for row in FAMILIES if row.template and row.template in text)
    return next(rows, THOUGHTLESS)


def family_of_served(model: str) -> Family | None:
    """The family of a model at an endpoint, by its name; None if the table has none."""
    return next((row for row in FAMILIES if re.search(row.served, model.lower())), None)


def told(family: Family, thinking: int | str | None) -> Told:
    """What a model that runs here is told. Raises BadInput if its family does not offer it."""
    fields = {} if thinking is None else _fields(family, thinking)
    effort = {name: fields[name] for name in ("reasoning_effort",) if name in fields}
    variables = {**fields.get("chat_template_kwargs", {}), **effort}
    return Told(variables, fields.get("thinking_token_budget"))


def requested(model: str, thinking: int | str | None) -> Fields:
    """Fields for a model at an endpoint. Raises BadInput if they are not known, or not offered."""
    if thinking is None:
        return {}
    family = family_of_served(model)
    if family is None:
        raise BadInput(
            f"evaluation.thinking {thinking!r}: how {model} is told is not known; leave it out, or"
            f" use one of {', '.join(row.name for row in FAMILIES)}"
        )
    return _fields(family, thinking)


def room(thinking: int | str | None) -> int:
    """Tokens that a completion may have beyond its answer."""
    if thinking is None:
        return 0
    return thinking if isinstance(thinking, int) else ROOM[thinking]


def _fields(family: Family, thinking: int | str) -> Fields:
    if thinking == "off" and family.off is not None:
        return family.off
    if thinking in family.levels:
        return family.levels[thinking]
    if isinstance(thinking, int) and family.budget is not None and thinking >= family.fewest:
        return family.budget(thinking)
    raise BadInput(
        f"evaluation.thinking {thinking!r} is not offered by {family.name}, only"
        f" {', '.join(_offered(family))}; choose one, or leave it out for the model's own way"
    )


def _offered(family: Family) -> list[str]:
    off = ["off"] if family.off is not None else []
    budget = [f"a number of tokens from {family.fewest}"] if family.budget is not None else []
    return [*off, *family.levels, *budget]
