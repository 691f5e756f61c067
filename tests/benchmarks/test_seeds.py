"""Seeds: the bundled ones, and files of one's own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.artifacts.schemas import SEEDS
from tasks.benchmarks import load_seeds, seeds_revision
from tasks.errors import BadInput
from tasks.text import identify_language

ROW = {
    "seed_id": "s1",
    "domain": "math",
    "question": "What is 6 times 7?",
    "reasoning": "Six sevens are 42.",
    "answer": "42",
}


def written(folder: Path, rows: list[object], name: str = "seeds.jsonl") -> str:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file.as_uri()


def test_bundled_seeds_cover_three_domains() -> None:
    seeds = load_seeds()
    assert seeds.schema == SEEDS
    assert seeds.num_rows >= 36
    assert set(Counter(seeds["domain"].to_pylist())) == {"stem", "math", "chat"}
    assert min(Counter(seeds["domain"].to_pylist()).values()) >= 12


def test_bundled_seeds_are_english_and_different() -> None:
    questions = load_seeds()["question"].to_pylist()
    assert len(set(questions)) == len(questions)
    assert {identify_language(question) for question in questions} == {"en"}


def test_jsonl_and_parquet_of_the_same_rows_are_the_same_table(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"seed_id": "s2", "note": "not a column of seeds"}]
    lines = written(tmp_path, rows)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "seeds.parquet")
    assert load_seeds((tmp_path / "seeds.parquet").as_uri()).equals(load_seeds(lines))


def test_large_strings_become_strings(tmp_path: Path) -> None:
    large = pa.schema([(name, pa.large_string()) for name in SEEDS.names])
    pq.write_table(pa.Table.from_pylist([ROW], large), tmp_path / "seeds.parquet")
    assert load_seeds((tmp_path / "seeds.parquet").as_uri()).schema == SEEDS


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{k: v for k, v in ROW.items() if k != "answer"}], "line 1, has no text under 'answer'"),
        ([ROW, ["a list"]], "line 2, has no text"),
        ([ROW | {"reasoning": " "}], "row 1, has an empty 'reasoning'"),
        ([ROW | {"domain": "law"}], "'law'; write one of stem, math, chat"),
        ([ROW, ROW], "row 2, repeats the seed_id 's1'"),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, rows: list[object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        load_seeds(written(tmp_path, rows))


def test_a_parquet_file_without_a_column_names_it(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([ROW]).drop_columns("reasoning")
    pq.write_table(table, tmp_path / "seeds.parquet")
    with pytest.raises(BadInput, match="no column 'reasoning'"):
        load_seeds((tmp_path / "seeds.parquet").as_uri())


def test_what_is_no_parquet_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read as a table of seeds"):
        load_seeds(written(tmp_path, [ROW], "seeds.parquet"))


@pytest.mark.parametrize("source", ["seeds.csv", "/somewhere/seeds.jsonl"])
def test_a_source_of_another_kind_is_refused(source: str) -> None:
    with pytest.raises(BadInput, match=r"URI|a file"):
        load_seeds(source)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no seeds at"):
        load_seeds((tmp_path / "none.jsonl").as_uri())


def test_the_revision_follows_the_bytes_not_the_place(tmp_path: Path) -> None:
    first, second = written(tmp_path, [ROW], "a.jsonl"), written(tmp_path, [ROW], "b.jsonl")
    assert seeds_revision(first) == seeds_revision(second)
    before = seeds_revision(second)
    written(tmp_path, [ROW | {"answer": "forty-two"}], "b.jsonl")
    assert seeds_revision(second) != before
