"""NeMo-Skills: output-rsN.jsonl, one file per random seed N, one line per item.

The files do not name the model. The benchmark is the folder's name where that lies in
`eval-results`, as the tool writes it; the language is the item's own field or part of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tasks.errors import BadInput
from tasks.importers.asked import Asked, Notes, at_path
from tasks.importers.rows import Row, first, is_missing, log_table, number, overridden, status
from tasks.importers.sources import Source
from tasks.languages.codes import language_code, taken_apart

_FILE = re.compile(r"output(-rs(?P<seed>\d+)|-greedy)?(_chunk_\d+)?\.jsonl")
_VERDICTS = ("symbolic_correct", "is_correct", "judgement")
_JUDGED = re.compile(r"judgement:\s*\**\s*(yes|no)\b", re.IGNORECASE)
_LANGUAGES = ("language", "lang", "target_language", "subset_for_metrics")


def recognises(source: Source) -> bool:
    """Whether this is such a file, by its name or its first line."""
    return "generation" in source.record and (
        bool(_FILE.fullmatch(source.name)) or any(n in source.record for n in _VERDICTS)
    )


def read(source: Source, asked: Asked, notes: Notes) -> pa.Table:
    """The samples of one file; raises BadInput."""
    return log_table(source, _rows(source, asked, notes), asked)


def _rows(source: Source, asked: Asked, notes: Notes) -> Iterator[Row]:
    named = _FILE.fullmatch(source.name)
    sample = int(named["seed"]) if named and named["seed"] else 0
    folder = source.folder.name if source.folder.parent.name == "eval-results" else None
    apart = taken_apart(folder) if folder else None
    verdict = asked.columns.get("score") or first(
        {n: n for n in _VERDICTS if n in source.record}, *_VERDICTS
    )
    if verdict is None:
        raise BadInput(
            f"{source} is not graded: it has none of {', '.join(_VERDICTS)}; run the tool's "
            "evaluation, or name the field with --column score=NAME."
        )
    for place, (line, record) in enumerate(source.records()):
        where = f"line {line} of {source}"
        value = at_path(record, verdict, where, "--column score")
        if is_missing(value):
            notes.say("{n} samples of NeMo-Skills have no verdict and were left out.", 1)
            continue
        score = _score(value, where)
        row = {
            "benchmark": apart.benchmark if apart else folder,
            "language": _language(record) or (apart.language if apart else None),
            "item_id": str(first(record, "id", "problem_id", "index") or place),
            "sample": sample,
            **_answer(record, score),
        }
        yield overridden(row, record, asked, where)
    if not {"id", "problem_id", "index"} & set(source.record):
        notes.say("NeMo-Skills: items are numbered by their lines, as they have no id.")


def _score(value: Any, where: str) -> float:
    if isinstance(value, str) and (judged := _JUDGED.search(value)):
        return float(judged[1].casefold() == "yes")
    return number(value, where)


def _answer(record: dict[str, Any], score: float) -> Row:
    answer = record.get("predicted_answer")
    options = record.get("options")
    said = record.get("generation")
    found = answer is not None or "predicted_answer" not in record
    return {
        "score": score,
        "answer": None if answer is None else str(answer),
        "status": status(score, said, found, record.get("finish_reason")),
        "n_options": len(options) if isinstance(options, list) else None,
        "completion_tokens": record.get("num_generated_tokens"),
    }


def _language(record: dict[str, Any]) -> str | None:
    found = (language_code(str(record[name])) for name in _LANGUAGES if record.get(name))
    return next((code for code in found if code), None)
