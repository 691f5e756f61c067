"""OPUS-100 into English: other sentences in every language, many of them subtitles.

Either the Parquet files (`de-en/test-*.parquet`, a column `translation` with both languages; the
pair in alphabetical order), or the plain ones, parallel by line (`opus.de-en-test.de`, `.en`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from tasks.benchmarks.bundled import Bundled, read_translation
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.folders import Found
from tasks.benchmarks.published import Published, decoded
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED

LANGUAGES = tuple(code for code in (*TRAINED, *HELD_OUT) if code != "en")
_EXAMPLES = Bundled("translation", read_translation)


def _pair(language: str) -> str:
    return "-".join(sorted((language, "en")))


def _paths(language: str) -> Sequence[str]:
    pair = _pair(language)
    plain = f"opus.{pair}-test.*"
    return (f"{pair}/test-*.parquet", f"{pair}/test/*.parquet", f"{pair}/{plain}", plain)


_FILES = Files("opus-100", "hf://datasets/Helsinki-NLP/opus-100", LANGUAGES, _paths)


class Opus100:
    """The published test pairs."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The pairs in their order. Raises BadInput."""
        pairs = islice(_pairs(source, language), items)
        return list(_items(pairs))

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages."""
        return _FILES.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled sentences."""
        return _EXAMPLES.examples(language)


def _pairs(source: str, language: str) -> Iterator[tuple[str, str]]:
    """Sentence and English reference."""
    files = _FILES.found(source, language)
    if not files[0].path.endswith(".parquet"):
        return _plain(files, language)
    return (_both(row, language) for row in _FILES.rows(source, language))


def _both(row: Row, language: str) -> tuple[str, str]:
    sides = Row(row.cell("translation") or {}, row.place)
    return sides.text(language), sides.text("en")


def _plain(files: Sequence[Found], language: str) -> Iterator[tuple[str, str]]:
    sides = {file.path.rpartition(".")[2]: file for file in files}
    if not {language, "en"} <= set(sides):
        raise BadInput(
            f"{files[0]} has no other side; give opus.{_pair(language)}-test.{language} and .en"
        )
    lines = [decoded(sides[code].data(), str(sides[code])) for code in (language, "en")]
    if len(lines[0]) != len(lines[1]):
        raise BadInput(
            f"{sides[language]} has {len(lines[0])} lines, but its English side {len(lines[1])}; "
            "they must be parallel"
        )
    return zip(*([line.strip() for line in side] for side in lines), strict=True)


def _items(pairs: Iterator[tuple[str, str]]) -> Iterator[Published]:
    seen: set[tuple[str, str]] = set()
    for number, (sentence, english) in enumerate(pairs):
        flags = ["repeats an earlier pair"] if (sentence, english) in seen else []
        flags += ["left in English"] if sentence == english else []
        seen.add((sentence, english))
        yield Published(f"opus-100-{number:04d}", sentence, (english,), flags=tuple(flags))
