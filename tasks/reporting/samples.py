"""The question funnel and samples of what models wrote."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tasks.reporting.content import Report
from tasks.reporting.names import in_order, language_name
from tasks.reporting.shown import number, shortened

SHOWN = 8  # texts of each kind
REASONS = 15
STAGES = ("written", "parsed", "kept", "labelled", "trained on")


@dataclass(frozen=True)
class FunnelRow:
    """How many questions of a language were left after each stage; None: no such stage."""

    language: str
    counts: list[int | None]  # in the order of STAGES


def funnel(report: Report) -> list[FunnelRow]:
    """One row per language and one over all."""
    if report.questions is None:
        return []
    written = _per_language(report.questions)
    stages = [
        written,
        _per_language(report.questions, "parsed"),
        _per_language(report.questions, "kept"),
        None if report.labels is None else _per_language(report.labels),
        None if report.labels is None else _per_language(report.labels, "kept"),
    ]
    rows = [
        FunnelRow(language_name(code), [None if stage is None else stage[code] for stage in stages])
        for code in in_order(written)
    ]
    total = FunnelRow("All", [None if stage is None else stage.total() for stage in stages])
    return [*rows, total]


def _per_language(table: pa.Table, where: str | None = None) -> Counter[str]:
    """Rows per language, of those that say yes in the column `where`."""
    chosen = table if where is None else table.filter(pc.field(where))
    return Counter(chosen.column("language").to_pylist())


@dataclass(frozen=True)
class Reason:
    """Why something was not kept, and how often."""

    what: str
    reason: str
    total: int
    languages: str


def reasons(report: Report) -> list[Reason]:
    """The most frequent reasons of questions, labels and reward measurements."""
    tables = (
        ("question", report.questions),
        ("label", report.labels),
        ("rollout in training", report.rollouts),
    )
    found = []
    for what, table in tables:
        if table is not None:
            found += _reasons(what, table.select(["language", "reason"]).to_pylist())
    return found


def _reasons(what: str, rows: Iterable[dict[str, Any]]) -> list[Reason]:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["reason"]:
            counted[row["reason"]][row["language"]] += 1
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    found = [
        Reason(what, reason, per.total(), ", ".join(f"{k} {per[k]}" for k in sorted(per)))
        for reason, per in ranked[:REASONS]
    ]
    others = sum(per.total() for _, per in ranked[REASONS:])
    return [*found, Reason(what, "other reasons", others, "")] if others else found


@dataclass(frozen=True)
class Sample:
    """A text of a model: what it is, in which language, and its parts."""

    language: str | None
    heading: str
    parts: list[tuple[str, str]]


def question_samples(table: pa.Table | None, kept: bool) -> list[Sample]:
    """Some of the questions, in turn from every language."""
    return [_question(row) for row in _in_turn(table, kept)]


def _question(row: dict[str, Any]) -> Sample:
    heading = _heading(row)
    if not row["parsed"]:
        return Sample(row["language"], heading, [("as written", shortened(row["text"] or ""))])
    names = ("question", "reasoning", "answer")
    return Sample(row["language"], heading, [(n, shortened(row[n] or "")) for n in names])


def label_samples(table: pa.Table | None, kept: bool) -> list[Sample]:
    """Some of the labels, in turn from every language."""
    return [_label(row) for row in _in_turn(table, kept)]


def _label(row: dict[str, Any]) -> Sample:
    answers = Counter(shortened(answer or "", 60) for answer in row["answers"] or [])
    parts = [
        ("question", shortened(row["question"] or "")),
        ("reasoning", shortened(row["reasoning"] or "")),
        ("answer", shortened(row["answer"] or "")),
        ("all answers", " · ".join(f"{text} ×{n}" for text, n in answers.most_common())),
    ]
    heading = f"{_heading(row)}, agreement {number(row['agreement'])}"
    return Sample(row["language"], heading, parts)


def _heading(row: dict[str, Any]) -> str:
    said = f": {row['reason']}" if row["reason"] else ""
    return f"{language_name(row['language'])}, {row['domain'] or 'no domain'}{said}"


def _in_turn(table: pa.Table | None, kept: bool) -> list[dict[str, Any]]:
    """The first rows of every language, one of each, then the next."""
    if table is None:
        return []
    place: Counter[str] = Counter()
    ranked = []
    for row in table.to_pylist():
        if bool(row["kept"]) is kept:
            ranked.append((place[row["language"]], row))
            place[row["language"]] += 1
    ranked.sort(key=lambda pair: pair[0])
    return [row for _, row in ranked[:SHOWN]]
