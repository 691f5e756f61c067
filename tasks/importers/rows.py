"""Rows of a log as a table with the columns of GRADES that it states."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput
from tasks.importers.asked import KIND, REQUIRED, Asked, at_path
from tasks.importers.sources import Source
from tasks.languages.codes import language_code

Row = dict[str, Any]
_BATCH = 10_000  # rows that are Python objects at a time
_STAYING = ("source_language", *REQUIRED)  # columns that are kept without any value
_LENGTH_LIMIT = ("length", "max_tokens", "model_length")  # why a completion ended


def log_table(source: Source, rows: Iterable[Row], asked: Asked) -> pa.Table:
    """The rows of one log, with what `asked.constants` gives; text columns as dictionaries.

    Raises:
        BadInput: the log has no rows, or nothing says one of the needed columns.
    """
    batches = [pa.RecordBatch.from_pylist(batch, GRADES) for batch in _batches(rows, asked)]
    if not batches:
        raise BadInput(f"{source} has no graded samples: there is nothing to read from it.")
    table = pa.Table.from_batches(batches)
    for name in REQUIRED:
        if table[name].null_count and name != "score":
            raise asked.missing(str(source), name)
    if "source_language" not in {*asked.columns, *asked.constants}:
        table = table.drop_columns("source_language")
    return stated(table)


def _batches(rows: Iterable[Row], asked: Asked) -> Iterator[list[Row]]:
    fixed = {n: typed(v, n) for n, v in asked.constants.items() if n != KIND}
    batch: list[Row] = []
    for row in rows:
        batch.append(row | fixed)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def stated(table: pa.Table) -> pa.Table:
    """Only the columns with a value, in the order of GRADES; text columns as dictionaries.

    A stated `source_language` stays without values too: nulls mean that the items have none, while
    an absent column lets scoring take the one that the person names.
    """
    kept = {
        name: table[name]
        for name in GRADES.names
        if name in table.column_names
        and (name in _STAYING or table[name].null_count < table.num_rows)
    }
    return pa.table(
        {n: c.dictionary_encode() if c.type == pa.string() else c for n, c in kept.items()}
    )


def typed(text: str, name: str) -> Any:
    """A `--value` as the column's type; raises BadInput."""
    kind = GRADES.field(name).type
    try:
        if kind == pa.bool_():
            return {"true": True, "false": False}[text.casefold()]
        if pa.types.is_list(kind):
            return text.split(";")
        value = float(text) if pa.types.is_floating(kind) else text
        return pa.scalar(int(value) if pa.types.is_integer(kind) else value, kind).as_py()
    except (KeyError, ValueError, pa.ArrowInvalid) as error:
        raise BadInput(f"--value {name}={text} is not a value of type {kind}.") from error


def overridden(row: Row, record: Mapping[str, Any], asked: Asked, where: str) -> Row:
    """The row with what `asked.columns` finds in the record; `score` is the log format's matter."""
    for name, path in asked.columns.items():
        if name == "score":
            continue
        value = at_path(record, path, where, f"--column {name}")
        if GRADES.field(name).type == pa.string() and value is not None:
            value = str(value)
        row[name] = value
    if row.get("language") is not None:
        row["language"] = language_code(row["language"]) or row["language"]
    return row


def number(value: Any, where: str) -> float:
    """A logged score as a number; booleans are 0 and 1. Raises BadInput."""
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        shown = str(value)[:60]
        raise BadInput(
            f"{where} has the score {shown!r}, which is no number: name another field with "
            "--column score=NAME."
        ) from error


def status(score: float, said: str | None, found: bool, finish_reason: str | None = None) -> str:
    """What a logged score comes to: `found` says whether the log has an answer in what was said."""
    if not found and not score:
        if finish_reason in _LENGTH_LIMIT:
            return "truncated"
        return "empty" if said is not None and not said.strip() else "unparsed"
    return {0.0: "wrong", 1.0: "right"}.get(score, "scored")


def first(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def is_missing(value: Any) -> bool:
    """Whether a logged score is null or NaN: the harness did not score that sample."""
    return value is None or (isinstance(value, float) and math.isnan(value))
