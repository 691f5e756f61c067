from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tasks.errors import BadInput
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.tokens import encode_prompt
from tasks.models.transformers_engine import TransformersEngine, choose

TEXTS = ("short", "a somewhat longer prompt", "日本語", "short", "x" * 80)
PROMPTS = [Prompt(text=text, seed=100 + number) for number, text in enumerate(TEXTS)]
SAMPLING = Sampling(n=3, max_tokens=12, top1=True)


@pytest.fixture(scope="module")
def engine(tiny_folder: Path) -> TransformersEngine:
    return TransformersEngine(tiny_folder, "float32", "cpu")


def forward(engine: TransformersEngine, prompt: Prompt, drawn: Completion) -> torch.Tensor:
    """Log-probabilities at each drawn token, from one plain forward of prompt and completion."""
    prompt_ids = encode_prompt(engine.tokenizer, prompt)
    ids = torch.tensor([[*prompt_ids, *drawn.token_ids]])
    with torch.inference_mode():
        logits = engine.model(ids).logits[0, len(prompt_ids) - 1 : -1]
    return logits.log_softmax(dim=-1)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_top1_is_the_raw_log_probability_of_the_likeliest_token(
    engine: TransformersEngine, temperature: float
) -> None:
    sampling = replace(SAMPLING, temperature=temperature, top_p=0.9)
    for prompt, samples in zip(PROMPTS, engine.complete(PROMPTS, sampling, 0), strict=True):
        for drawn in samples:
            assert drawn.top1 is not None and len(drawn.top1) == len(drawn.token_ids)
            wanted = forward(engine, prompt, drawn).amax(dim=-1)
            assert drawn.top1 == pytest.approx(wanted.tolist(), abs=1e-3)


def test_greedy_takes_the_likeliest_token_each_time(engine: TransformersEngine) -> None:
    sampling = Sampling(n=2, max_tokens=12, temperature=0)
    for prompt, (one, other) in zip(PROMPTS, engine.complete(PROMPTS, sampling, 0), strict=True):
        assert list(one.token_ids) == forward(engine, prompt, one).argmax(dim=-1).tolist()
        assert one == other


@pytest.mark.parametrize("batch_tokens", [1, 200])
def test_what_is_drawn_depends_on_the_prompt_and_its_seed_alone(
    tiny_folder: Path, engine: TransformersEngine, batch_tokens: int
) -> None:
    small = TransformersEngine(tiny_folder, "float32", "cpu", batch_tokens=batch_tokens)
    whole = [[one.token_ids for one in row] for row in engine.complete(PROMPTS, SAMPLING, 1)]
    back = small.complete(PROMPTS[::-1], SAMPLING, 2)[::-1]
    assert [[one.token_ids for one in row] for row in back] == whole


def test_samples_differ_and_so_do_equal_prompts_of_equal_seed(engine: TransformersEngine) -> None:
    rows = engine.complete([PROMPTS[0], PROMPTS[0]], SAMPLING, 0)
    assert len({one.token_ids for row in rows for one in row}) == 6


def test_a_stop_string_ends_the_text_before_it(engine: TransformersEngine) -> None:
    [[free]] = engine.complete(PROMPTS[:1], Sampling(max_tokens=30), 0)
    stop = free.text[5:7]
    [[cut]] = engine.complete(PROMPTS[:1], Sampling(max_tokens=30, stop=("never", stop)), 0)
    assert cut.text == free.text.partition(stop)[0] and cut.finish_reason == "stop"
    assert cut.token_ids == free.token_ids[: len(cut.token_ids)]
    assert len(cut.token_ids) < cut.completion_tokens < 30


def test_an_end_token_ends_a_row_and_is_not_kept(engine: TransformersEngine) -> None:
    many = Sampling(n=200, max_tokens=40)
    [drawn] = engine.complete(PROMPTS[:1], many, 0)
    ended = [one for one in drawn if one.finish_reason == "stop"]
    assert ended and len(ended) < len(drawn)
    for one in drawn:
        assert engine.tokenizer.eos_token_id not in one.token_ids
        assert one.completion_tokens == len(one.token_ids) + (one.finish_reason == "stop")
        assert one.completion_tokens == 40 or one.finish_reason == "stop"


def test_an_equal_prompt_is_computed_once(engine: TransformersEngine) -> None:
    widths: list[tuple[int, int]] = []
    hook = engine.model.model.embed_tokens.register_forward_hook(
        lambda _module, ids, _out: widths.append(tuple(ids[0].shape))
    )
    engine.complete([PROMPTS[0], replace(PROMPTS[3], seed=9)], Sampling(n=4, max_tokens=2), 0)
    hook.remove()
    assert widths == [(1, 6), (8, 1)]


def test_a_prompt_that_leaves_no_room_is_refused(tiny_folder: Path) -> None:
    small = TransformersEngine(tiny_folder, "float32", "cpu", max_model_len=20)
    with pytest.raises(BadInput, match="leaves no room"):
        small.complete(PROMPTS, Sampling(max_tokens=4), 0)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_drawn_as_often_as_their_probability_says(temperature: float) -> None:
    logits = torch.tensor([0.0, 2.0, -1.0, 1.0, -30.0, 0.5])
    uniforms = torch.from_numpy(np.random.default_rng(3).random(20_000, dtype=np.float32))
    drawn = choose(logits.expand(20_000, -1), uniforms, temperature, top_p=1.0)
    shares = torch.bincount(drawn, minlength=6) / 20_000
    assert shares.tolist() == pytest.approx((logits / temperature).softmax(-1).tolist(), abs=0.01)


def test_top_p_keeps_the_fewest_tokens_that_reach_it() -> None:
    shares = torch.tensor([0.05, 0.5, 0.15, 0.3])
    uniforms = torch.linspace(0, 0.9999, 1000)
    drawn = choose(shares.log().expand(1000, -1), uniforms, 1.0, top_p=0.7)
    counts = torch.bincount(drawn, minlength=4) / 1000
    assert counts.tolist() == pytest.approx([0, 0.5 / 0.8, 0, 0.3 / 0.8], abs=0.005)


def test_top_p_finds_flat_distributions_in_a_large_vocabulary() -> None:
    uniforms = torch.linspace(0, 0.9999, 2000)
    drawn = choose(torch.zeros(2000, 5000), uniforms, 1.0, top_p=0.9)
    assert 1500 < len(drawn.unique()) <= 2000


def test_the_last_possible_token_is_the_last_that_is_drawn() -> None:
    logits = torch.tensor([[1.0, 1.0, -torch.inf, -torch.inf]])
    assert choose(logits, torch.tensor([1 - 2**-24]), 1.0, 1.0).item() == 1
    assert choose(logits, torch.tensor([0.0]), 1.0, 1.0).item() == 0


def test_gemma_knows_capitals_in_five_languages(gemma_folder: Path) -> None:
    engine = TransformersEngine(gemma_folder, "bfloat16", "cpu")
    asked = {
        "Spain: Madrid\nItaly: Rome\nFrance:": "Paris",
        "Espagne : Madrid\nItalie : Rome\nAllemagne :": "Berlin",
        "España: Madrid\nFrancia: París\nItalia:": "Roma",
        "Испания: Мадрид\nФранция: Париж\nРоссия:": "Москва",
        "スペイン：マドリード\nフランス：パリ\n日本：": "東京",
    }
    prompts = [Prompt(text=text) for text in asked]
    sampling = Sampling(max_tokens=8, temperature=0, stop=("\n",))
    drawn = engine.complete(prompts, sampling, 0)
    engine.close()
    assert [one.text.strip() for [one] in drawn] == list(asked.values())
