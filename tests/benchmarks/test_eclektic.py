"""ECLeKTic: the source language is each question's own, and nothing is said beside the question."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import ANSWERS
from tasks.benchmarks import BENCHMARKS, load_items, revision
from tasks.benchmarks.eclektic import LANGUAGES
from tasks.benchmarks.prompts import ask
from tasks.errors import BadInput
from tasks.grading import check_gold
from tasks.models.simulated import pass_rate
from tests.benchmarks.graded import grade_table
from tests.benchmarks.written import eclektic_row, jsonl

LAKE = {
    "en": ("How deep is Lake Ester?", "40 metres"),
    "de": ("Wie tief ist der Estersee?", "40 Meter"),
    "ko": ("에스터 호수의 깊이는 얼마입니까?", "40미터"),
}
BRIDGE = {
    "en": ("Who built the Lumo bridge?", "Pia Rand"),
    "de": ("Wer baute die Lumobrücke?", "Pia Rand"),
    "ko": ("루모 다리는 누가 지었습니까?", "피아 란드"),
}


def written(folder: Path) -> str:
    rows = [eclektic_row(3, "de", LAKE), eclektic_row(8, "ko", BRIDGE)]
    (folder / "eclektic_main.jsonl").write_bytes(jsonl(rows))
    return folder.as_uri()


@pytest.mark.parametrize("code", LAKE)
def test_each_question_names_its_source_in_every_language(tmp_path: Path, code: str) -> None:
    loaded = load_items("eclektic", written(tmp_path), code)
    assert loaded.refused == []
    rows = loaded.items.to_pylist()
    assert [row["item_id"] for row in rows] == ["eclektic-3", "eclektic-8"]
    assert [row["source_language"] for row in rows] == ["de", "ko"]
    assert [row["question"] for row in rows] == [LAKE[code][0], BRIDGE[code][0]]
    assert [row["gold"] for row in rows] == [[LAKE[code][1]], [BRIDGE[code][1]]]
    assert [row["cluster"] for row in rows] == [
        f"https://example.org/{x}" for x in ("de/3", "ko/8")
    ]
    assert {row["parallel"] for row in rows} == {True}
    assert {tuple(row["context"]) for row in rows} == {()}


def test_a_played_model_knows_most_in_each_questions_own_source(tmp_path: Path) -> None:
    source = written(tmp_path)
    for code in ("de", "ko", "en"):
        items = load_items("eclektic", source, code).items
        asked = ask("eclektic", items, code, form="completion", few_shot=2, samples=1, seed=0)
        for one, origin in zip(asked, ("de", "ko"), strict=True):
            hint = one.prompt.hint
            assert hint is not None and hint.source_language == origin
            slope = 1 if code == origin else 0.5
            full = pass_rate("slope-0.5-mean-0.6", hint.key, origin, origin)
            rate = pass_rate("slope-0.5-mean-0.6", hint.key, code, hint.source_language)
            assert rate == pytest.approx(slope * full)


def test_grades_carry_the_source_of_their_item(tmp_path: Path) -> None:
    items = load_items("eclektic", written(tmp_path), "en").items
    answers = [
        {
            "benchmark": "eclektic", "item_id": item, "language": "en", "sample": 0, "seed": 0,
            "call_seed": 0, "order": None, "letters": None, "text": text, "finish_reason": "stop",
            "prompt_tokens": 1, "completion_tokens": 1, "reasoning_tokens": 0, "temperature": 1.0,
        }
        for item, text in [("eclektic-3", " forty"), ("eclektic-8", " Pia Rand.")]
    ]  # fmt: skip
    grades = grade_table("m", items, pa.Table.from_pylist(answers, ANSWERS), "en").to_pylist()
    assert [row["source_language"] for row in grades] == ["de", "ko"]
    assert [row["status"] for row in grades] == ["wrong", "right"]


def test_a_language_that_a_question_lacks_refuses_it(tmp_path: Path) -> None:
    row = eclektic_row(3, "de", LAKE) | {"ko_q": None, "ko_a": None}
    (tmp_path / "eclektic_main.jsonl").write_bytes(jsonl([row]))
    assert load_items("eclektic", tmp_path.as_uri(), "ko").refused == [
        ("eclektic-3", "there is no question")
    ]
    row |= {"ko_q": "깊이는?"}
    (tmp_path / "eclektic_main.jsonl").write_bytes(jsonl([row]))
    assert load_items("eclektic", tmp_path.as_uri(), "ko").refused == [
        ("eclektic-3", "there is no gold answer")
    ]


def test_an_unknown_source_language_is_bad_input(tmp_path: Path) -> None:
    row = eclektic_row(3, "de", LAKE) | {"original_lang": "German"}
    (tmp_path / "eclektic_main.jsonl").write_bytes(jsonl([row]))
    with pytest.raises(
        BadInput, match="row 1, has the original_lang 'German'; write one of de, en"
    ):
        load_items("eclektic", tmp_path.as_uri(), "en")


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "eclektic_main.jsonl").write_bytes(b'{"q_id": 1\n')
    with pytest.raises(BadInput, match=r"eclektic_main\.jsonl, line 1, is not JSON"):
        revision("eclektic", tmp_path.as_uri())
        load_items("eclektic", tmp_path.as_uri(), "en")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_examples_are_closed_book_questions_in_every_language(code: str) -> None:
    examples = BENCHMARKS["eclektic"].examples(code)
    assert len({one.question for one in examples}) == 3
    assert {one.context for one in examples} == {()}
    assert [one.item_id for one in examples] == [
        one.item_id for one in BENCHMARKS["eclektic"].examples("en")
    ]
    assert code == "en" or examples[0].question != BENCHMARKS["eclektic"].examples("en")[0].question
    assert [check_gold("span", code, one.gold) for one in examples] == [None] * 3
