"""simple-evals: EVAL_MODEL_DATE_TIME_allresults.json, and lists of single results.

Two shapes are read: an object with `htmls` or `convos` and, in `metadata`, one entry per sample in
`example_level_metadata`; and an object with `single_eval_results`, each with a `score`. The first
has no score beside each sample unless the evaluation put one into its metadata; it is then read
from the rendered result. Items have no ids: equal prompts are samples of one item, and items are
numbered in the order of their first sample, so that the same benchmark in two languages matches.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tasks.errors import BadInput
from tasks.importers.asked import Asked, Notes, at_path
from tasks.importers.rows import Row, first, is_missing, log_table, number, overridden, status
from tasks.importers.sources import Source
from tasks.languages.codes import language_code, taken_apart

_FILE = re.compile(
    r"(?P<task>[^_]+(?:_(?P<locale>[A-Z]{2}[-_][A-Z]{2}))?)_(?P<model>.+?)"
    r"(_DEBUG|_\d{8}_\d{6})*(_allresults)?\.json"
)
_KEYS = (b'"htmls"', b'"convos"', b'"single_eval_results"')
_SCORE = re.compile(r"<p>\s*Score:\s*(.*?)\s*</p>", re.DOTALL)
_EXTRACTED = re.compile(r"<p>\s*Extracted Answer:\s*(.*?)\s*</p>", re.DOTALL)
_LANGUAGES = ("language", "lang", "locale")


def recognises(source: Source) -> bool:
    """Whether this is such a file, by its first keys."""
    return source.name.endswith(".json") and any(key in source.head for key in _KEYS)


def read(source: Source, asked: Asked, notes: Notes) -> pa.Table:
    """The samples of one file; raises BadInput."""
    return log_table(source, _rows(source, asked, notes), asked)


def _rows(source: Source, asked: Asked, notes: Notes) -> Iterator[Row]:
    document = source.document()
    samples = _samples(document, source)
    named = _FILE.fullmatch(source.name)
    apart = taken_apart(named["task"]) if named else None
    languages = _languages(samples, document)
    places: dict[tuple[str | None, str], int] = {}
    seen, items = Counter[tuple[str | None, str]](), Counter[str | None]()
    for index, (sample, language) in enumerate(zip(samples, languages, strict=True)):
        where = f"sample {index} of {source}"
        key = (language, _prompt(sample, index))
        if key not in places:
            places[key] = items[language]
            items[language] += 1
        repeat, seen[key] = seen[key], seen[key] + 1
        value = _score(sample, asked, where)
        if is_missing(value):
            notes.say("{n} samples of simple-evals have no score and were left out.", 1)
            continue
        row = {
            "model": named["model"] if named else None,
            "benchmark": (apart.benchmark if apart else named["task"]) if named else None,
            "language": language or (apart.language if apart else None),
            "item_id": str(_field(sample, "id", "item_id", "prompt_id") or places[key]),
            "sample": repeat,
            **_answer(sample, number(value, where)),
        }
        yield overridden(row, sample, asked, where)
    notes.say("simple-evals: items without an id are numbered in the order of their prompts.")


def _samples(document: dict[str, Any], source: Source) -> list[dict[str, Any]]:
    """One record per sample with score, html, convo, metrics and example_level_metadata."""
    if isinstance(single := document.get("single_eval_results"), list):
        return [one if isinstance(one, dict) else {} for one in single]
    metadata = document.get("metadata")
    entries = metadata.get("example_level_metadata") if isinstance(metadata, dict) else None
    given = {
        "html": document.get("htmls"),
        "convo": document.get("convos"),
        "example_level_metadata": entries,
    }
    columns = {name: values for name, values in given.items() if isinstance(values, list)}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise BadInput(
            f"{source} has lists of {' and '.join(map(str, sorted(lengths)))} samples: htmls, "
            "convos and example_level_metadata must be equally long."
        )
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _field(sample: dict[str, Any], *names: str) -> Any:
    inner = sample.get("example_level_metadata")
    found = first(inner, *names) if isinstance(inner, dict) else None
    return first(sample, *names) if found is None else found


def _score(sample: dict[str, Any], asked: Asked, where: str) -> Any:
    if "score" in asked.columns:
        return at_path(sample, asked.columns["score"], where, "--column score")
    found = _field(sample, "score")
    if found is None and (shown := _SCORE.findall(sample.get("html") or "")):
        return {"True": 1.0, "False": 0.0, "None": None}.get(shown[-1], shown[-1])
    return found


def _answer(sample: dict[str, Any], score: float) -> Row:
    """The extracted answer, where the log has one, and what was said."""
    shown = _EXTRACTED.findall(sample.get("html") or "")
    answer = _field(sample, "extracted_answer")
    stated = answer is not None or bool(shown)
    if answer is None and shown and shown[-1] != "None":
        answer = html.unescape(shown[-1])
    convo = sample.get("convo")
    said = convo[-1].get("content") if isinstance(convo, list) and convo else None
    said = said if isinstance(said, str) else None
    found = bool(str(answer).strip()) if answer is not None else not stated and said != ""
    usage = _field(sample, "usage")
    usage = usage if isinstance(usage, dict) else {}
    return {
        "score": score,
        "answer": str(answer) if answer is not None and found else None,
        "status": status(score, said, found),
        "completion_tokens": first(usage, "completion_tokens", "output_tokens"),
    }


def _prompt(sample: dict[str, Any], index: int) -> str:
    convo = sample.get("convo")
    return json.dumps(convo[:-1]) if isinstance(convo, list) and convo else str(index)


def _languages(samples: Sequence[dict[str, Any]], document: dict[str, Any]) -> list[str | None]:
    """The language of each sample, where it says one or its metrics are named by one."""
    blocks = _blocks(samples, document)
    if blocks:
        return blocks
    return [_language(sample) for sample in samples]


def _language(sample: dict[str, Any]) -> str | None:
    stated = _field(sample, *_LANGUAGES)
    if isinstance(stated, str):
        return language_code(stated) or stated
    metrics = sample.get("metrics")
    codes = [name for name in metrics if language_code(name)] if isinstance(metrics, dict) else []
    return language_code(codes[0]) if len(codes) == 1 else None


def _blocks(samples: Sequence[dict[str, Any]], document: dict[str, Any]) -> list[str | None]:
    """The languages of MGSM, whose samples stand in equal blocks in the order of its metrics.

    That they do is checked by the mean that the file states for each language; else none.
    """
    metrics = document.get("metrics")
    means = (
        {n: v for n, v in metrics.items() if language_code(n)} if isinstance(metrics, dict) else {}
    )
    if not means or len(samples) % len(means) or any(_language(sample) for sample in samples):
        return []
    size = len(samples) // len(means)
    edges = range(0, len(samples) + 1, size)
    for mean, (start, end) in zip(means.values(), pairwise(edges), strict=True):
        scores = [_score(sample, Asked(), "") for sample in samples[start:end]]
        if (
            any(is_missing(one) for one in scores)
            or abs(sum(map(float, scores)) / size - mean) > 1e-6
        ):
            return []
    return [language_code(name) for name in means for _ in range(size)]
