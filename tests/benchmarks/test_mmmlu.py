"""MMMLU: aligned with English by subject and place, with the faults that are in the real files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, revision
from tasks.errors import BadInput
from tests.benchmarks.written import parquet

KEYS = {"anatomy": "ABCD", "virology": "DCBAD"}


def english(keys: Mapping[str, str] = KEYS) -> list[dict[str, Any]]:
    return [
        {
            "question": f"{subject} question {at}",
            "subject": subject,
            "choices": [f"{subject} {at} {option}" for option in "abcd"],
            "answer": "ABCD".index(key),
        }
        for subject, letters in keys.items()
        for at, key in enumerate(letters)
    ]


def german(keys: Mapping[str, str] = KEYS, suffix: str = "") -> list[dict[str, Any]]:
    return [
        {
            "Question": f"{subject} Frage {at}",
            **{letter: f"{subject} {at} {letter}" for letter in "ABCD"},
            "Answer": key,
            "Subject": f"{subject}{suffix}",
        }
        for subject, letters in keys.items()
        for at, key in enumerate(letters)
    ]


def csv_of(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """With the unnamed column of row numbers that the published files begin with."""
    out = io.StringIO()
    writer = csv.DictWriter(out, ["", *rows[0]])
    writer.writeheader()
    writer.writerows({"": at} | dict(row) for at, row in enumerate(rows))
    return out.getvalue().encode()


def written(folder: Path, original: Sequence[Any], translated: Sequence[Any], code: str) -> str:
    (folder / "all").mkdir(exist_ok=True)
    (folder / "test").mkdir(exist_ok=True)
    (folder / "all" / "test-00000-of-00001.parquet").write_bytes(parquet(list(original)))
    (folder / "test" / f"mmlu_{code}.csv").write_bytes(csv_of(translated))
    return folder.as_uri()


def test_rows_are_named_by_subject_and_place_in_every_language(tmp_path: Path) -> None:
    source = written(tmp_path, english(), german(), "DE-DE")
    there = {code: load_items("mmmlu", source, code) for code in ("en", "de")}
    ids = [there[code].items["item_id"].to_pylist() for code in there]
    assert ids[0] == ids[1]
    assert ids[0][0] == "mmmlu-anatomy-0000" and ids[0][-1] == "mmmlu-virology-0004"
    golds = [there[code].items["gold"].to_pylist() for code in there]
    assert golds[0] == golds[1] == [[key] for letters in KEYS.values() for key in letters]
    assert {tuple(flags) for flags in there["de"].items["flags"].to_pylist()} == {()}
    assert [one.refused for one in there.values()] == [[], []]


def test_the_order_of_the_english_file_counts(tmp_path: Path) -> None:
    source = written(tmp_path, english(), german()[4:] + german()[:4], "DE-DE")
    cut = load_items("mmmlu", source, "de", 3).items
    assert cut["question"].to_pylist() == [f"anatomy Frage {at}" for at in range(3)]


def test_words_that_look_like_missing_values_are_words(tmp_path: Path) -> None:
    rows = german()
    rows[0] |= {"A": "Ja", "B": "Nein", "C": "None", "D": "null"}
    source = written(tmp_path, english(), rows, "DE-DE")
    assert load_items("mmmlu", source, "de", 1).items["options"].to_pylist() == [
        ["Ja", "Nein", "None", "null"]
    ]


def test_line_breaks_and_quotes_within_a_cell_stay(tmp_path: Path) -> None:
    rows = german()
    rows[0]["Question"] = 'Der "Satz",\nund was folgt'
    source = written(tmp_path, english(), rows, "DE-DE")
    assert load_items("mmmlu", source, "de", 1).items["question"].to_pylist() == [
        'Der "Satz",\nund was folgt'
    ]


@pytest.mark.parametrize("suffix", ["_test.csv_sw-KE.csv", "_test.csv_yo-NG.csv"])
def test_file_names_in_place_of_subjects_are_understood(tmp_path: Path, suffix: str) -> None:
    source = written(tmp_path, english(), german(suffix=suffix), "SW-KE")
    loaded = load_items("mmmlu", source, "sw")
    assert (loaded.items.num_rows, loaded.refused) == (9, [])


def test_a_subject_in_another_order_is_refused_and_the_others_stay(tmp_path: Path) -> None:
    moved = german({"anatomy": "ABCD", "virology": "ADCBA"})
    loaded = load_items("mmmlu", written(tmp_path, english(), moved, "ZH-CN"), "zh")
    assert loaded.items["item_id"].to_pylist() == [f"mmmlu-anatomy-000{at}" for at in range(4)]
    assert len(loaded.refused) == 5
    assert {reason for _, reason in loaded.refused} == {
        "its subject is in another order than in English"
    }


def test_a_single_key_that_differs_is_flagged(tmp_path: Path) -> None:
    rows = german({"anatomy": "ABCD", "virology": "DCCAD"})
    items = load_items("mmmlu", written(tmp_path, english(), rows, "DE-DE"), "de").items
    flagged = {row["item_id"]: row["flags"] for row in items.to_pylist() if row["flags"]}
    assert flagged == {"mmmlu-virology-0002": ["key is not the English item's"]}


def test_a_bad_row_is_refused_and_shifts_none(tmp_path: Path) -> None:
    rows = german()
    rows[1] |= {"Question": "", "Answer": ""}
    rows[2] |= {"B": ""}
    loaded = load_items("mmmlu", written(tmp_path, english(), rows, "DE-DE"), "de")
    assert loaded.refused == [
        ("mmmlu-anatomy-0001", "there is no question"),
        ("mmmlu-anatomy-0002", "option B is missing"),
    ]
    assert loaded.items["question"].to_pylist()[1] == "anatomy Frage 3"


def test_rows_that_a_language_lacks_are_refused(tmp_path: Path) -> None:
    loaded = load_items("mmmlu", written(tmp_path, english(), german()[:-1], "DE-DE"), "de")
    assert loaded.refused == [("mmmlu-virology-0004", "no such row")]


def test_questions_that_english_has_twice_are_flagged_in_every_language(tmp_path: Path) -> None:
    original = english()
    original[8] = original[0] | {"subject": "virology", "answer": 3}
    source = written(tmp_path, original, german(), "DE-DE")
    for code in ("en", "de"):
        flags = load_items("mmmlu", source, code).items["flags"].to_pylist()
        assert flags == [[]] * 8 + [["repeats an earlier question"]], code


def test_russian_comes_from_elsewhere_and_says_so(tmp_path: Path) -> None:
    source = written(tmp_path, english(), german(), "DE-DE")
    rows = [
        {
            "sample_id": f"{row['Subject']}/test/{at}",
            "subject": row["Subject"],
            "question": f"Вопрос {at}",
            **{f"option_{letter.lower()}": f"ответ {letter}" for letter in "ABCD"},
            "answer": row["Answer"],
        }
        for at, row in enumerate(german())
    ]
    (tmp_path / "global" / "ru").mkdir(parents=True)
    (tmp_path / "global" / "ru" / "test-00000-of-00001.parquet").write_bytes(parquet(rows))
    both = f"{source} {tmp_path.as_uri()}/global"
    loaded = load_items("mmmlu", both, "ru")
    assert loaded.items.num_rows == 9
    assert {tuple(one) for one in loaded.items["flags"].to_pylist()} == {
        ("from Global-MMLU, not from MMMLU",)
    }
    with pytest.raises(BadInput, match=r"no ru/test-\*\.parquet; it has files for en, de$"):
        load_items("mmmlu", source, "ru")


def test_without_english_nothing_is_aligned(tmp_path: Path) -> None:
    (tmp_path / "mmlu_DE-DE.csv").write_bytes(csv_of(german()))
    with pytest.raises(BadInput, match=r"no all/test-\*\.parquet; it has files for de"):
        load_items("mmmlu", tmp_path.as_uri(), "de")


def test_three_publications_may_lie_in_three_places(tmp_path: Path, s3_store: Store) -> None:
    whole = written(tmp_path, english(), german(), "DE-DE")
    s3_store.put("mmmlu/test/mmlu_DE-DE.csv", csv_of(german()))
    s3_store.put(
        "mmlu/all/test-00000-of-00001.parquet",
        (tmp_path / "all" / "test-00000-of-00001.parquet").read_bytes(),
    )
    apart = f"{s3_store.uri}/mmmlu {s3_store.uri}/mmlu"
    assert load_items("mmmlu", apart, "de").items.equals(load_items("mmmlu", whole, "de").items)
    assert revision("mmmlu", apart) == revision("mmmlu", whole)
