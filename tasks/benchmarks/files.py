"""Published files of a benchmark: which lie where, and their rows.

Rows come as the file has them. Nothing is guessed: "None" and "null" in a CSV file are words, and
an empty cell of a Parquet file stays null.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.digests import digest
from tasks.benchmarks.folders import URIS, Folder, Found, open_folders
from tasks.benchmarks.published import BUNDLED, decoded
from tasks.errors import BadInput

Folders = tuple[Folder, ...]
_BATCH = 1_000  # rows of a Parquet file that are Python objects at a time


class Row(NamedTuple):
    """One row of a file, and where it stands."""

    cells: dict[str, Any]
    place: str

    def cell(self, column: str) -> Any:
        """What is in a column. Raises BadInput where there is no such column."""
        if column not in self.cells:
            raise BadInput(
                f"{self.place}, has no {column!r} (it has {', '.join(map(str, self.cells))}); give "
                "the file as it was published"
            )
        return self.cells[column]

    def text(self, column: str) -> str:
        """The text in a column, empty for null."""
        value = self.cell(column)
        return "" if value is None else str(value).strip()


@dataclass(frozen=True)
class Files:
    """Where the files of a benchmark lie in its folder.

    `paths` gives the places of a language's rows as patterns; the first that matches anything
    counts, and all files that match it are read, in order.
    """

    benchmark: str
    home: str  # where it is published
    languages: tuple[str, ...]
    paths: Callable[[str], Sequence[str]]

    def rows(self, source: str, language: str) -> Iterator[Row]:
        """The rows of a language. Raises BadInput."""
        for file in self.found(source, language):
            yield from rows_of(file)

    def found(self, source: str, language: str) -> list[Found]:
        """The files of a language; BadInput where there are none."""
        folders = self._folders(source)
        return self._search(folders, language) or self._refuse(source, folders, language)

    def has(self, source: str, language: str) -> bool:
        """Whether there are files of a language."""
        return bool(self._search(self._folders(source), language))

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages."""
        folders = self._folders(source)
        files = {str(f): f for code in self.languages for f in self._search(folders, code)}
        if not files:
            self._refuse(source, folders, self.languages[0])
        return digest({file.path: file.digest() for file in files.values()})

    def _folders(self, source: str) -> Folders:
        if source == BUNDLED:
            raise BadInput(
                f"benchmark {self.benchmark!r} does not come with the package; it is published as "
                f"{self.home}: give as source the URI of a folder with its files ({URIS})"
            )
        return open_folders(f"benchmark {self.benchmark!r}", source)

    def _search(self, folders: Folders, language: str) -> list[Found]:
        for pattern in self.paths(language):
            for folder in folders:
                found = [Found(folder, path) for path in _matching(folder, pattern)]
                if found:
                    return found
        return []

    def _refuse(self, source: str, folders: Folders, language: str) -> NoReturn:
        there = [code for code in self.languages if self._search(folders, code)]
        if not there:
            raise BadInput(
                f"{source} holds no {self.paths('<language>')[0]}; "
                "give the folder with the published files"
            )
        raise BadInput(
            f"{source} has no {self.paths(language)[0]}; it has files for {', '.join(there)}"
        )


def _matching(folder: Folder, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if folder.has(pattern) else []
    prefix = pattern.rpartition("/")[0].partition("*")[0]
    return [path for path in folder.names(prefix) if fnmatchcase(path, pattern)]


def rows_of(file: Found) -> Iterator[Row]:
    """The rows of a file, read by its ending. Raises BadInput."""
    ending = file.path.rpartition(".")[2]
    rows = _READ[ending](file)
    for number, cells in enumerate(rows, start=1):
        if not isinstance(cells, dict):
            raise BadInput(f"{file}, row {number}, is no object with named values")
        yield Row(cells, f"{file}, row {number}")


def _parquet(file: Found) -> Iterator[Any]:
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        local = Path(scratch, "rows.parquet")
        file.folder.fetch(file.path, local)
        try:
            with pq.ParquetFile(local) as table:
                for batch in table.iter_batches(_BATCH):
                    yield from batch.to_pylist()
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise BadInput(f"{file} cannot be read as Parquet: {reason}") from error


def _jsonl(file: Found) -> Iterator[Any]:
    for number, line in enumerate(decoded(file.data(), str(file)), start=1):
        if line.strip():
            yield _loaded(line, f"{file}, line {number},")


def _json(file: Found) -> Iterator[Any]:
    whole = _loaded("\n".join(decoded(file.data(), str(file))), str(file))
    return iter(whole if isinstance(whole, list) else [whole])


def _loaded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where} is not JSON: {error.msg}") from error


def _csv(file: Found) -> Iterator[Any]:
    text = "\n".join(decoded(file.data(), str(file)))
    try:
        yield from csv.DictReader(io.StringIO(text, newline=""), strict=True)
    except csv.Error as error:
        raise BadInput(f"{file} is not CSV: {error}") from error


_READ: dict[str, Callable[[Found], Iterator[Any]]] = {
    "parquet": _parquet,
    "jsonl": _jsonl,
    "json": _json,
    "csv": _csv,
}
