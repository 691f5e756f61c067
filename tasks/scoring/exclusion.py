"""Known-faulty items: a benchmark is scored with and without them, side by side."""

from __future__ import annotations

import csv
import io
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
from tasks.languages.codes import spelled
from tasks.scoring.columns import Labels, labels

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
        text = path.read_text(encoding="utf-8-sig")
        found = frozenset(_READERS.get(path.suffix.casefold(), _lines)(text))
    except FileNotFoundError as error:
        raise BadInput(f"--exclude-items: there is no file {path}.") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"--exclude-items: {path} cannot be read ({error}): give a JSON list of item ids, "
            "lists by language, or a table with a column item_id."
        ) from error
    if not found:
        raise BadInput(f"--exclude-items: {path} names no item.")
    return found


def _json(text: str) -> Iterator[Faulty]:
    read = json.loads(text)
    by_language = read.items() if isinstance(read, dict) else [(None, read)]
    for language, ids in by_language:
        if not isinstance(ids, list):
            raise TypeError(f"{json.dumps(ids)[:60]} is no list of item ids")
        yield from (Faulty(_id(one), language) for one in ids)


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no item id")
    return str(value)


def _csv(text: str) -> Iterator[Faulty]:
    return (_faulty(row) for row in csv.DictReader(io.StringIO(text, newline="")))


def _jsonl(text: str) -> Iterator[Faulty]:
    return (_faulty(json.loads(line)) for line in text.splitlines() if line.strip())


def _faulty(row: dict[str, Any]) -> Faulty:
    if not isinstance(row, dict) or row.get("item_id") in {None, ""}:
        raise TypeError(f"{json.dumps(row)[:60]} has no item_id")
    return Faulty(_id(row["item_id"]), row.get("language") or None, row.get("benchmark") or None)


def _lines(text: str) -> Iterator[Faulty]:
    return (Faulty(line.strip()) for line in text.splitlines() if line.strip())


_READERS = {".json": _json, ".csv": _csv, ".jsonl": _jsonl}


def with_and_without(table: pa.Table, exclude: Exclusion | None) -> tuple[pa.Table, list[str]]:
    """The rows, and once more those of benchmarks with faulty items under a second name.

    What `exclude` names is left out under the benchmark's own name and kept under the second; what
    the grades themselves flag the other way round, since nobody asked for it.
    """
    faulty, notes = (_flagged(table), []) if exclude is None else _named(table, exclude)
    if not faulty.any():
        return table, notes
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
    notes = [_left_out(benchmarks, faulty, exclude is None), *notes]
    return pa.concat_tables([first, again], promote_options="permissive"), notes


def _left_out(benchmarks: Labels, faulty: Bools, flagged: bool) -> str:
    """What was left out of which benchmarks, and of which nothing remains."""
    touched, left = (np.unique(benchmarks.codes[rows]) for rows in (faulty, ~faulty))
    names, gone = (
        ", ".join(benchmarks.names[code] for code in codes)
        for codes in (touched, np.setdiff1d(touched, left))
    )
    return (
        f"{int(faulty.sum())} of {len(faulty)} answers are to items that are "
        f"{'flagged as faulty' if flagged else 'excluded'}; "
        f"{names} is scored with and without them"
    ) + (f", but nothing is left of {gone} without them" if gone else "")


def _flagged(table: pa.Table) -> Bools:
    if "flags" not in table.column_names:
        return np.zeros(table.num_rows, dtype=bool)
    length = pc.fill_null(pc.list_value_length(table.column("flags")), 0)
    return np.asarray(length.to_numpy() > 0)


def _named(table: pa.Table, exclude: Exclusion) -> tuple[Bools, list[str]]:
    """Which rows are excluded, and a note of what is excluded but not there; raises BadInput."""
    columns = {name: labels(table, name) for name in ("item_id", "language", "benchmark")}
    place = {k: {name: at for at, name in enumerate(v.names)} for k, v in columns.items()}
    found = np.zeros(table.num_rows, dtype=bool)
    absent: list[Faulty] = []
    for language, benchmark in {(one.language, one.benchmark) for one in exclude}:
        rows = np.ones(table.num_rows, dtype=bool)
        written = None if language is None else spelled(language, columns["language"].names)
        for name, wanted in (("language", written), ("benchmark", benchmark)):
            if wanted is not None:
                rows &= columns[name].codes == place[name].get(wanted, -2)
        named = [one for one in exclude if (one.language, one.benchmark) == (language, benchmark)]
        there = np.unique(columns["item_id"].codes[rows])
        codes = {one: place["item_id"].get(one.item_id, -2) for one in named}
        absent += [one for one, code in codes.items() if code not in there]
        found |= rows & np.isin(columns["item_id"].codes, list(codes.values()))
    if not found.any():
        first = min(one.item_id for one in exclude)
        raise BadInput(
            f"none of the {len(exclude)} items to exclude ({first!r} for one) is among the grades, "
            f"whose items are named like {columns['item_id'].names[0]!r}: use their names."
        )
    return found, _absent(absent, len(exclude))


def _absent(absent: list[Faulty], of: int) -> list[str]:
    if not absent:
        return []
    first = min(absent, key=lambda one: (one.item_id, one.language or "", one.benchmark or ""))
    where = "".join(f" in {one}" for one in (first.language, first.benchmark) if one)
    return [
        f"{len(absent)} of {of} items to exclude are not among the grades, "
        f"{first.item_id!r}{where} for one"
    ]
