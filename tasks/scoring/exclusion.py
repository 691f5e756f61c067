"""Known-faulty items: a benchmark is scored with and without them, side by side."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tasks.errors import BadInput
from tasks.scoring.columns import labels

WITHOUT, WITH = "without flagged items", "with excluded items"
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Faulty:
    """One item, in one language of one benchmark; None: in every one."""

    item_id: str
    language: str | None = None
    benchmark: str | None = None


Exclusion = frozenset[Faulty]


def read_exclusion(path: Path) -> Exclusion:
    """The items that a file names.

    JSON: a list of ids, or lists of ids by language. CSV or JSONL: a column `item_id`, and where
    they matter `language` and `benchmark`. Anything else: one id a line. Raises BadInput.
    """
    try:
        found = frozenset(_READERS.get(path.suffix, _lines)(path))
    except FileNotFoundError as error:
        raise BadInput(f"--exclude-items: there is no file {path}.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"--exclude-items: {path} cannot be read ({error}): give a JSON list of item ids, "
            "lists by language, or a table with a column item_id."
        ) from error
    if not found:
        raise BadInput(f"--exclude-items: {path} names no item.")
    return found


def _json(path: Path) -> Iterator[Faulty]:
    read = json.loads(path.read_text())
    if isinstance(read, dict):
        for language, ids in read.items():
            yield from (Faulty(_id(one), language) for one in ids)
    else:
        yield from (Faulty(_id(one)) for one in read)


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no item id")
    return str(value)


def _csv(path: Path) -> Iterator[Faulty]:
    with path.open(newline="") as lines:
        return iter([_faulty(row) for row in csv.DictReader(lines)])


def _jsonl(path: Path) -> Iterator[Faulty]:
    return (_faulty(json.loads(line)) for line in path.read_text().splitlines() if line.strip())


def _faulty(row: dict[str, Any]) -> Faulty:
    return Faulty(_id(row["item_id"]), row.get("language") or None, row.get("benchmark") or None)


def _lines(path: Path) -> Iterator[Faulty]:
    return (Faulty(line.strip()) for line in path.read_text().splitlines() if line.strip())


_READERS = {".json": _json, ".csv": _csv, ".jsonl": _jsonl}


def with_and_without(table: pa.Table, exclude: Exclusion | None) -> tuple[pa.Table, list[str]]:
    """The rows, and once more those of benchmarks with faulty items under a second name.

    What `exclude` names is left out under the benchmark's own name and kept under the second; what
    the grades themselves flag the other way round, since nobody asked for it.
    """
    faulty = _flagged(table) if exclude is None else _named(table, exclude)
    if not faulty.any():
        return table, []
    benchmarks = labels(table, "benchmark")
    touched = np.unique(benchmarks.codes[faulty])
    twice = np.isin(benchmarks.codes, touched)
    own = np.ones(len(faulty), dtype=bool) if exclude is None else ~faulty
    second = twice & ~faulty if exclude is None else twice
    ending = WITHOUT if exclude is None else WITH
    again = table.filter(pa.array(second))
    names = pc.binary_join_element_wise(again.column("benchmark").cast(pa.string()), ending, " ")
    place = table.column_names.index("benchmark")
    again = again.set_column(place, "benchmark", names)
    first = table.filter(pa.array(own))
    first = first.set_column(place, "benchmark", first.column("benchmark").cast(pa.string()))
    note = (
        f"{int(faulty.sum())} of {len(faulty)} answers are to items that are "
        f"{'flagged as faulty' if exclude is None else 'excluded'}; "
        f"{', '.join(benchmarks.names[code] for code in touched)} is scored with and without them"
    )
    return pa.concat_tables([first, again], promote_options="permissive"), [note]


def _flagged(table: pa.Table) -> Bools:
    if "flags" not in table.column_names:
        return np.zeros(table.num_rows, dtype=bool)
    length = pc.fill_null(pc.list_value_length(table.column("flags")), 0)
    return np.asarray(length.to_numpy() > 0)


def _named(table: pa.Table, exclude: Exclusion) -> Bools:
    columns = {name: labels(table, name) for name in ("item_id", "language", "benchmark")}
    place = {k: {name: at for at, name in enumerate(v.names)} for k, v in columns.items()}
    found = np.zeros(table.num_rows, dtype=bool)
    for language, benchmark in {(one.language, one.benchmark) for one in exclude}:
        of = (language, benchmark)
        ids = {one.item_id for one in exclude if (one.language, one.benchmark) == of}
        codes = [place["item_id"][one] for one in ids if one in place["item_id"]]
        rows = np.isin(columns["item_id"].codes, codes)
        for name, wanted in (("language", language), ("benchmark", benchmark)):
            if wanted is not None:
                rows &= columns[name].codes == place[name].get(wanted, -2)
        found |= rows
    if not found.any():
        first = min(one.item_id for one in exclude)
        raise BadInput(
            f"none of the {len(exclude)} items to exclude ({first!r} for one) is among the grades, "
            f"whose items are named like {columns['item_id'].names[0]!r}: use their names."
        )
    return found
