"""MMLU-ProX: up to ten options that may be missing, in rows of our own in the published shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import BENCHMARKS, load_items, revision
from tasks.benchmarks.mmlu_prox import LANGUAGES
from tasks.benchmarks.prompts import ask
from tasks.errors import BadInput
from tests.benchmarks.written import parquet, prox_row

TEN = [f"number {n}" for n in range(10)]
ZEHN = [f"Zahl {n}" for n in range(10)]


def written(folder: Path, **languages: Sequence[dict[str, Any]]) -> str:
    for code, rows in languages.items():
        (folder / code).mkdir(exist_ok=True)
        (folder / code / "test-00000-of-00001.parquet").write_bytes(parquet(rows))
    return folder.as_uri()


@pytest.mark.parametrize("name", ["mmlu-prox", "mmlu-prox-lite"])
def test_rows_become_items_with_as_many_options_as_they_have(tmp_path: Path, name: str) -> None:
    rows = [prox_row(7, "Which?", TEN, "J"), prox_row(9, "And which?", TEN[:3], "B")]
    source = written(tmp_path, en=rows)
    loaded = load_items(name, source, "en")
    first, second = loaded.items.to_pylist()
    assert loaded.refused == []
    assert (first["item_id"], second["item_id"]) == ("mmlu-prox-7", "mmlu-prox-9")
    assert (first["options"], first["gold"]) == (TEN, ["J"])
    assert (second["options"], second["gold"]) == (TEN[:3], ["B"])
    assert (first["source_language"], first["parallel"], first["cluster"]) == ("en", True, None)
    assert len(ask(name, loaded.items, "en", form="chat", few_shot=3, samples=2, seed=0)) == 4


@pytest.mark.parametrize("padding", [None, "", "N/A"])
def test_padding_behind_the_last_option_is_none(tmp_path: Path, padding: str | None) -> None:
    english = prox_row(1, "Which?", [*TEN[:4], padding, padding], "C")
    german = prox_row(1, "Welche?", [*ZEHN[:4], "entfällt", None], "C")
    source = written(tmp_path, en=[english], de=[german])
    options = {
        code: load_items("mmlu-prox", source, code).items["options"] for code in ("en", "de")
    }
    assert options["en"].to_pylist() == [TEN[:4]]
    assert options["de"].to_pylist() == [ZEHN[:4]]  # as many as in English, whatever is written


def test_a_key_that_is_not_applicable_is_an_option(tmp_path: Path) -> None:
    source = written(tmp_path, en=[prox_row(1, "Which?", [*TEN[:4], "N/A", "N/A"], "E")])
    [row] = load_items("mmlu-prox", source, "en").items.to_pylist()
    assert row["options"] == [*TEN[:4], "N/A"]


def test_a_missing_option_between_others_refuses_the_item_in_that_language(tmp_path: Path) -> None:
    german = [*ZEHN[:8], None, ZEHN[9]]
    source = written(
        tmp_path,
        en=[prox_row(1, "Which?", TEN, "A"), prox_row(2, "What?", TEN, "B")],
        de=[prox_row(1, "Welche?", german, "A"), prox_row(2, "Was?", ZEHN, "B")],
    )
    loaded = load_items("mmlu-prox", source, "de")
    assert loaded.refused == [("mmlu-prox-1", "option I is missing")]
    assert loaded.items["item_id"].to_pylist() == ["mmlu-prox-2"]


def test_a_key_beyond_the_options_refuses_the_item(tmp_path: Path) -> None:
    source = written(tmp_path, en=[prox_row(1, "Which?", TEN[:3], "D")])
    [(_, reason)] = load_items("mmlu-prox", source, "en").refused
    assert reason == "option D is missing"


def test_keys_that_differ_from_english_and_options_that_do_not_differ_are_flagged(
    tmp_path: Path,
) -> None:
    source = written(
        tmp_path,
        en=[prox_row(1, "Which?", TEN, "A"), prox_row(2, "What?", TEN, "B")],
        de=[
            prox_row(1, "Welche?", ZEHN, "C"),
            prox_row(2, "Was?", ["x", "y", "x", *ZEHN[3:]], "B"),
        ],
    )
    flags = load_items("mmlu-prox", source, "de").items["flags"].to_pylist()
    assert flags == [["key is not the English item's"], ["two options are the same"]]
    assert load_items("mmlu-prox", source, "en").items["flags"].to_pylist() == [[], []]


def test_an_id_that_comes_twice_is_refused_the_second_time(tmp_path: Path) -> None:
    source = written(tmp_path, en=[prox_row(1, "Which?", TEN, "A"), prox_row(1, "What?", TEN, "B")])
    loaded = load_items("mmlu-prox", source, "en")
    assert loaded.items["question"].to_pylist() == ["Which?"]
    assert loaded.refused == [("mmlu-prox-1", "its id is that of an earlier item")]


def test_a_question_that_is_not_there_is_refused(tmp_path: Path) -> None:
    source = written(tmp_path, en=[prox_row(1, " ", TEN, "A")])
    assert load_items("mmlu-prox", source, "en").refused == [
        ("mmlu-prox-1", "there is no question")
    ]


def test_shards_of_two_text_types_are_one_table(tmp_path: Path) -> None:
    rows = [prox_row(n, f"Question {n}?", TEN, "A") for n in range(4)]
    small = pa.Table.from_pylist(rows[:2]).schema
    large = pa.schema(
        [pa.field(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in small]
    )
    (tmp_path / "en").mkdir()
    for at, schema in enumerate((small, large)):
        name = f"test-0000{at}-of-00002.parquet"
        (tmp_path / "en" / name).write_bytes(parquet(rows[2 * at : 2 * at + 2], schema))
    questions = load_items("mmlu-prox", tmp_path.as_uri(), "en").items["question"].to_pylist()
    assert questions == [row["question"] for row in rows]


def test_a_column_that_is_missing_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    file = tmp_path / "en" / "test-00000-of-00001.parquet"
    file.write_bytes(parquet([{"question_id": 1, "prompt": "Which?"}]))
    with pytest.raises(BadInput, match=r"row 1, has no 'option_0' \(it has question_id, prompt\)"):
        load_items("mmlu-prox", tmp_path.as_uri(), "en")


def test_what_is_no_parquet_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "test-00000-of-00001.parquet").write_bytes(b"version https://git-lfs\n")
    with pytest.raises(
        BadInput, match=r"en/test-00000-of-00001\.parquet cannot be read as Parquet"
    ):
        load_items("mmlu-prox", tmp_path.as_uri(), "en")


def test_a_language_without_files_lists_those_that_have_some(tmp_path: Path) -> None:
    source = written(
        tmp_path, en=[prox_row(1, "Which?", TEN, "A")], zu=[prox_row(1, "?", TEN, "A")]
    )
    with pytest.raises(BadInput, match=r"no de/test-\*\.parquet; it has files for en, zu"):
        load_items("mmlu-prox", source, "de")


def test_the_package_says_where_it_is_published() -> None:
    with pytest.raises(BadInput, match="published as hf://datasets/li-lab/MMLU-ProX-Lite"):
        load_items("mmlu-prox-lite", "bundled", "en")


@pytest.mark.parametrize("code", LANGUAGES)
def test_examples_are_the_same_questions_in_every_language(code: str) -> None:
    ids = [one.item_id for one in BENCHMARKS["mmlu-prox"].examples(code)]
    assert ids == [one.item_id for one in BENCHMARKS["mmlu-prox"].examples("en")]
    assert len(ids) == 3


def test_a_folder_in_either_store_gives_the_same_items_and_revision(
    store: Store, tmp_path: Path
) -> None:
    rows = {"en": [prox_row(1, "Which?", TEN, "A")], "ko": [prox_row(1, "무엇?", TEN, "A")]}
    local = written(tmp_path, **rows)
    for code in rows:
        path = f"{code}/test-00000-of-00001.parquet"
        store.put(f"prox/{path}", (tmp_path / path).read_bytes())
    there = f"{store.uri}/prox"
    assert load_items("mmlu-prox", there, "ko").items.equals(
        load_items("mmlu-prox", local, "ko").items
    )
    assert revision("mmlu-prox", there) == revision("mmlu-prox", local)
