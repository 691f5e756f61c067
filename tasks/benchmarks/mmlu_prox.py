"""MMLU-ProX and its Lite cut: up to ten options, parallel by question id in 29 languages.

A folder per language with `test-*.parquet`: `question_id`, `question`, `option_0` to `option_9`,
`answer` (a letter). Options behind the last are null, empty or "N/A". Which options a question has
is what its English row says, so that every language is asked with as many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tasks.benchmarks.bundled import Bundled, read_choice
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.published import Published, choice_flags
from tasks.languages import LATIN_LETTERS

LANGUAGES = (
    "af", "ar", "bn", "cs", "de", "en", "es", "fr", "hi", "hu", "id", "it", "ja", "ko", "mr", "ne",
    "pt", "ru", "sr", "sw", "te", "th", "uk", "ur", "vi", "wo", "yo", "zh", "zu",
)  # fmt: skip
_EXAMPLES = Bundled("facts", read_choice)
_ABSENT = ("", "N/A")


@dataclass(frozen=True)
class MmluProX:
    """The Parquet files of either size."""

    name: str
    home: str

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The test questions in their order. Raises BadInput."""
        rows = islice(self._files.rows(source, language), items)
        english = self._english(source) if language != "en" else {}
        return [_item(row, english.get(_id(row), row)) for row in rows]

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages."""
        return self._files.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled questions; in English where these have no translation."""
        return _EXAMPLES.examples_or_english(language)

    @property
    def _files(self) -> Files:
        return Files(self.name, self.home, LANGUAGES, _paths)

    def _english(self, source: str) -> Mapping[str, Row]:
        if not self._files.has(source, "en"):
            return {}
        return {_id(row): row for row in self._files.rows(source, "en")}


def _paths(language: str) -> Sequence[str]:
    return (f"{language}/test-*.parquet", f"{language}/test/*.parquet")


def _id(row: Row) -> str:
    return f"mmlu-prox-{row.text('question_id')}"


def _item(row: Row, english: Row) -> Published:
    options = _options(row)[: _how_many(english)]
    key = row.text("answer")
    return Published(
        _id(row),
        row.text("question"),
        (key,),
        options=tuple(options),
        flags=choice_flags(options, key, english.text("answer")),
        refused=next((_lacks(at) for at, text in enumerate(options) if not text), None),
    )


def _options(row: Row) -> list[str]:
    return [row.text(f"option_{at}") for at in range(len(LATIN_LETTERS))]


def _how_many(english: Row) -> int:
    """Options up to the last that is one; the key's own may be "N/A"."""
    key = english.text("answer")
    pairs = list(zip(LATIN_LETTERS, _options(english), strict=True))
    real = [at for at, (letter, text) in enumerate(pairs) if text not in _ABSENT or letter == key]
    return max(real, default=-1) + 1


def _lacks(at: int) -> str:
    return f"option {LATIN_LETTERS[at]} is missing"
