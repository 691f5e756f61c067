"""Which language is the source of each item, however its code is written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tasks.errors import BadInput
from tasks.languages.codes import spelled
from tasks.scoring.columns import labels
from tasks.scoring.samples import Samples, same_per_item
from tasks.scoring.statistics import Ints


def refuse_absent_source(table: pa.Table, source: str) -> None:
    """Raise BadInput where no benchmark at all has answers in a source language."""
    if "parallel" in table.column_names and pc.min(table.column("parallel")).as_py() == 0:
        table = table.filter(pc.fill_null(pc.cast(table.column("parallel"), pa.bool_()), True))
    if table.num_rows == 0:
        return
    languages = labels(table, "language").names
    named = labels(table, "source_language").names or [source]
    if "source_language" in table.column_names and not labels(table, "source_language").names:
        return
    if not {spelled(one, languages) for one in named} & set(languages):
        raise BadInput(
            f"no model has answers in {'+'.join(named)!r}, the source language, which all "
            f"{table.num_rows} answers need (they are in {', '.join(languages)}); nothing was "
            "scored: add them, or name another source."
        )


def refuse_two_spellings(name: str, rows: Samples) -> None:
    """Raise BadInput where two language codes are one but for capitals, blanks and dashes."""
    first: dict[str, str] = {}
    for language in rows.language.names:
        other = first.setdefault(language.strip().casefold().replace("-", "_"), language)
        if other != language:
            count = int((rows.language.codes == rows.language.names.index(language)).sum())
            raise BadInput(
                f"benchmark {name!r} writes one language {other!r} and {language!r} (the latter in "
                f"{count} rows); nothing was scored: write it one way."
            )


def sources_of_items(
    name: str, rows: Samples, items: list[str], item: Ints, parallel: bool
) -> tuple[Ints, tuple[str, ...]]:
    """The source language of each item as an index into the benchmark's languages, or -1.

    And the source language of each item that has one in which nobody answered.
    """
    if not parallel:
        return np.full(len(items), -1), ()
    place = {language: i for i, language in enumerate(rows.language.names)}
    known = np.array([*(place.get(spelled(one, place), -1) for one in rows.source.names), -1])
    found = same_per_item(name, "source_language", rows.source.codes, items, item)
    if len(np.unique(found >= 0)) > 1:
        raise BadInput(
            f"benchmark {name!r} has a source_language for some items only: give it to all or none."
        )
    absent = found[(known[found] < 0) & (found >= 0)]
    of_item = np.asarray(known[found])
    if len(rows.language.names) == 1:  # alone, a source has no target: its accuracy is what counts
        of_item = np.full(len(items), -1)
    return of_item, tuple(rows.source.names[code] for code in absent)


def respelled(rows: Samples) -> Iterator[str]:
    """Sources that the answers write in another way."""
    for one in rows.source.names:
        written = spelled(one, rows.language.names)
        if written != one:
            yield f"the source language {one!r} is {written!r} among the answers"
