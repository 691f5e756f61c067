"""Prompts to token ids and generated ids to completions, alike for every local engine.

A completion's text ends before the first stop string. Its `token_ids` are the tokens that the text
consists of: no end-of-sequence token, none of a stop string; the last one may reach into the stop
string where a token holds both. `top1` has one entry for each of them. `completion_tokens` counts
everything that was generated, because that is what was paid for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.errors import BadInput
from tasks.models.engine import Completion, Prompt
from tasks.models.thoughts import MARKS, THINK, THOUGHT, Marks, tagged

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

NOTHING: Mapping[str, Any] = {}


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a model folder.

    Raises:
        BadInput: the folder holds none that works without code of its own.
    """
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{folder.name} has no tokenizer that transformers reads: {str(error).splitlines()[0]}"
        ) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise BadInput(f"{folder.name} has no tokenizer.json; save its tokenizer in that form.")
    return tokenizer


def encode_prompt(
    tokenizer: PreTrainedTokenizerFast,
    prompt: Prompt,
    room: int | None = None,
    variables: Mapping[str, Any] = NOTHING,
) -> list[int]:
    """Token ids of a prompt; a text begins with one BOS if the model knows any.

    `variables` are the chat template's own, such as how long to think.

    Raises:
        BadInput: messages for a model without a chat template, or more than `room` tokens.
    """
    messages = prompt.messages
    if messages:
        ids = _chat_ids(tokenizer, messages, variables)
    else:
        ids = _text_ids(tokenizer, prompt.text)
    if room is not None and len(ids) > room:
        raise BadInput(
            f"A prompt of {len(ids)} tokens leaves no room for its answer: the machine's context"
            f" allows {room}; raise machine.context, or lower max_tokens or few_shot."
        )
    return ids


def encode_prompts(
    tokenizer: PreTrainedTokenizerFast,
    prompts: Sequence[Prompt],
    room: int,
    variables: Mapping[str, Any],
) -> list[list[int]]:
    """Token ids of each prompt; neighbours that say the same are encoded once."""
    encoded: list[list[int]] = []
    for _, alike in groupby(prompts, lambda prompt: (prompt.text, prompt.messages)):
        same = list(alike)
        encoded += [encode_prompt(tokenizer, same[0], room, variables)] * len(same)
    return encoded


def _text_ids(tokenizer: PreTrainedTokenizerFast, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False)
    bos = tokenizer.bos_token_id
    return ids if bos is None or ids[:1] == [bos] else [bos, *ids]


def _chat_ids(
    tokenizer: PreTrainedTokenizerFast,
    messages: Sequence[dict[str, str]],
    variables: Mapping[str, Any],
) -> list[int]:
    if tokenizer.chat_template is None:
        raise BadInput(
            f"{Path(tokenizer.name_or_path).name} has no chat template, so it cannot answer"
            " messages; set form: completion."
        )
    ids: list[int] = tokenizer.apply_chat_template(
        list(messages), add_generation_prompt=True, return_dict=False, **variables
    )
    return ids


def end_tokens(folder: Path, tokenizer: PreTrainedTokenizerFast) -> frozenset[int]:
    """Ids that end a completion: the tokenizer's and those of generation_config.json."""
    file = folder / "generation_config.json"
    declared = json.loads(file.read_text()).get("eos_token_id") if file.exists() else None
    listed = declared if isinstance(declared, list) else [declared]
    return frozenset(end for end in [tokenizer.eos_token_id, *listed] if end is not None)


def before_stop(text: str, stops: Sequence[str]) -> str:
    """`text` up to the first stop string in it."""
    return text[: min((at for stop in stops if (at := text.find(stop)) >= 0), default=len(text))]


def stop_reached(
    tokenizer: PreTrainedTokenizerFast, ids: Sequence[int], stops: Sequence[str]
) -> bool:
    """Whether the newest token completed a stop string."""
    if not stops:
        return False
    # A token is at least one byte of text, so the stop string lies within that many tokens.
    reach = max(len(stop.encode()) for stop in stops) + 1
    tail = tokenizer.decode(ids[-reach:], skip_special_tokens=True)
    return any(stop in tail for stop in stops)


def completion(
    tokenizer: PreTrainedTokenizerFast,
    prompt_ids: Sequence[int],
    ids: Sequence[int],
    top1: Sequence[float] | None,
    stops: Sequence[str],
    ends: frozenset[int],
    marks: Marks = MARKS,
) -> Completion:
    """What was generated, cut as this module's first lines say.

    A thought stands between <think> tags; one that the prompt opened and nothing closed gets its
    opening tag, since only that tells it from an answer.
    """
    ended = next((at for at, token in enumerate(ids) if token in ends), None)
    kept = list(ids[:ended])
    opened = opens_thought(tokenizer, prompt_ids)
    whole = _written(tokenizer, kept, marks)
    text = before_stop(whole, stops)
    stopped = len(text) < len(whole)
    while stopped and kept and _covers(tokenizer, kept[:-1], text):
        kept.pop()
    return Completion(
        text=THINK + text if opened and THOUGHT not in text else text,
        finish_reason="length" if ended is None and not stopped else "stop",
        prompt_tokens=len(prompt_ids),
        completion_tokens=len(ids),
        reasoning_tokens=reasoning_tokens(tokenizer, text, opened),
        token_ids=tuple(kept),
        top1=None if top1 is None else tuple(top1[: len(kept)]),
    )


def _written(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int], marks: Marks) -> str:
    if marks != MARKS:
        return tagged(tokenizer, ids, marks)
    text: str = tokenizer.decode(list(ids), skip_special_tokens=True)
    return text


def _covers(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int], text: str) -> bool:
    decoded: str = tokenizer.decode(ids, skip_special_tokens=True)
    return decoded.startswith(text)


def opens_thought(tokenizer: PreTrainedTokenizerFast, prompt_ids: Sequence[int]) -> bool:
    """Whether the prompt's end already opens the thought, as some chat templates do."""
    tail: str = tokenizer.decode(prompt_ids[-(len(THINK) + 2) :])
    return tail.rstrip().endswith(THINK)


def reasoning_tokens(tokenizer: PreTrainedTokenizerFast, text: str, opened: bool = False) -> int:
    """Tokens between the tags of a thought; one that is never closed reaches to the end.

    A closing tag alone counts from the start: then the chat template had opened the thought.
    """
    before, opening, rest = text.partition(THINK)
    if THOUGHT in before or not opening:
        if THOUGHT not in text and not opened:
            return 0
        rest = text
    thought = rest.partition(THOUGHT)[0]
    return len(tokenizer.encode(thought, add_special_tokens=False))
