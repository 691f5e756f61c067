"""The small benchmarks that come with the package: one JSON object per item, all languages in it.

They were written for this project; `split` is test or example (shown as a few-shot example).
How the examples are worked out stands in a file of its own, so that those who ask for direct
answers need not ask again when it changes: it counts with the version of the prompts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tasks.benchmarks.published import Published, decoded, require_bundled
from tasks.errors import BadInput

FOLDER = Path(__file__).with_name("bundled")
Read = Callable[[dict[str, Any], str], Published]


@dataclass(frozen=True)
class Bundled:
    """One bundled file; `read` turns a row into the item of a language."""

    name: str
    read: Read

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The test items. Raises BadInput."""
        require_bundled(self.name, source)
        return self._split("test", language)[:items]

    def revision(self, source: str) -> str:
        """SHA-256 of the file."""
        require_bundled(self.name, source)
        return sha256(_file(self.name).read_bytes()).hexdigest()

    def examples(self, language: str) -> Sequence[Published]:
        """The items of the example split, worked out in their language."""
        return [_worked(item, language) for item in self._split("example", language)]

    def examples_or_english(self, language: str) -> Sequence[Published]:
        """The examples, in English where they are not written in the language.

        Their workings are in the language all the same; None where they are not.
        """
        written = all(language in row for row in _rows(self.name) if row["split"] == "example")
        if written:
            return self.examples(language)
        english = self._split("example", "en")
        return [_worked(replace(item, working=None), language) for item in english]

    def _split(self, split: str, language: str) -> list[Published]:
        rows = [row for row in _rows(self.name) if row["split"] == split]
        for row in rows:
            if language not in row:
                raise BadInput(
                    f"item {row['item_id']} of benchmark {self.name!r} has no text in {language!r}"
                )
        return [self.read(row, language) for row in rows]


def read_choice(row: dict[str, Any], language: str) -> Published:
    """A question with options; the answer is the letter of the published order."""
    text = row[language]
    gold = (row["answer"],)
    return Published(row["item_id"], text["question"], gold, options=tuple(text["options"]))


def read_number(row: dict[str, Any], language: str) -> Published:
    """A word problem; the answer is written the English way in every language."""
    text = row[language]
    return Published(
        row["item_id"], text["question"], (row["answer"],), working=text.get("working")
    )


def read_span(row: dict[str, Any], language: str) -> Published:
    """A question, mostly on paragraphs, with all accepted answers."""
    text = row[language]
    paragraphs = tuple(text.get("paragraphs", ()))
    return Published(row["item_id"], text["question"], tuple(text["answers"]), paragraphs)


def read_translation(row: dict[str, Any], language: str) -> Published:
    """A sentence to translate into English."""
    return Published(row["item_id"], row[language], (row["en"],))


def _worked(item: Published, language: str) -> Published:
    """The item with its working of the bundled file, where that has one."""
    rows = (row for row in _rows("workings") if row["item_id"] == item.item_id)
    return replace(item, working=next(rows, {}).get(language, item.working))


def _file(name: str) -> Path:
    return FOLDER / f"{name}.jsonl"


@cache
def _rows(name: str) -> list[dict[str, Any]]:
    file = _file(name)
    return [json.loads(line) for line in decoded(file.read_bytes(), file.name)]
