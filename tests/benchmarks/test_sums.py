"""Generated additions."""

from __future__ import annotations

import pytest

from tasks.benchmarks import BENCHMARKS, load_items, revision
from tasks.errors import BadInput
from tasks.languages import LANGUAGES


@pytest.mark.parametrize("items", [1, 250, 9000])
def test_as_many_different_sums_as_asked_for(items: int) -> None:
    loaded = load_items("sums", "bundled", "en", items)
    assert loaded.refused == []
    assert len(set(loaded.items["question"].to_pylist())) == items
    assert len(set(loaded.items["item_id"].to_pylist())) == items


def test_every_answer_is_the_sum() -> None:
    for row in load_items("sums", "bundled", "en", 500).items.to_pylist():
        a, b = row["question"].split(" + ")
        assert row["gold"] == [str(int(a) + int(b))]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_same_sums(code: str) -> None:
    columns = ["item_id", "question", "gold"]
    english = load_items("sums", "bundled", "en", 20).items.select(columns)
    assert load_items("sums", "bundled", code, 20).items.select(columns).equals(english)


def test_a_shorter_list_is_the_beginning_of_a_longer_one() -> None:
    short = load_items("sums", "bundled", "en", 10).items
    assert load_items("sums", "bundled", "en", 40).items.slice(0, 10).equals(short)


def test_examples_are_not_among_the_items() -> None:
    asked = set(load_items("sums", "bundled", "en", 9000).items["question"].to_pylist())
    assert not asked & {example.question for example in BENCHMARKS["sums"].examples("en")}


def test_sums_are_read_from_nowhere_else() -> None:
    with pytest.raises(BadInput, match="write source: bundled"):
        revision("sums", "file:///sums")
