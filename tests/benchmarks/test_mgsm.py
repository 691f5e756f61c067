"""MGSM's TSV files: rows of our own in their shape, and the published ones where they lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.benchmarks import BENCHMARKS, load_items, revision
from tasks.benchmarks.mgsm import LANGUAGES
from tasks.errors import BadInput

SHARED = Path(__file__).parents[3] / "shared" / "data"
PUBLISHED = SHARED / "mgsm"
REPLACED = SHARED / "mgsm_rev2" / "replaced_questions.json"


def folder_with(folder: Path, **files: str) -> str:
    for code, text in files.items():
        (folder / f"mgsm_{code}.tsv").write_bytes(text.encode())
    return folder.as_uri()


def test_rows_become_items_numbered_by_line(tmp_path: Path) -> None:
    source = folder_with(tmp_path, de="Was ist 2 und 3?\t5\nWas ist 4 und 4?\t8\n")
    rows = load_items("mgsm", source, "de").items.to_pylist()
    assert [row["item_id"] for row in rows] == ["mgsm-000", "mgsm-001"]
    assert [row["gold"] for row in rows] == [["5"], ["8"]]
    assert {(row["source_language"], row["parallel"]) for row in rows} == {("en", True)}


def test_an_unbalanced_quote_joins_no_rows(tmp_path: Path) -> None:
    source = folder_with(tmp_path, ja='"2たす3は何ですか。\t5\n4たす4は何ですか。\t8\n')
    questions = load_items("mgsm", source, "ja").items["question"].to_pylist()
    assert questions == ['"2たす3は何ですか。', "4たす4は何ですか。"]


def test_carriage_returns_are_no_part_of_an_answer(tmp_path: Path) -> None:
    source = folder_with(tmp_path, fr="Combien font 2 et 3 ?\t5\r\nCombien font 4 et 4 ?\t8\r\n")
    assert load_items("mgsm", source, "fr").items["gold"].to_pylist() == [["5"], ["8"]]


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\u00a0", "\u3000"])
def test_only_line_feeds_end_a_row(tmp_path: Path, character: str) -> None:
    source = folder_with(tmp_path, en=f"What is{character}2 and 3?\t5\n")
    questions = load_items("mgsm", source, "en").items["question"].to_pylist()
    assert questions == [f"What is{character}2 and 3?"]


def test_english_commas_in_answers_are_accepted_in_every_language(tmp_path: Path) -> None:
    source = folder_with(tmp_path, **{code: "12 x 100 ?\t1,200\n" for code in LANGUAGES})
    for code in LANGUAGES:
        loaded = load_items("mgsm", source, code)
        assert (loaded.items.num_rows, loaded.refused) == (1, []), code


def test_an_answer_that_is_no_number_is_refused_with_its_reason(tmp_path: Path) -> None:
    source = folder_with(tmp_path, en="What is 2 and 3?\tfive\nWhat is 4 and 4?\t8\n")
    loaded = load_items("mgsm", source, "en")
    assert loaded.items["item_id"].to_pylist() == ["mgsm-001"]
    [(item_id, reason)] = loaded.refused
    assert item_id == "mgsm-000" and reason


def test_the_limit_counts_published_rows_not_accepted_ones(tmp_path: Path) -> None:
    source = folder_with(tmp_path, en="A?\tfive\nB?\t8\nC?\t9\n")
    assert load_items("mgsm", source, "en", 2).items["item_id"].to_pylist() == ["mgsm-001"]


@pytest.mark.parametrize("line", ["no tab 5", "", "\t5", "a question\t", "a\tb\t5"])
def test_a_malformed_row_is_named(tmp_path: Path, line: str) -> None:
    source = folder_with(tmp_path, en=f"What is 2 and 3?\t5\n{line}\nWhat is 4 and 4?\t8\n")
    with pytest.raises(BadInput, match=r"mgsm_en\.tsv, line 2, must be a question"):
        load_items("mgsm", source, "en")


def test_bytes_that_are_not_utf_8_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "mgsm_es.tsv").write_bytes(b"2 y 3?\t5\n\xbfCu\xe1nto?\t8\n")
    with pytest.raises(BadInput, match=r"mgsm_es\.tsv, line 2, is not UTF-8"):
        load_items("mgsm", tmp_path.as_uri(), "es")


def test_a_language_without_a_file_lists_those_that_have_one(tmp_path: Path) -> None:
    source = folder_with(tmp_path, en="A?\t1\n", zh="B?\t1\n")
    with pytest.raises(BadInput, match=r"no mgsm_de\.tsv; it has files for en, zh"):
        load_items("mgsm", source, "de")


def test_a_folder_without_files_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no mgsm_<language>"):
        revision("mgsm", (tmp_path / "none").as_uri())


def test_the_package_does_not_come_with_mgsm() -> None:
    with pytest.raises(BadInput, match="does not come with the package"):
        load_items("mgsm", "bundled", "en")


def test_the_revision_covers_all_languages_and_not_the_place(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        folder_with(folder, en="A?\t1\n", de="B?\t1\n")
    before = revision("mgsm", one.as_uri())
    assert revision("mgsm", two.as_uri()) == before
    folder_with(two, de="B?\t2\n")
    assert revision("mgsm", two.as_uri()) != before


def test_items_that_the_second_edition_replaced_are_flagged_in_the_first(tmp_path: Path) -> None:
    lines = "".join(f"What is {n} and 0?\t{n}\n" for n in range(1, 251))
    source = folder_with(tmp_path, en=lines, de=lines)
    flagged = {
        code: [
            row["item_id"]
            for row in load_items("mgsm", source, code).items.to_pylist()
            if row["flags"] == ["replaced in MGSM-Rev2"]
        ]
        for code in ("en", "de")
    }
    assert [len(flagged["en"]), len(flagged["de"])] == [22, 35]
    assert flagged["en"][:2] == ["mgsm-002", "mgsm-012"]  # lines 3 and 13
    assert set(flagged["en"]) < set(flagged["de"])  # what is wrong in English is so everywhere
    second = load_items("mgsm-rev2", source, "de").items
    assert set(map(tuple, second["flags"].to_pylist())) == {()}
    assert (
        second["item_id"].to_pylist()
        == load_items("mgsm", source, "de").items["item_id"].to_pylist()
    )
    assert revision("mgsm", source) != revision("mgsm-rev2", source)


@pytest.mark.parametrize("code", LANGUAGES)
def test_examples_are_the_same_problems_in_every_language(code: str) -> None:
    examples = BENCHMARKS["mgsm"].examples(code)
    english = BENCHMARKS["mgsm"].examples("en")
    assert [one.item_id for one in examples] == [one.item_id for one in english]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published files are not on this machine")
def test_the_published_files_are_complete_and_agree() -> None:
    loaded = {code: load_items("mgsm", PUBLISHED.as_uri(), code) for code in LANGUAGES}
    assert {(one.items.num_rows, len(one.refused)) for one in loaded.values()} == {(250, 0)}
    golds = {str(one.items["gold"].to_pylist()) for one in loaded.values()}
    assert len(golds) == 1


@pytest.mark.skipif(not REPLACED.is_file(), reason="the published list is not on this machine")
def test_the_bundled_line_numbers_are_the_published_ones(tmp_path: Path) -> None:
    lines = "".join(f"What is {n} and 0?\t{n}\n" for n in range(1, 251))
    source = folder_with(tmp_path, **dict.fromkeys(LANGUAGES, lines))
    for code, published in json.loads(REPLACED.read_text()).items():
        flags = load_items("mgsm", source, code).items["flags"].to_pylist()
        assert [n for n, flag in enumerate(flags, start=1) if flag] == published, code
