"""lm-evaluation-harness: samples_TASK_TIME.jsonl, one line per document and filter.

With `repeats` above 1 the tool keeps all responses of a document in one line, but scores what its
filter makes of them: usually the first alone, sometimes a vote, sometimes all together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.importers.asked import Asked, Notes
from tasks.importers.lm_eval_metrics import chosen
from tasks.importers.lm_eval_repeats import options, reading, repeats
from tasks.importers.rows import Row, first, log_table, overridden
from tasks.importers.sources import Source
from tasks.languages.codes import language_code, taken_apart

_FILE = re.compile(r"samples_(?P<task>.+?)(?P<time>_\d{4}-\d\d-\d\dT[\d.:+-]+)?\.jsonl")
_FIELDS = {"doc_id", "doc", "resps", "filtered_resps"}
_TEXTS = ("arguments", "resps", "filtered_resps", "target")
_IDS = ("id", "question_id", "sample_id", "item_id", "uid", "qid")
_LANGUAGES = ("language", "lang", "locale")


class Run(NamedTuple):
    """What holds for all lines of a file."""

    task: str
    model: str
    form: str | None
    config: dict[str, Any]  # of the task; empty where no results file lies beside


def recognises(source: Source) -> bool:
    """Whether this is such a file, by its first line."""
    return source.record.keys() >= _FIELDS


def read(source: Source, asked: Asked, notes: Notes) -> pa.Table:
    """The samples of one file; raises BadInput."""
    run = _run(source, asked, notes)
    return log_table(source, _rows(source, run, asked, notes), asked)


def _run(source: Source, asked: Asked, notes: Notes) -> Run:
    named = _FILE.fullmatch(source.name)
    task = named["task"] if named else source.path
    time = (named["time"] if named else None) or "_*"
    results = _results(source, time)
    model = results.get("model_name")
    if not model:
        model = source.folder.name
        if not {"model"} & {*asked.columns, *asked.constants}:
            notes.say(
                f"lm-evaluation-harness: the model is taken from the folder's name, {model!r}, as "
                "no results file lies beside the samples; --value model=NAME gives another."
            )
    return Run(
        task, str(model), _form(results, task), (results.get("configs") or {}).get(task) or {}
    )


def _results(source: Source, time: str) -> dict[str, Any]:
    """The run's results file; where none has its time, any of the same folder has its model."""
    for pattern in (f"results{time}.json", "results_*.json"):
        for beside in source.beside(pattern):
            found = beside.document()
            return found if pattern != "results_*.json" else {"model_name": found.get("model_name")}
    return {}


def _form(results: dict[str, Any], task: str) -> str | None:
    examples = (results.get("n-shot") or {}).get(task)
    if examples is None or "chat_template" not in results:
        return None
    return f"{'chat' if results['chat_template'] else 'completion'}, {examples} examples"


def _rows(source: Source, run: Run, asked: Asked, notes: Notes) -> Iterator[Row]:
    whole = asked.columns.get("score", "").startswith("doc.")
    facts = [record if whole else _slim(record) for _, record in source.records()]
    choice = chosen(str(source), facts, run.config, asked, notes)
    how = reading((r for _, r in source.records()), choice, run.config, asked, notes)
    apart = taken_apart(run.task)
    rest = apart.rest if apart and "benchmark" in asked.constants else ""
    own = _own_id(facts)
    for line, record in source.records():
        if record.get("filter", choice.filter) != choice.filter:
            continue
        where = f"line {line} of {source}"
        doc = record["doc"] if isinstance(record["doc"], dict) else {}
        row: Row = {
            "model": run.model,
            "form": run.form,
            "benchmark": apart.benchmark if apart else run.task,
            "language": (apart.language if apart else None) or _language(doc),
            "item_id": _item_id(record, doc, rest, own),
            "temperature": _temperature(record),
            "n_options": len(options(record)) or None,
        }
        row = overridden(row, record, asked, where)
        for repeat in repeats(record, row["language"], how, where):
            yield row | repeat


def _slim(record: dict[str, Any]) -> dict[str, Any]:
    """A line without its texts: all lines of a file are looked at before the first is read."""
    doc = record["doc"] if isinstance(record["doc"], dict) else {}
    return {name: value for name, value in record.items() if name not in _TEXTS} | {
        "doc": {name: doc[name] for name in _IDS if name in doc}
    }


def _item_id(record: dict[str, Any], doc: dict[str, Any], rest: str, own: str | None) -> str:
    """The document's own id, else its place; `rest` is the subset of a task that became one."""
    found = str(doc[own] if own else record["doc_id"])
    return f"{rest}/{found}" if rest else found


def _own_id(records: Sequence[dict[str, Any]]) -> str | None:
    """The field of the documents that holds a different id in each, if any."""
    docs = {record["doc_id"]: record["doc"] for record in records}.values()
    for name in _IDS:
        ids = [
            str(doc[name]) for doc in docs if isinstance(doc, dict) and doc.get(name) is not None
        ]
        if len(ids) == len(docs) == len(set(ids)):
            return name
    return None


def _language(doc: dict[str, Any]) -> str | None:
    value = first(doc, *_LANGUAGES)
    return language_code(value) if isinstance(value, str) else None


def _temperature(record: dict[str, Any]) -> float | None:
    arguments = record.get("arguments")
    asked = arguments.get("gen_args_0", {}).get("arg_1") if isinstance(arguments, dict) else None
    if not isinstance(asked, dict):
        return None
    return 0.0 if asked.get("do_sample") is False else asked.get("temperature")
