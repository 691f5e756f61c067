"""Faulty items: with and without them, side by side."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tasks.errors import BadInput
from tasks.scoring import score
from tasks.scoring.exclusion import Faulty, read_exclusion
from tests.scoring.invented import grades


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ids.json", '["i1", 7]', {Faulty("i1"), Faulty("7")}),
        ("by_language.json", '{"en": [3], "de": [3, 4]}',
         {Faulty("3", "en"), Faulty("3", "de"), Faulty("4", "de")}),
        ("ids.txt", "i1\n\ni2\n", {Faulty("i1"), Faulty("i2")}),
        ("rows.csv", "item_id,language\n007,de\ni2,\n", {Faulty("007", "de"), Faulty("i2")}),
        ("rows.jsonl", '{"item_id": "i1", "benchmark": "facts"}\n',
         {Faulty("i1", None, "facts")}),
        ("ids.JSON", '\ufeff["i1"]', {Faulty("i1")}),
        ("rows.csv", "\ufeffitem_id\r\ni1\r\n", {Faulty("i1")}),
    ],
)  # fmt: skip
def test_files_that_name_items(name: str, text: str, expected: set[Faulty], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    assert read_exclusion(path) == expected


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ids.json", "{", "cannot be read"),
        ("ids.json", "[1.5]", "1.5 is no item id"),
        ("rows.csv", "id\n7\n", "cannot be read"),
        ("ids.txt", "\n", "names no item"),
        ("ids.json", '{"de": "i1"}', '"i1" is no list of item ids'),
        ("ids.json", "7", "7 is no list of item ids"),
        ("rows.jsonl", '"i1"', '"i1" has no item_id'),
    ],
)
def test_files_that_do_not(name: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_exclusion(path)
    with pytest.raises(BadInput, match="there is no file"):
        read_exclusion(tmp_path / "absent.json")
    with pytest.raises(BadInput, match="cannot be read"):
        read_exclusion(tmp_path)


def test_what_is_excluded_is_out_under_the_own_name_and_in_under_a_second() -> None:
    frame = grades({"en": 0.9, "fr": 0.6, "de": 0.5}, models=["m"])
    exclude = frozenset({Faulty("i0", "fr"), Faulty("i1", "en")})
    scored = score(frame, exclude=exclude, resamples=20)
    hats = scored.scores.to_pandas().query("metric == 'hat'").set_index(["benchmark", "target"])
    assert hats.n_items["facts", "fr"] == 28 and hats.n_items["facts", "de"] == 29
    assert hats.n_items["facts with excluded items", "fr"] == 30
    assert any("8 of 360 answers are to items that are excluded" in n for n in scored.notes)


def test_flagged_items_are_in_under_the_own_name_and_out_under_a_second() -> None:
    frame = grades({"en": 0.9, "fr": 0.6}, models=["m"])
    frame["flags"] = [["wrong key"] if item == "i3" else [] for item in frame.item_id]
    rows = score(frame, resamples=20).scores.to_pandas().query("metric == 'hat'")
    counts = rows.set_index(["benchmark", "target"]).n_items
    assert counts["facts", "fr"] == 30 and counts["facts without flagged items", "fr"] == 29
    assert set(
        score(frame.drop(columns="flags"), resamples=20).scores["benchmark"].to_pylist()
    ) == {"facts"}


def test_an_exclusion_that_meets_nothing_says_how_items_are_named() -> None:
    with pytest.raises(BadInput, match=r"none of the 1 items .*'3' for one.* named like 'i0'"):
        score(grades({"en": 0.9, "fr": 0.6}), exclude=frozenset({Faulty("3")}), resamples=20)


def test_an_exclusion_of_one_benchmark_leaves_the_others() -> None:
    frame = grades({"en": 0.9, "fr": 0.6}, models=["m"])
    both = pd.concat([frame, frame.assign(benchmark="other")], ignore_index=True)
    exclude = frozenset({Faulty("i0", None, "facts")})
    counts = score(both, exclude=exclude, resamples=20).scores.to_pandas()
    counts = counts.query("metric == 'hat' and target == 'fr'").set_index("benchmark").n_items
    assert counts.to_dict() == {"facts": 29, "facts with excluded items": 30, "other": 30}


def test_what_is_excluded_but_not_there_is_told_of() -> None:
    exclude = frozenset({Faulty("i0"), Faulty("i0", "xx"), Faulty("gone")})
    notes = score(grades({"en": 0.9, "fr": 0.6}), exclude=exclude, resamples=20).notes
    assert "2 of 3 items to exclude are not among the grades, 'gone' for one" in notes


def test_a_benchmark_of_which_nothing_is_left_is_told_of() -> None:
    exclude = frozenset(Faulty(f"i{item}") for item in range(30))
    scored = score(grades({"en": 0.9, "fr": 0.6}), exclude=exclude, resamples=20)
    assert set(scored.scores["benchmark"].to_pylist()) == {"facts with excluded items"}
    assert "but nothing is left of facts without them" in scored.notes[0]


def test_an_exclusion_by_language_meets_codes_that_are_written_otherwise() -> None:
    frame = grades({"eng_Latn": 0.9, "fra_Latn": 0.6}, models=["m"])
    rows = score(frame, exclude=frozenset({Faulty("i0", "fr")}), resamples=20).scores.to_pandas()
    counts = rows.query("metric == 'hat' and target == 'fra_Latn'").set_index("benchmark").n_items
    assert counts.to_dict() == {"facts": 29, "facts with excluded items": 30}
