"""MGSM: 250 grade-school word problems, parallel by line in eleven languages.

A folder of `mgsm_<language>.tsv`: question and answer, no header, quotes mean nothing. Answers
carry English commas ("2,125") in every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tasks.artifacts.digests import digest
from tasks.benchmarks.bundled import Bundled, read_number
from tasks.benchmarks.published import BUNDLED, Published, decoded, open_folder
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED

LANGUAGES = ("bn", "de", "en", "es", "fr", "ja", "ru", "sw", "te", "th", "zh")
_EXAMPLES = Bundled("numbers", read_number)


class Mgsm:
    """The published TSV files."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The problems of one language, numbered by line. Raises BadInput."""
        data = _file(source, language)
        if data is None:
            there = _present(source)
            raise BadInput(
                f"{source} has no {_name(language)}; it has files for {', '.join(there)}"
            )
        where = f"{source}/{_name(language)}"
        lines = decoded(data, where)[:items]
        return [_item(number, line, where) for number, line in enumerate(lines)]

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages."""
        return digest(_present(source))

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled problems; in English where these have no translation (bn, sw, te, th)."""
        return _EXAMPLES.examples(language if language in TRAINED + HELD_OUT else "en")


def _name(language: str) -> str:
    return f"mgsm_{language}.tsv"


def _file(source: str, language: str) -> bytes | None:
    _require_folder(source)
    there = open_folder("benchmark 'mgsm'", source).get(_name(language))
    return None if there is None else there.data


def _require_folder(source: str) -> None:
    if source == BUNDLED:
        raise BadInput(
            "benchmark 'mgsm' does not come with the package; give as source the URI of a folder "
            "with mgsm_en.tsv, mgsm_de.tsv and so on (file:///FOLDER or s3://BUCKET/FOLDER)"
        )


def _present(source: str) -> dict[str, str]:
    """SHA-256 of each language's file."""
    files = {language: _file(source, language) for language in LANGUAGES}
    there = {k: sha256(data).hexdigest() for k, data in files.items() if data is not None}
    if not there:
        raise BadInput(
            f"{source} holds no mgsm_<language>.tsv; give the folder with the published files"
        )
    return there


def _item(number: int, line: str, where: str) -> Published:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) != 2 or not all(cells):
        raise BadInput(
            f"{where}, line {number + 1}, must be a question, a tab and its answer, "
            f"but has {len(list(filter(None, cells)))} filled of {len(cells)} cells"
        )
    question, answer = cells
    return Published(f"mgsm-{number:03d}", question, (answer,))
