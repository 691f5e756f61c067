"""Graded samples from other harnesses' logs and from plain tables, as a GRADES table.

Each format is a row of FORMATS: what it is called, how a file of it is told, how it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput
from tasks.importers import inspect_logs, lm_eval, nemo_skills, simple_evals, tables
from tasks.importers.asked import Asked, Notes
from tasks.importers.sources import Source, find


class Imported(NamedTuple):
    """`grades` has the columns of GRADES that the files state; `notes` are whole sentences."""

    grades: pa.Table
    notes: list[str]


class Format(NamedTuple):
    """One kind of file."""

    what: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source, Asked, Notes], pa.Table]


# The first that recognises a file reads it.
FORMATS = (
    Format("lm-evaluation-harness samples_*.jsonl", lm_eval.recognises, lm_eval.read),
    Format("Inspect logs (.eval or JSON)", inspect_logs.recognises, inspect_logs.read),
    Format("simple-evals *_allresults.json", simple_evals.recognises, simple_evals.read),
    Format("NeMo-Skills output-rsN.jsonl", nemo_skills.recognises, nemo_skills.read),
    Format("tables (.csv, .tsv, .parquet, .jsonl)", tables.recognises, tables.read),
)


def read_grades(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] = {},
    constants: Mapping[str, str] = {},
) -> Imported:
    """The graded samples of files, folders (searched for files that are recognised) or globs.

    `columns` maps a column of GRADES to what the files call it: a column of a table, a dotted path
    into a record of a log. `constants` gives one value for a column that the files lack; it stands
    against what a log says only by its file name. Text columns are dictionaries.

    Raises:
        BadInput: a file that is no such format or is damaged, a row that cannot be read, a needed
            column that nothing gives.
    """
    asked, notes = Asked(columns, constants), Notes()
    asked.check()
    read, passed = [], []
    for source, named in find(files):
        form = _format(source)
        if form is None or (
            not named and form.read is tables.read and not tables.is_graded(source, asked)
        ):
            if named:
                raise _unrecognised(source)
            passed.append(source.name)
            continue
        read.append((source, _read(form, source, asked, notes)))
    if not read:
        raise BadInput(
            f"nothing to read in {', '.join(map(str, files)) or 'no files'}: {_accepted()}."
        )
    if passed:
        shown = ", ".join(passed[:3]) + (" and more" if len(passed) > 3 else "")
        notes.say(
            f"{len(passed)} files in folders were passed over, as they hold no grades ({shown})."
        )
    return Imported(_joined(read), notes.sentences())


def _format(source: Source) -> Format | None:
    return next((form for form in FORMATS if form.recognises(source)), None)


def _read(form: Format, source: Source, asked: Asked, notes: Notes) -> pa.Table:
    try:
        return form.read(source, asked, notes)
    except (AttributeError, IndexError, KeyError, TypeError, pa.ArrowException) as error:
        raise BadInput(
            f"{source} is not of the shape that {form.what} have: {error!r} came up; check that it "
            "is whole and that no --column names a field of another type."
        ) from error


def _accepted() -> str:
    return f"what is read are {', '.join(form.what for form in FORMATS)}"


def _unrecognised(source: Source) -> BadInput:
    return BadInput(f"{source} is of no kind that can be read: {_accepted()}.")


def _joined(read: Sequence[tuple[Source, pa.Table]]) -> pa.Table:
    stated = [source for source, table in read if "source_language" in table.column_names]
    silent = [source for source, table in read if "source_language" not in table.column_names]
    if stated and silent:
        raise BadInput(
            f"{silent[0]} does not say the source_language of its items although {stated[0]} does: "
            "give it with --value source_language=CODE, or score them apart."
        )
    joined = pa.concat_tables([table for _, table in read], promote_options="permissive")
    joined = joined.unify_dictionaries()
    return joined.select([name for name in GRADES.names if name in joined.column_names])


__all__ = ["FORMATS", "Imported", "read_grades"]
