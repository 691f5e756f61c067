"""Thinking settings: what each family is told, and that a budget really closes a thought."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trl
from pydantic import TypeAdapter, ValidationError

from tasks.errors import BadInput
from tasks.grading import grade
from tasks.models.endpoint_answers import request_body
from tasks.models.engine import Prompt, Sampling
from tasks.models.thinking import HARMONY, Thinking, family_of_template, requested, room, told
from tasks.models.thoughts import MARKS, Marks, ThoughtLimit
from tasks.models.tokens import completion, encode_prompt, load_tokenizer
from tasks.models.transformers_engine import TransformersEngine

TEMPLATES = Path(trl.__file__).parent / "chat_templates"
ASK = Prompt(messages=({"role": "user", "content": "2 + 2"},), seed=3)


@pytest.mark.parametrize(
    ("template", "thinking", "variables", "budget"),
    [
        ("qwen3", None, {}, None),
        ("qwen3", "off", {"enable_thinking": False}, None),
        ("qwen3", 300, {"enable_thinking": True}, 300),
        ("qwen3_6", "medium", {"enable_thinking": True}, 8192),
        ("gptoss", "low", {"reasoning_effort": "low"}, None),
        ("gptoss", None, {}, None),
        ("gemma3", "off", {}, None),
        ("gemma3", None, {}, None),
        ("gemma4", "off", {"enable_thinking": False}, None),
        ("gemma4", "high", {"enable_thinking": True}, 24576),
        ("deepseek_r1_distill", "low", {}, 1024),
        ("llama3", "off", {}, None),
    ],
)
def test_a_model_here_is_told_through_its_template_and_its_engine(
    template: str, thinking: int | str | None, variables: dict[str, Any], budget: int | None
) -> None:
    family = family_of_template((TEMPLATES / f"{template}.jinja").read_text())
    assert told(family, thinking) == (variables, budget)


@pytest.mark.parametrize(
    ("template", "thinking", "offered"),
    [
        ("gptoss", "off", "only low, medium, high;"),
        ("gptoss", 512, "only low, medium, high;"),
        ("gemma3", "low", "not offered by models whose chat template has no thoughts, only off;"),
        ("deepseek_r1_distill", "off", "only minimal, low, medium, high, a number of tokens"),
        ("qwen3", "highest", "only off, minimal, low"),
    ],
)
def test_what_a_family_does_not_offer_is_one_sentence(
    template: str, thinking: int | str, offered: str
) -> None:
    family = family_of_template((TEMPLATES / f"{template}.jinja").read_text())
    with pytest.raises(BadInput) as caught:
        told(family, thinking)
    assert offered in str(caught.value) and repr(thinking) in str(caught.value)


@pytest.mark.parametrize(
    ("model", "thinking", "fields"),
    [
        ("openai/gpt-5.4", "low", {"reasoning_effort": "low"}),
        ("o3", "off", {"reasoning_effort": "none"}),
        ("openai/gpt-oss-120b", "high", {"reasoning_effort": "high"}),
        ("google/gemini-3-flash", "minimal", {"reasoning_effort": "minimal"}),
        ("gemini-2.5-flash", 700,
         {"extra_body": {"google": {"thinking_config": {"thinking_budget": 700}}}}),
        ("claude-haiku-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-sonnet-4-20250514", 2000,
         {"thinking": {"type": "enabled", "budget_tokens": 2000}}),
        ("claude-opus-4-7", "high",
         {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("anthropic/claude-opus-4.7", "off", {}),
        ("Qwen/Qwen3-4B", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("Qwen3-30B-A3B", 99,
         {"chat_template_kwargs": {"enable_thinking": True}, "thinking_token_budget": 99}),
        ("google/gemma-3-27b-it", "off", {}),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", 50, {"thinking_token_budget": 50}),
        ("anything", None, {}),
    ],
)  # fmt: skip
def test_a_model_elsewhere_is_told_in_its_requests(
    model: str, thinking: int | str | None, fields: dict[str, Any]
) -> None:
    assert requested(model, thinking) == fields
    body = request_body(model, ASK, Sampling(thinking=thinking))
    assert {name: body[name] for name in fields} == fields


@pytest.mark.parametrize(
    ("model", "thinking", "said"),
    [
        ("llama-4", "low", "how llama-4 is told is not known"),
        ("claude-3-7-sonnet", 500, "a number of tokens from 1024"),
        ("claude-3-7-sonnet", "minimal", "only off, low, medium, high, a number"),
        ("claude-opus-4-7", 2000, "only off, low, medium, high;"),
        ("gemma-2-9b", "low", "not offered by Gemma up to 3, only off"),
    ],
)
def test_what_an_endpoint_cannot_be_told_is_one_sentence(
    model: str, thinking: int | str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        requested(model, thinking)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "temperature", "limit", "sampling"),
    [
        ("gpt-5.4", 1.0, "max_completion_tokens", {}),
        ("claude-opus-4-7", 1.0, "max_tokens", {}),
        ("claude-opus-4-7", 0.5, "max_tokens", {"temperature": 0.5}),
        ("llama-4", 1.0, "max_tokens", {"temperature": 1.0}),
    ],
)
def test_models_that_refuse_sampling_settings_are_not_sent_their_defaults(
    model: str, temperature: float, limit: str, sampling: dict[str, float]
) -> None:
    body = request_body(model, ASK, Sampling(temperature=temperature, max_tokens=9))
    rest = {name: body[name] for name in body if name not in {"model", "messages"}}
    assert rest == {limit: 9, **sampling}


@pytest.mark.parametrize(
    ("given", "read"), [(False, "off"), ("off", "off"), ("high", "high"), (512, 512)]
)
def test_settings_are_read_as_yaml_writes_them(given: Any, read: Any) -> None:
    assert TypeAdapter(Thinking).validate_python(given) == read


@pytest.mark.parametrize("given", [True, 0, -5, "much", 1.5])
def test_other_settings_are_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Thinking).validate_python(given)


def test_a_thought_has_its_room_beside_the_answer() -> None:
    assert [room(one) for one in (None, "off", "low", 77)] == [0, 0, 1024, 77]


@pytest.mark.parametrize(
    ("drawn", "opened", "budget", "forced_at"),
    [
        ("abcdefgh", True, 3, 3),
        ("abcdefgh", False, 3, None),
        ("ab<cdefgh", False, 2, 5),
        ("a>cdefgh", True, 3, None),
        ("<ab>cdefgh", False, 3, None),
    ],
)
def test_a_thought_is_closed_once_and_only_while_it_is_open(
    drawn: str, opened: bool, budget: int, forced_at: int | None
) -> None:
    limit = ThoughtLimit([ord("<")], [ord("/"), ord(">")], budget, opened)
    if ">" in drawn:  # closed by the model itself
        limit = ThoughtLimit([ord("<")], [ord(">")], budget, opened)
    ids: list[int] = []
    forced = []
    for letter in drawn:
        must = limit.forced(ids)
        if must is not None:
            forced.append(len(ids))
        ids.append(ord(letter) if must is None else must)
    assert forced == ([] if forced_at is None else [forced_at, forced_at + 1])


def test_a_budget_closes_the_thought_and_the_answer_goes_on(thinker: Path) -> None:
    engine = TransformersEngine(thinker, "float32", "cpu")
    sampling = Sampling(n=40, max_tokens=40, thinking=6)
    [drawn] = engine.complete([ASK], sampling, 0)
    closing = engine.tokenizer.encode("</think>", add_special_tokens=False)
    long = [one for one in drawn if one.completion_tokens > 16]
    assert long and all(list(one.token_ids[6:14]) == closing for one in long)
    assert all(one.reasoning_tokens > 0 for one in drawn if one.token_ids[0] != closing[0])
    [free] = engine.complete([ASK], Sampling(n=40, max_tokens=40), 0)
    assert all(one.text.startswith("<think>") for one in free if "</think>" not in one.text)
    [off] = engine.complete([ASK], Sampling(n=4, max_tokens=9, thinking="off"), 0)
    assert all(one.reasoning_tokens == 0 and "<think>" not in one.text for one in off)


def test_a_thought_that_the_prompt_opened_and_the_limit_cut_is_truncated(thinker: Path) -> None:
    tokenizer = load_tokenizer(thinker)
    prompt = encode_prompt(tokenizer, ASK)
    ids = tokenizer.encode("is it 4? the answer is 4", add_special_tokens=False)
    cut = completion(tokenizer, prompt, ids, None, (), frozenset())
    assert cut.text == "<think>is it 4? the answer is 4" and cut.finish_reason == "length"
    assert cut.reasoning_tokens == len(ids)
    assert grade("number", "en", "4", cut.text, finish_reason="length").status == "truncated"
    whole = tokenizer.encode("is it 7?</think>4", add_special_tokens=False)
    done = completion(tokenizer, prompt, whole, None, (), frozenset())
    assert grade("number", "en", "4", done.text).status == "right"


@pytest.mark.parametrize(
    ("marks", "written", "text", "status"),
    [
        (HARMONY, "<|channel|>analysis<|message|>7?<|end|><|start|>assistant<|channel|>final"
         "<|message|>4", "<think>7?assistant</think>4", "right"),
        (HARMONY, "<|channel|>final<|message|>4", "4", "right"),
        (HARMONY, "<|channel|>analysis<|message|>it is 4", "<think>it is 4", "truncated"),
        (("<|channel>", "<channel|>"), "<|channel>thought\n7?<channel|>4",
         "<think>thought\n7?</think>4", "right"),
        (("<|channel>", "<channel|>"), "4", "4", "right"),
        (MARKS, "<think>7?</think>4", "<think>7?</think>4", "right"),
    ],
)  # fmt: skip
def test_thoughts_between_special_tokens_stay_apart_from_the_answer(
    tiny_folder: Path, marks: Marks, written: str, text: str, status: str
) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    special = ["<|channel|>", "<|message|>", "<|end|>", "<|start|>", "<|channel>", "<channel|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    ids = tokenizer.encode(written, add_special_tokens=False)
    one = completion(tokenizer, [1], ids, None, (), frozenset(), marks)
    assert one.text == text
    assert grade("number", "en", "4", one.text, finish_reason="length").status == status
