"""Answers of unfinished parts: kept in pieces, read together, removed with the part's end."""

from __future__ import annotations

from tasks.artifacts.journal import Journal
from tasks.artifacts.parts import find_part, publish_table
from tasks.artifacts.store import Store
from tests.artifacts.test_parts import TABLE


def test_pieces_are_read_together_by_whoever_comes_next(store: Store) -> None:
    Journal(store, "evaluate", "d").keep({"a": {"text": "one"}, "b": {"text": "二"}})
    Journal(store, "evaluate", "d").keep({"c": {"text": "drei"}})
    Journal(store, "evaluate", "other").keep({"x": {"text": "not ours"}})
    found = Journal(store, "evaluate", "d").read()
    assert {key: answer["text"] for key, answer in found.items()} == {
        "a": "one", "b": "二", "c": "drei",
    }  # fmt: skip


def test_clearing_leaves_the_part_and_other_journals(store: Store) -> None:
    journal, other = (Journal(store, "evaluate", name) for name in ("d", "other"))
    for one in (journal, other):
        one.keep({"a": {"text": "one"}})
    part = publish_table(store, "evaluate", "answers", "d", TABLE, {})
    journal.clear()
    assert journal.read() == {} and other.read() == {"a": {"text": "one"}}
    assert find_part(store, "evaluate", "d") == part


def test_a_piece_of_another_version_is_as_good_as_absent(file_store: Store) -> None:
    journal = Journal(file_store, "evaluate", "d")
    journal.keep({"a": {"text": "one"}})
    file_store.put("parts/evaluate/d/journal/later.json", b'{"version": 1, "rows": []}')
    assert list(journal.read()) == ["a"]
