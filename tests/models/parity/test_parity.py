"""Answers that lm-evaluation-harness drew and graded: ours reads them alike, and draws the same."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tasks.benchmarks import load_items
from tasks.benchmarks.prompts import ask, stops
from tasks.grading import grade
from tasks.models.engine import Sampling
from tasks.models.tokens import encode_prompt
from tasks.models.transformers_engine import TransformersEngine

ITEMS, SHOTS, SEED, MAX_TOKENS = 20, 3, 0, 16  # those of record.py
ANSWERS = Path(__file__).with_name("answers.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
STOPS = stops("completion")
SCRIPTS = {"en", "ar", "ja"}  # the others are as many seconds each
CODES = [
    pytest.param(code, marks=() if code in SCRIPTS else pytest.mark.long)
    for code in sorted({row["language"] for row in ROWS})
]

# The tool compares articles as words of the answer ("the fox" is wrong where the gold is "fox");
# span answers are compared without them, as SQuAD and XQuAD do.
ARTICLES = {
    "en": ("hops-05", "hops-09", "hops-10"),
    "fr": ("hops-04", "hops-06", "hops-09", "hops-10", "hops-14", "hops-19"),
    "es": ("hops-07", "hops-09", "hops-10", "hops-11"),
    "ar": ("hops-05",),
    "pt": ("hops-07",),
    "it": ("hops-10",),
    "de": ("hops-09",),
}
MISREAD = {("multihop", code, item) for code, items in ARTICLES.items() for item in items}


def regraded(row: dict[str, Any]) -> bool:
    found = grade(
        row["kind"], row["language"], row["gold"], row["text"],
        options=row.get("options"), stop=STOPS,
    )  # fmt: skip
    return found.score == 1.0


def test_both_verdicts_were_recorded_often_enough() -> None:
    verdicts = Counter(row["right"] for row in ROWS)
    assert verdicts[True] >= 30 and verdicts[False] >= 30


def test_verdicts_agree_but_where_the_other_tool_reads_wrongly() -> None:
    found = {
        (row["benchmark"], row["language"], row["item_id"])
        for row in ROWS
        if regraded(row) != row["right"]
    }
    assert found == MISREAD


@pytest.fixture(scope="module")
def engine(gemma_folder: Path) -> TransformersEngine:
    return TransformersEngine(gemma_folder, "float32", "cpu")


@pytest.mark.parametrize("code", CODES)
def test_greedy_answers_have_the_same_tokens(engine: TransformersEngine, code: str) -> None:
    recorded = [row for row in ROWS if (row["benchmark"], row["language"]) == ("facts", code)]
    items = load_items("facts", "bundled", code, ITEMS).items
    asked = ask("facts", items, code, form="completion", few_shot=SHOTS, samples=1, seed=SEED)
    assert [one.item_id for one in asked] == [row["item_id"] for row in recorded]
    prompts = [one.prompt for one in asked]
    for prompt, row in zip(prompts, recorded, strict=True):
        ids = encode_prompt(engine.tokenizer, prompt)
        assert (len(ids), _digest(ids)) == (row["prompt_tokens"], row["prompt_digest"])
    sampling = Sampling(max_tokens=MAX_TOKENS, temperature=0, stop=STOPS)
    for [drawn], row in zip(engine.complete(prompts, sampling, 0), recorded, strict=True):
        assert list(drawn.token_ids) == row["tokens"][: len(drawn.token_ids)]
        assert drawn.text == row["text"]


def _digest(ids: list[int]) -> str:
    return sha256(json.dumps(ids).encode()).hexdigest()[:16]
