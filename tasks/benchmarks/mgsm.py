"""MGSM: 250 grade-school word problems, parallel by line in eleven languages, and its correction.

A folder of `mgsm_<language>.tsv`: question and answer, no header, quotes mean nothing. Answers
carry English commas ("2,125") in every language. MGSM-Rev2 replaced what was faulty, mostly in
translation; the items it replaced are flagged in MGSM (their line numbers are bundled).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tasks.artifacts.digests import digest
from tasks.benchmarks.bundled import FOLDER, Bundled, read_number
from tasks.benchmarks.files import Files
from tasks.benchmarks.published import Published, decoded
from tasks.errors import BadInput

LANGUAGES = ("bn", "de", "en", "es", "fr", "ja", "ru", "sw", "te", "th", "zh")
REPLACED = "replaced in MGSM-Rev2"
_REPLACED = FOLDER / "mgsm_replaced.jsonl"
_EXAMPLES = Bundled("numbers", read_number)


@dataclass(frozen=True)
class Mgsm:
    """The TSV files of either edition."""

    name: str = "mgsm"
    home: str = "hf://datasets/juletxara/mgsm"
    first_edition: bool = True  # its faulty items are flagged

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The problems of one language, numbered by line. Raises BadInput."""
        [file] = self._files.found(source, language)
        lines = decoded(file.data(), str(file))[:items]
        replaced = _replaced()[language] if self.first_edition else frozenset()
        return [
            self._item(number, line, f"{file}, line {number}", number in replaced)
            for number, line in enumerate(lines, start=1)
        ]

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages, and of what is flagged."""
        files = self._files.revision(source)
        return digest([files, _REPLACED.read_text()]) if self.first_edition else files

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled problems; in English where these have no translation (bn, sw, te, th)."""
        return _EXAMPLES.examples_or_english(language)

    @property
    def _files(self) -> Files:
        return Files(self.name, self.home, LANGUAGES, _paths)

    def _item(self, number: int, line: str, place: str, replaced: bool) -> Published:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 2 or not all(cells):
            raise BadInput(
                f"{place}, must be a question, a tab and its answer, "
                f"but has {len(list(filter(None, cells)))} filled of {len(cells)} cells"
            )
        question, answer = cells
        flags = (REPLACED,) if replaced else ()
        return Published(f"mgsm-{number - 1:03d}", question, (answer,), flags=flags)


def _paths(language: str) -> Sequence[str]:
    return (f"mgsm_{language}.tsv",)


@cache
def _replaced() -> dict[str, frozenset[int]]:
    """The lines, from 1, whose problem was replaced, by language."""
    rows = [json.loads(line) for line in decoded(_REPLACED.read_bytes(), _REPLACED.name)]
    return {row["language"]: frozenset(row["lines"]) for row in rows}
