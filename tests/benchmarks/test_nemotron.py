"""Nemotron's rows as questions: boxed answers with their braces, options out of the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, revision
from tasks.benchmarks.prompts import ask
from tasks.errors import BadInput
from tests.benchmarks.written import jsonl, parquet

LISTED = "Which gas do plants take in?\n\nA) oxygen\nB) carbon dioxide\nC) neon\nD) argon"
PROBLEM = "What is the area of a circle of radius 2?"


def row(uuid: str, question: str, answer: str, category: str = "stem") -> dict[str, Any]:
    return {
        "uuid": uuid, "license": "cc-by-4.0", "generator": "a model", "version": "v2",
        "category": category, "reasoning": "off",
        "messages": [
            {"role": "system", "content": ""},
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ],
    }  # fmt: skip


def written(folder: Path, category: str, *rows: dict[str, Any]) -> str:
    (folder / "data").mkdir(exist_ok=True)
    name = f"{category}-00000-of-00002.parquet"
    (folder / "data" / name).write_bytes(parquet(rows))
    return folder.as_uri()


@pytest.mark.parametrize("answer", ["B", "(B)", "B.", "\\text{B}", "B) carbon dioxide"])
def test_options_and_key_are_read_out_of_the_texts(tmp_path: Path, answer: str) -> None:
    said = f"Plants need carbon. \\boxed{{{answer}}}"
    loaded = load_items("nemotron-stem", written(tmp_path, "stem", row("u1", LISTED, said)), "en")
    [item] = loaded.items.to_pylist()
    assert item["item_id"] == "nemotron-u1"
    assert item["question"] == "Which gas do plants take in?"
    assert item["options"] == ["oxygen", "carbon dioxide", "neon", "argon"]
    assert (item["gold"], item["source_language"], item["parallel"]) == (["B"], None, False)
    assert ask("nemotron-stem", loaded.items, "en", form="chat", few_shot=3, samples=1, seed=0)


@pytest.mark.parametrize(
    "text",
    [
        "Which?\nA. one\nB. two\nC. three\nD. four",
        "Which?\n(A) one\n(B) two\n(C) three\n(D) four",
        "Which?\nA: one\nB: two\nC: three\nD: four",
        "Plan A. is out.\nA. was wrong.\nWhich?\nA) one\nB) two\nC) three\nD) four",
    ],
)
def test_options_are_labelled_in_several_ways(tmp_path: Path, text: str) -> None:
    source = written(tmp_path, "stem", row("u1", text, "\\boxed{D}"))
    [item] = load_items("nemotron-stem", source, "en").items.to_pylist()
    assert item["options"] == ["one", "two", "three", "four"]
    assert item["question"].endswith("Which?")


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        (LISTED, "It is B.", "there is no boxed answer"),
        (LISTED, "\\boxed{E}", "the boxed answer 'E' is no letter of its 4 options"),
        (LISTED, "\\boxed{carbon}", "the boxed answer 'carbon' is no letter of its 4 options"),
        (PROBLEM, "\\boxed{B}", "its question has no options"),
        ("Which?\nA) one\nC) three", "\\boxed{A}", "its question has no options"),
        (LISTED, "\\boxed{B", "there is no boxed answer"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_reason(
    tmp_path: Path, question: str, answer: str, reason: str
) -> None:
    source = written(tmp_path, "stem", row("u1", question, answer), row("u2", LISTED, "\\boxed{A}"))
    loaded = load_items("nemotron-stem", source, "en")
    assert loaded.refused == [("nemotron-u1", reason)]
    assert loaded.items["item_id"].to_pylist() == ["nemotron-u2"]


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("First \\boxed{3}, then \\boxed{4\\pi}.", "4\\pi"),
        ("\\boxed{\\frac{\\sqrt{3}}{2}}", "\\frac{\\sqrt{3}}{2}"),
        ("\\boxed{\\left\\{ x \\mid x > 2 \\right\\}}", "\\left\\{ x \\mid x > 2 \\right\\}"),
        ("So $\\boxed{ 1{,}234 }$ it is", "1{,}234"),
        ("\\boxed{\\text{no solution}}", "\\text{no solution}"),
    ],
)
def test_boxes_are_read_with_their_braces(tmp_path: Path, answer: str, gold: str) -> None:
    source = written(tmp_path, "math", row("u1", PROBLEM, answer, "math"))
    loaded = load_items("nemotron-math", source, "en")
    assert loaded.refused == []
    assert loaded.items["gold"].to_pylist() == [[gold]]
    assert ask("nemotron-math", loaded.items, "en", form="chat", few_shot=2, samples=1, seed=0)


def test_the_first_turn_of_the_user_is_the_question_and_the_last_answer_counts(
    tmp_path: Path,
) -> None:
    talk = row("u1", PROBLEM, "\\boxed{12}", "math")
    talk["messages"] += [
        {"role": "user", "content": "Sure?"},
        {"role": "assistant", "content": "\\boxed{4\\pi}"},
    ]
    (tmp_path / "math.jsonl").write_bytes(jsonl([talk]))
    [item] = load_items("nemotron-math", tmp_path.as_uri(), "en").items.to_pylist()
    assert (item["question"], item["gold"]) == (PROBLEM, ["4\\pi"])


def test_a_bucket_reads_like_a_folder(store: Store, tmp_path: Path) -> None:
    local = written(tmp_path, "math", row("u1", PROBLEM, "\\boxed{4\\pi}", "math"))
    path = "data/math-00000-of-00002.parquet"
    store.put(path, (tmp_path / path).read_bytes())
    assert revision("nemotron-math", store.uri) == revision("nemotron-math", local)
    assert load_items("nemotron-math", store.uri, "en").items.num_rows == 1


def test_a_chat_row_is_a_request_and_the_first_reply_without_its_thought(tmp_path: Path) -> None:
    talk = row("u1", "Write a line on rain.", "<think>short</think>\n\nRain falls.", "chat")
    talk["messages"] += [
        {"role": "user", "content": "Another."},
        {"role": "assistant", "content": "Rain again."},
    ]
    empty = row("u2", "Say nothing.", "<think>nothing</think>", "chat")
    loaded = load_items("nemotron-chat", written(tmp_path, "chat", talk, empty), "en")
    assert loaded.refused == [("nemotron-u2", "there is no reply")]
    [item] = loaded.items.to_pylist()
    assert (item["kind"], item["gold"]) == ("judge", ["Rain falls."])
    [asked] = ask("nemotron-chat", loaded.items, "en", form="chat", few_shot=3, samples=1, seed=0)
    assert asked.prompt.messages == ({"role": "user", "content": "Write a line on rain."},)
    with pytest.raises(BadInput, match="requests of a chat; set form: chat"):
        ask("nemotron-chat", loaded.items, "en", form="completion", few_shot=0, samples=1, seed=0)
