"""Which columns a table has, told by its beginning."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput
from tasks.importers.sources import Source

_MARKS = {".csv": ",;\t", ".tsv": "\t"}


def suffix(source: Source) -> str:
    """The end of its name that says what kind of table it is."""
    return PurePosixPath(source.name.casefold()).suffix


def column_names(source: Source) -> list[str]:
    """The columns of a table, as it names them; raises BadInput for what is no table."""
    if suffix(source) == ".parquet":
        return _parquet_columns(source)
    if suffix(source) in _MARKS:
        return _header(source)
    if not source.record:
        raise BadInput(
            f"{source} does not begin with a JSON object: write one object a line, a sample each."
        )
    return list(source.record)


def _parquet_columns(source: Source) -> list[str]:
    try:
        with source.open() as file:
            return list(pq.read_schema(file).names)
    except pa.ArrowInvalid as error:
        raise BadInput(f"{source} cannot be read as parquet: {one_line(error)}") from error


def _header(source: Source) -> list[str]:
    """The names in the first line of a CSV; raises BadInput for none, and for one twice."""
    # Not by pyarrow, whose threads may outlive the sentence about a bad file.
    names = next(csv.reader([_first_line(source)], delimiter=mark(source)), [])
    if not names:
        raise BadInput(f"{source} is empty: there is nothing to score.")
    twice = [name for name, count in Counter(names).items() if count > 1 and name in GRADES.names]
    if twice:
        raise BadInput(f"{source} has more than one column {twice[0]!r}: keep one of them.")
    return names


def _first_line(source: Source) -> str:
    line = source.head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].rstrip(b"\r")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{source} is not UTF-8 text: save it as UTF-8.") from error


def mark(source: Source) -> str:
    """What separates columns: a comma; a semicolon or a tab where the first line has no comma."""
    line = _first_line(source)
    marks = [mark for mark in _MARKS[suffix(source)] if mark in line]
    return marks[0] if marks else _MARKS[suffix(source)][0]


def one_line(error: Exception) -> str:
    """What another library complains of, without line breaks."""
    return " ".join(str(error).split())[:200]
