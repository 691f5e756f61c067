"""OPUS-100 into English, from Parquet or from parallel lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, revision
from tasks.benchmarks.opus import LANGUAGES
from tasks.errors import BadInput
from tests.benchmarks.written import parquet

NTREX = Path(__file__).parents[3] / "shared" / "data" / "ntrex"
PAIRS = [("Es regnet.", "It is raining."), ("- Komm!", "- Come on!")]


def as_parquet(folder: Path, code: str, pairs: list[tuple[str, str]]) -> str:
    pair = "-".join(sorted((code, "en")))
    (folder / pair).mkdir(parents=True)
    rows = [{"translation": {code: text, "en": english}} for text, english in pairs]
    (folder / pair / "test-00000-of-00001.parquet").write_bytes(parquet(rows))
    return folder.as_uri()


@pytest.mark.parametrize("code", LANGUAGES)
def test_pairs_are_translated_into_english(tmp_path: Path, code: str) -> None:
    loaded = load_items("opus-100", as_parquet(tmp_path, code, PAIRS), code)
    assert loaded.refused == []
    rows = loaded.items.to_pylist()
    assert [(row["question"], row["gold"][0]) for row in rows] == PAIRS
    assert {(row["parallel"], row["source_language"]) for row in rows} == {(False, None)}


def test_plain_files_are_parallel_by_line(tmp_path: Path) -> None:
    (tmp_path / "opus.de-en-test.de").write_bytes("Es\u2028regnet.\r\n- Komm!\r\n".encode())
    (tmp_path / "opus.de-en-test.en").write_text("It is raining.\n- Come on!\n")
    rows = load_items("opus-100", tmp_path.as_uri(), "de").items.to_pylist()
    assert [row["question"] for row in rows] == ["Es\u2028regnet.", "- Komm!"]
    assert [row["gold"] for row in rows] == [["It is raining."], ["- Come on!"]]


def test_sides_of_different_lengths_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "opus.de-en-test.de").write_text("Es regnet.\n")
    (tmp_path / "opus.de-en-test.en").write_text("It is raining.\nCome on!\n")
    with pytest.raises(
        BadInput, match="has 1 lines, but its English side 2; they must be parallel"
    ):
        load_items("opus-100", tmp_path.as_uri(), "de")


def test_a_side_alone_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "opus.de-en-test.de").write_text("Es regnet.\n")
    with pytest.raises(BadInput, match=r"has no other side; give opus\.de-en-test\.de and \.en"):
        load_items("opus-100", tmp_path.as_uri(), "de")


def test_repeated_and_untranslated_pairs_are_flagged_and_empty_ones_refused(
    tmp_path: Path,
) -> None:
    pairs = [*PAIRS, PAIRS[0], ("OK", "OK"), ("Ja.", ""), ("", "Yes.")]
    loaded = load_items("opus-100", as_parquet(tmp_path, "de", pairs), "de")
    flags = loaded.items["flags"].to_pylist()
    assert flags == [[], [], ["repeats an earlier pair"], ["left in English"]]
    assert loaded.refused == [
        ("opus-100-0004", "there is no gold answer"),
        ("opus-100-0005", "there is no question"),
    ]


def test_a_bucket_reads_like_a_folder(store: Store, tmp_path: Path) -> None:
    local = as_parquet(tmp_path, "ja", PAIRS)
    path = "en-ja/test-00000-of-00001.parquet"
    store.put(path, (tmp_path / path).read_bytes())
    assert revision("opus-100", store.uri) == revision("opus-100", local)
    assert load_items("opus-100", store.uri, "ja").items.num_rows == 2


@pytest.mark.skipif(not NTREX.is_dir(), reason="the published files are not on this machine")
@pytest.mark.parametrize(
    ("code", "name"), [("de", "deu"), ("ru", "rus"), ("ja", "jpn"), ("zh", "zho-CN")]
)
def test_references_of_real_news_pass_their_grader(tmp_path: Path, code: str, name: str) -> None:
    pair = "-".join(sorted((code, "en")))
    for side, file in (("en", "src.eng"), (code, f"newstest2019-ref.{name}")):
        data = (NTREX / f"{file}.txt").read_bytes()
        (tmp_path / f"opus.{pair}-test.{side}").write_bytes(data)
    loaded = load_items("opus-100", tmp_path.as_uri(), code)
    assert (loaded.items.num_rows, loaded.refused) == (1997, [])
    assert not any(row["question"].endswith("\r") for row in loaded.items.to_pylist())
