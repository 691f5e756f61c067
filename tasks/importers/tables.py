"""Plain tables: CSV, TSV, Parquet and JSONL with a row per graded sample, ours among them.

Only the needed columns are read, text as dictionaries: eleven million rows stay cheap.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput
from tasks.importers.asked import KIND, REQUIRED, Asked, Notes
from tasks.importers.headers import column_names, mark, one_line, suffix
from tasks.importers.rows import stated, typed
from tasks.importers.sources import Source

CODES = pa.dictionary(pa.int32(), pa.string())
_SHOWN = 3  # bad values and rows that a message names
_TRUTH = {"true": 1.0, "false": 0.0}


def recognises(source: Source) -> bool:
    """Whether this is a table, by the end of its name."""
    return suffix(source) in _READERS


def is_graded(source: Source, asked: Asked) -> bool:
    """Whether a table that was found in a folder has scores; others are passed over."""
    return asked.columns.get("score", "score") in column_names(source)


def read(source: Source, asked: Asked, notes: Notes) -> pa.Table:
    """The samples of one table; raises BadInput."""
    theirs = _theirs(source, asked)
    table = _READERS[suffix(source)](source, list(dict.fromkeys(theirs.values())))
    if table.num_rows == 0:
        raise BadInput(f"{source} has no rows: there is nothing to score.")
    columns = {name: _converted(table[one], name, source) for name, one in theirs.items()}
    for name in sorted(asked.constants.keys() - {KIND}):
        if name in columns and columns[name].null_count < table.num_rows:
            notes.say(f"--value {name} was not used where a table has its own {name}.")
        else:
            columns[name] = _constant(asked.constants[name], name, table.num_rows)
    for name in REQUIRED:
        if name != "score" and columns[name].null_count:
            raise _absent(columns[name], name, source)
    empty = columns["score"].null_count
    if empty and "status" not in columns:
        notes.say("{n} rows of tables have no score and no status: they count as unparsed.", empty)
    return stated(pa.table(columns))


def _absent(column: pa.ChunkedArray, name: str, source: Source) -> BadInput:
    rows = np.flatnonzero(column.is_null().to_numpy())
    shown = ", ".join(f"row {row + 1}" for row in rows[:_SHOWN])
    more = " and more" if len(rows) > _SHOWN else ""
    return BadInput(
        f"{len(rows):,} rows of {source} have no {name} ({shown}{more}): give it to "
        "them, or remove them."
    )


def _theirs(source: Source, asked: Asked) -> dict[str, str]:
    """Their name of each of our columns that the table has; raises BadInput for an absent one."""
    there = column_names(source)
    found = {name: name for name in GRADES.names if name in there}
    for name, theirs in asked.columns.items():
        if theirs not in there:
            raise BadInput(
                f"{source} has no column {theirs!r} for --column {name}={theirs}: "
                f"it has {', '.join(there)}."
            )
        found[name] = theirs
    for name in REQUIRED:
        if name not in found and name not in asked.constants:
            raise BadInput(
                f"{source} has no column {name!r} (it has {', '.join(there)}): name theirs with "
                f"--column {name}=THEIRS, or give one value for all with --value {name}=VALUE."
            )
    return found


def _parquet(source: Source, columns: list[str]) -> pa.Table:
    with source.open() as opened:
        file = source.path if source.local else opened
        texts = [f.name for f in pq.read_schema(file) if pa.types.is_string(f.type)]
        return pq.ParquetFile(file, read_dictionary=texts).read(columns)


def _csv(source: Source, columns: list[str]) -> pa.Table:
    converting = pacsv.ConvertOptions(
        column_types=dict.fromkeys(columns, CODES),
        include_columns=columns,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parsing = pacsv.ParseOptions(delimiter=mark(source), newlines_in_values=True)
    try:
        with source.open() as opened:
            file = source.path if source.local else opened
            return pacsv.read_csv(file, parse_options=parsing, convert_options=converting)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise BadInput(f"{source} cannot be read as a table: {one_line(error)}") from error


def _jsonl(source: Source, columns: list[str]) -> pa.Table:
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for _, record in source.records():
        for name, column in values.items():
            value = record.get(name)
            column.append(
                value if value is None or isinstance(value, str | list) else json.dumps(value)
            )
    lists = {name for name, column in values.items() if any(isinstance(v, list) for v in column)}
    return pa.table(
        {
            n: pa.array(v) if n in lists else pa.array(v, CODES.value_type).dictionary_encode()
            for n, v in values.items()
        }
    )


_READERS: dict[str, Callable[[Source, list[str]], pa.Table]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
}


def _constant(text: str, name: str, rows: int) -> pa.Array:
    kind = GRADES.field(name).type
    if kind != pa.string():
        return pa.repeat(pa.scalar(typed(text, name), kind), rows)
    return pa.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), [text])


def _converted(column: pa.ChunkedArray, name: str, source: Source) -> pa.ChunkedArray:
    """The column as the type of ours; raises BadInput naming rows that have no such value."""
    kind = GRADES.field(name).type
    if pa.types.is_dictionary(column.type):
        return _by_values(column, name, source)
    if kind == pa.string():
        texts = column.cast(pa.string()) if not pa.types.is_nested(column.type) else None
        if texts is not None:
            return texts
    try:
        if pa.types.is_boolean(column.type) and kind != pa.bool_():
            column = column.cast(pa.int8())
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(
            f"column {name!r} of {source} is of type {column.type}, which does not become "
            f"{kind}: {one_line(error)}"
        ) from error


def _by_values(column: pa.ChunkedArray, name: str, source: Source) -> pa.ChunkedArray:
    """A dictionary column: only its different values are converted."""
    column = column.unify_dictionaries()
    kind = GRADES.field(name).type
    if kind == pa.string():
        return column.cast(CODES)
    if column.num_chunks == 0:
        return pa.chunked_array([], kind)
    texts = [str(value) for value in column.chunk(0).dictionary.to_pylist()]
    values, bad = [], []
    for code, text in enumerate(texts):
        try:
            values.append(_value(text, name))
        except (ValueError, KeyError, OverflowError, pa.ArrowInvalid):
            values.append(None)
            bad.append(code)
    if bad:
        raise _bad(column, bad, texts, name, source)
    lookup = pa.array(values, kind)
    return pa.chunked_array([lookup.take(chunk.indices) for chunk in column.chunks], kind)


def _value(text: str, name: str) -> Any:
    kind = GRADES.field(name).type
    if pa.types.is_list(kind):
        return [part.strip() for part in text.split(";") if part.strip()]
    if kind == pa.bool_():
        return bool({**_TRUTH, "1": 1, "0": 0}[text.casefold()])
    value = _TRUTH[text.casefold()] if text.casefold() in _TRUTH else float(text)
    return value if pa.types.is_floating(kind) else pa.scalar(value).cast(kind).as_py()


def _bad(
    column: pa.ChunkedArray, bad: list[int], texts: list[str], name: str, source: Source
) -> BadInput:
    codes = np.concatenate([chunk.indices.fill_null(-1).to_numpy() for chunk in column.chunks])
    rows = np.flatnonzero(np.isin(codes, bad))
    shown = ", ".join(f"row {row + 1}: {texts[codes[row]]!r}" for row in rows[:_SHOWN])
    more = " and more" if len(rows) > _SHOWN else ""
    return BadInput(
        f"{len(rows):,} rows of {source} have a {name} that is not {_kind(name)} ({shown}{more}): "
        f"mend or remove them, or name another column with --column {name}=THEIRS."
    )


def _kind(name: str) -> str:
    """What the values of a column must be, in words."""
    kind = GRADES.field(name).type
    if name == "score":
        return "a number from 0 to 1"
    if kind == pa.bool_():
        return "true or false"
    if pa.types.is_integer(kind):
        return f"a whole number below {2 ** (kind.bit_width - 1):,}"
    return "a number"
