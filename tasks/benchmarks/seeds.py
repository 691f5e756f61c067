"""Seeds: the English rows that the generator is shown: bundled, of a file, or of Nemotron's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.digests import digest
from tasks.artifacts.schemas import SEEDS
from tasks.benchmarks.bundled import FOLDER
from tasks.benchmarks.folders import open_folder
from tasks.benchmarks.nemotron_seeds import NemotronSeeds
from tasks.benchmarks.published import BUNDLED, decoded
from tasks.errors import BadInput

DOMAINS = ("stem", "math", "chat")


class Seeds(NamedTuple):
    """SEEDS, and how many published rows could not be one, by reason."""

    table: pa.Table
    left_out: dict[str, int]


def load_seeds(source: str = BUNDLED) -> pa.Table:
    """SEEDS from the package, or from the URI of a .jsonl or .parquet file.

    Raises:
        BadInput: no such file, a missing column or cell, an unknown domain, an id twice.
    """
    return read_seeds(source).table


def read_seeds(source: str, rows: int | None = None, skip: int = 0) -> Seeds:
    """The first `rows` seeds; a folder is one of Nemotron's, whose first `skip` are passed over.

    Raises BadInput as `load_seeds` does, and where a folder is not said to have so many.
    """
    if not _is_folder(source):
        data = _bytes(source)
        table = _parquet(data, source) if source.endswith(".parquet") else _jsonl(data, source)
        _check(table, source)
        return Seeds(table[:rows], {})
    if rows is None:
        raise BadInput(f"seeds {source} are a whole data set; say how many with seed_rows")
    nemotron = NemotronSeeds(source, rows, skip)
    table = pa.Table.from_pylist(list(nemotron.rows()), SEEDS)
    _check(table, source)
    if table.num_rows < rows:
        raise BadInput(f"{source} has {table.num_rows} usable seeds, not {rows}; lower seed_rows")
    return Seeds(table, dict(nemotron.left_out))


def seeds_revision(source: str = BUNDLED) -> str:
    """SHA-256 of the file, or of what a folder of Nemotron's holds."""
    if _is_folder(source):
        return digest(NemotronSeeds(source, 0, 0).revision())
    return sha256(_bytes(source)).hexdigest()


def _is_folder(source: str) -> bool:
    return "://" in source and not source.endswith((".jsonl", ".parquet", ".csv", ".json"))


def _bytes(source: str) -> bytes:
    if source == BUNDLED:
        return (FOLDER / "seeds.jsonl").read_bytes()
    if not source.endswith((".jsonl", ".parquet")):
        raise BadInput(
            f"seeds {source!r} must be {BUNDLED!r}, a URI that ends in .jsonl or .parquet, or that "
            "of a folder of Nemotron's"
        )
    folder, _, name = source.rpartition("/")
    data = open_folder("the seeds", folder).read(name)
    if data is None:
        raise BadInput(f"there are no seeds at {source}; check the URI")
    return data


def _jsonl(data: bytes, source: str) -> pa.Table:
    lines = enumerate(decoded(data, source), start=1)
    return pa.Table.from_pylist([_row(line, number, source) for number, line in lines], SEEDS)


def _row(line: str, number: int, source: str) -> dict[str, str]:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadInput(f"{source}, line {number}, is not JSON: {error.msg}") from error
    cells = row if isinstance(row, dict) else {}
    for name in SEEDS.names:
        if not isinstance(cells.get(name), str):
            raise BadInput(f"{source}, line {number}, has no text under {name!r}")
    return {name: cells[name] for name in SEEDS.names}


def _parquet(data: bytes, source: str) -> pa.Table:
    try:
        table = pq.read_table(pa.BufferReader(data), partitioning=None)
        _require_columns(table.column_names, source)
        return table.select(SEEDS.names).cast(SEEDS)
    except (pa.ArrowException, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"{source} cannot be read as a table of seeds: {reason}") from error


def _require_columns(names: Sequence[str], source: str) -> None:
    missing = [name for name in SEEDS.names if name not in names]
    if missing:
        raise BadInput(
            f"{source} has no column {missing[0]!r}; seeds need {', '.join(SEEDS.names)}"
        )


def _check(table: pa.Table, source: str) -> None:
    rows = table.to_pylist()
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        empty = [name for name in SEEDS.names if not (row[name] or "").strip()]
        if empty:
            raise BadInput(f"{source}, row {number}, has an empty {empty[0]!r}; fill it or drop it")
        if row["domain"] not in DOMAINS:
            raise BadInput(
                f"{source}, row {number}, has the domain {row['domain']!r}; "
                f"write one of {', '.join(DOMAINS)}"
            )
        if row["seed_id"] in seen:
            raise BadInput(f"{source}, row {number}, repeats the seed_id {row['seed_id']!r}")
        seen.add(row["seed_id"])
