"""Inspect: `.eval` archives and JSON logs; its epochs are our samples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tasks.errors import BadInput
from tasks.importers.asked import Asked, Notes, at_path
from tasks.importers.rows import Row, first, is_missing, log_table, number, overridden, status
from tasks.importers.sources import Source
from tasks.importers.zipped import Archive, Limits
from tasks.languages.codes import language_code, taken_apart

_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"')
_LANGUAGES = ("language", "lang", "locale")
_HEADERS = ("header.json", "_journal/start.json")  # the latter of a run that did not end


def recognises(source: Source) -> bool:
    """Whether this is such a log, by its first bytes and its name."""
    if source.head.startswith(b"PK"):
        return source.name.endswith(".eval")
    return bool(_JSON.match(source.head))


def read(source: Source, asked: Asked, notes: Notes, limits: Limits = Limits()) -> pa.Table:  # noqa: B008
    """The samples of one log; raises BadInput."""
    if not source.head.startswith(b"PK"):
        log = source.document()
        return log_table(
            source, _rows(source, log, iter(log.get("samples") or ()), asked, notes), asked
        )
    with source.open() as file:
        archive = Archive(file, str(source), limits)
        header = next((name for name in _HEADERS if name in archive.names), None)
        if header is None:
            raise BadInput(f"{source} is no Inspect log: it has no header.json.")
        samples = (n for n in archive.names if n.startswith("samples/") and n.endswith(".json"))
        log = _parsed(archive, header, source)
        found = (_parsed(archive, name, source) for name in samples)
        return log_table(source, _rows(source, log, found, asked, notes), asked)


def _parsed(archive: Archive, name: str, source: Source) -> dict[str, Any]:
    try:
        found = json.loads(archive.read(name))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name!r} in {source} is no JSON: the log is damaged.") from error
    if not isinstance(found, dict):
        raise BadInput(f"{name!r} in {source} is no JSON object: the log is damaged.")
    return found


def _rows(
    source: Source,
    log: dict[str, Any],
    samples: Iterator[dict[str, Any]],
    asked: Asked,
    notes: Notes,
) -> Iterator[Row]:
    task = log["eval"]
    shared = _shared(log)
    if log.get("status", "started") != "success":
        notes.say(f"{source}: the log's status is {log.get('status')!r}, so samples may be absent.")
    for sample in samples:
        where = f"sample {sample['id']!r} of {source}"
        scores = sample.get("scores") or {}
        if not scores:
            notes.say("{n} samples of Inspect logs were not scored and were left out.", 1)
            continue
        scorer = _scorer(log, scores, asked, notes, where)
        value, score = _found(scores, scorer, where)
        if is_missing(value):
            notes.say("{n} samples of Inspect logs were not scored and were left out.", 1)
            continue
        row = {
            **shared,
            "item_id": str(sample["id"]),
            "sample": int(sample.get("epoch", 1)) - 1,
            "language": _language(sample.get("metadata") or {}) or shared["language"],
            **_answer(sample, value, score, where),
            **_tokens(sample, task["model"]),
        }
        yield overridden(row, sample | {"eval": task}, asked, where)


def _shared(log: dict[str, Any]) -> Row:
    task = log["eval"]
    name = str(task["task"]).rpartition("/")[2]
    apart = taken_apart(name)
    asked_for = _language(task.get("task_args") or {})
    configs = [(log.get("plan") or {}).get("config") or {}, task.get("model_generate_config") or {}]
    return {
        "model": task["model"],
        "benchmark": apart.benchmark if apart else name,
        "language": asked_for or (apart.language if apart else None),
        "temperature": next(
            (c["temperature"] for c in configs if c.get("temperature") is not None), None
        ),
    }


def _language(fields: dict[str, Any]) -> str | None:
    value = first(fields, *_LANGUAGES)
    return language_code(value) or value if isinstance(value, str) else None


def _scorer(
    log: dict[str, Any], scores: dict[str, Any], asked: Asked, notes: Notes, where: str
) -> str:
    """The scorer that is asked for, the log's headline, the only one, or the first of several."""
    if "score" in asked.columns:
        return asked.columns["score"]
    headline = ((log.get("results") or {}).get("headline") or {}).get("score")
    chosen = headline if headline in scores else next(iter(scores))
    if len(scores) > 1:
        others = ", ".join(name for name in scores if name != chosen)
        notes.say(f"Inspect: the score is {chosen}; --column score=NAME takes another ({others}).")
    return str(chosen)


def _found(scores: dict[str, Any], scorer: str, where: str) -> tuple[Any, dict[str, Any]]:
    """The value of a scorer, or of one of its parts (SCORER.PART), and its whole entry."""
    name, _, part = scorer.removeprefix("scores.").partition(".")
    if name not in scores:
        raise BadInput(
            f"{where} has no scorer {name!r} for --column score: it has {', '.join(scores)}."
        )
    value = scores[name].get("value")
    if part and part != "value":
        value = at_path({"value": value}, f"value.{part}", where, "--column score")
    if isinstance(value, dict):
        raise BadInput(
            f"the scorer {name!r} of {where} gives several values: choose with "
            f"--column score={name}.PART, where PART is one of {', '.join(value)}."
        )
    return value, scores[name]


def _answer(sample: dict[str, Any], value: Any, score: dict[str, Any], where: str) -> Row:
    output = sample.get("output") or {}
    said = output.get("completion")
    ended = next((choice.get("stop_reason") for choice in output.get("choices") or ()), None)
    answer = score.get("answer")
    # A scorer that reports no answer at all leaves it open whether it found one.
    found = value != "N" and (bool(answer) if answer is not None else bool((said or "x").strip()))
    points = _VALUES[value] if isinstance(value, str) and value in _VALUES else number(value, where)
    choices = sample.get("choices")
    return {
        "score": points,
        "answer": str(answer) if answer else None,
        "status": status(points, said, found, ended),
        "n_options": len(choices) if isinstance(choices, list) else None,
    }


def _tokens(sample: dict[str, Any], model: str) -> Row:
    output = sample.get("output") or {}
    usage = output.get("usage") or (sample.get("model_usage") or {}).get(model) or {}
    return {
        "completion_tokens": usage.get("output_tokens"),
        "reasoning_tokens": usage.get("reasoning_tokens"),
    }
