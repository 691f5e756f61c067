"""What is sent to an OpenAI-compatible endpoint, and what its reply says."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from tasks.errors import BadInput
from tasks.models.endpoint_retries import Trouble
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.thinking import family_of_served, requested
from tasks.models.thoughts import THINK, THOUGHT
from tasks.models.tokens import before_stop

BYTES_PER_TOKEN = 3  # where a server does not count; a little on the dear side
TAGS = re.compile(r"</?think>", re.IGNORECASE)


class _Message(BaseModel):
    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Details(BaseModel):
    reasoning_tokens: int | None = None


# Some servers write null for what they have not counted.
_Tokens = Annotated[int, BeforeValidator(lambda count: count or 0)]


class _Usage(BaseModel):
    prompt_tokens: _Tokens = 0
    completion_tokens: _Tokens = 0
    total_tokens: _Tokens = 0
    completion_tokens_details: _Details | None = None


class Reply(BaseModel):
    """The fields of a chat completion that are read; others are ignored."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None
    model: str | None = None


def request_body(model: str, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
    """The JSON of one request for one sample: many servers ignore `n`.

    Stop strings are not sent: servers allow four at most, and thinking models refuse them.
    """
    if prompt.messages is None:
        raise BadInput(f"{model} at an endpoint answers messages, not a text; set form: chat")
    if sampling.top1:
        raise BadInput(f"{model} at an endpoint gives no raw log-probabilities; use a local engine")
    family = family_of_served(model)
    own = family is not None and family.own_sampling
    limit = family.limit if family is not None else "max_tokens"
    body: dict[str, Any] = {"model": model, "messages": list(prompt.messages)}
    body |= {limit: sampling.max_tokens, **requested(model, sampling.thinking)}
    if sampling.temperature != 1 or not own:
        body["temperature"] = sampling.temperature
    return body if sampling.top_p == 1 else body | {"top_p": sampling.top_p}


def read_reply(data: bytes) -> Reply:
    """The reply of a successful request. Raises Trouble where it is none."""
    try:
        return Reply.model_validate_json(data)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "JSON"
        raise Trouble(f"a reply that is no chat completion ({place})") from error


def completion(reply: Reply, prompt: Prompt, stops: tuple[str, ...]) -> Completion:
    """The sample, with its thought between tags before the answer, where the grader skips it."""
    choice = reply.choices[0]
    full = choice.finish_reason in {"length", "max_tokens"}
    whole = _text(choice.message, full)
    thought, closed, answer = whole.rpartition(THOUGHT)
    said = before_stop(answer, stops)
    usage = _counted(reply.usage, prompt, whole)
    return Completion(
        text=thought + closed + said,
        finish_reason="length" if full and said == answer else "stop",
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        reasoning_tokens=_reasoning_tokens(usage, whole),
        token_ids=(),
    )


def _text(message: _Message, full: bool) -> str:
    content = message.content or ""
    if not isinstance(content, str):
        content = "".join(str(piece.get("text") or "") for piece in content)
    reasoning = TAGS.sub("", message.reasoning_content or message.reasoning or "")
    if not reasoning:
        return content
    # A thought that took all the room is left open, as it would be in a local model.
    closed = "" if full and not content else THOUGHT
    return f"{THINK}{reasoning}{closed}{content}"


def _counted(usage: _Usage | None, prompt: Prompt, text: str) -> _Usage:
    """The server's count, or an estimate from the texts' bytes."""
    if usage is None:
        asked = sum(len(message["content"].encode()) for message in prompt.messages or ())
        counts = [-(-size // BYTES_PER_TOKEN) for size in (asked, len(text.encode()))]
        return _Usage(prompt_tokens=counts[0], completion_tokens=counts[1])
    details = usage.completion_tokens_details or _Details()
    # Some servers count a thought that they do not show in the total alone.
    hidden = max(0, usage.total_tokens - usage.prompt_tokens - usage.completion_tokens)
    if details.reasoning_tokens is None and hidden:
        details = _Details(reasoning_tokens=hidden)
    completed = usage.completion_tokens + hidden
    return _Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=completed,
        completion_tokens_details=details,
    )


def _reasoning_tokens(usage: _Usage, text: str) -> int:
    """The server's count; else the thought's share of the letters, in tokens."""
    details = usage.completion_tokens_details
    if details is not None and details.reasoning_tokens is not None:
        return details.reasoning_tokens
    before, closed, _ = text.rpartition(THOUGHT)
    thought = before if closed else text.partition(THINK)[2]
    letters, all_letters = (len(TAGS.sub("", part)) for part in (thought, text))
    return round(usage.completion_tokens * letters / max(all_letters, 1))
