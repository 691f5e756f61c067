"""The tables of the page, as rows that the template prints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tasks.reporting.names import NOISE_FLOOR, in_order, language_name, metric
from tasks.reporting.scores import Score, Scores
from tasks.reporting.shown import number

HEADLINE = ("target_accuracy", "hat", "hat_corrected", "hat_chance_corrected")
SPREAD = ("range", "trimmed_range", "std", "std_corrected", "iqr", "cv")
LEAST_COVERAGE = 0.95
LARGEST_COVERAGE_DIFFERENCE = 0.02


@dataclass(frozen=True)
class HeadlineRow:
    """A metric's mean over targets per model, and the differences between models."""

    title: str
    meaning: str
    values: list[Score | None]
    differences: list[Score | None]
    targets: str  # how many of the targets are defined, per model
    samples: str
    coverage: str


def headline(scores: Scores) -> list[tuple[str, list[HeadlineRow]]]:
    """What the report says in short: the rows of each benchmark that has any."""
    grouped = [
        (benchmark, [_headline_row(scores, benchmark, name) for name in HEADLINE])
        for benchmark in scores.benchmarks
    ]
    return [(b, found) for b, rows in grouped if (found := [row for row in rows if row])]


def _headline_row(scores: Scores, benchmark: str, name: str) -> HeadlineRow | None:
    values = [scores.find(model, benchmark, "mean", name) for model in scores.models]
    found = [score for score in values if score is not None]
    if not found:
        return None
    of = len(scores.targets(benchmark, name))
    return HeadlineRow(
        metric(name).title,
        metric(name).meaning,
        values,
        [scores.find(model, benchmark, "mean", name, base) for model, base in scores.pairs],
        _joined(f"{number(s.n_targets, 'count')} of {of}" for s in found),
        _joined(number(s.n_samples, "count") for s in found),
        _joined(number(s.coverage, "percent") for s in found),
    )


def _joined(texts: Iterable[str]) -> str:
    """The texts of all models; once where they are the same."""
    listed = list(texts)
    return listed[0] if len(set(listed)) == 1 else " / ".join(listed)


@dataclass(frozen=True)
class SpreadRow:
    """How far languages lie apart for one model, beside what noise alone would give."""

    benchmark: str
    title: str
    cells: list[tuple[Score | None, Score | None]]  # value and noise floor, per model
    differences: list[Score | None]


def spread(scores: Scores) -> list[SpreadRow]:
    """The spread metrics that the scores have."""
    named = {(s.benchmark, s.metric): s.target for s in scores.rows}
    return [
        SpreadRow(
            benchmark,
            metric(name).title,
            [
                (
                    scores.find(model, benchmark, named[benchmark, name], name),
                    scores.find(model, benchmark, named[benchmark, name], name + NOISE_FLOOR),
                )
                for model in scores.models
            ],
            [
                scores.find(model, benchmark, named[benchmark, name], name, base)
                for model, base in scores.pairs
            ],
        )
        for benchmark in scores.benchmarks
        for name in SPREAD
        if (benchmark, name) in named
    ]


@dataclass(frozen=True)
class Undefined:
    """Scores without a value for one reason."""

    benchmark: str
    model: str
    title: str
    note: str
    languages: str


def noted(scores: Scores) -> list[Undefined]:
    """Every note, with the languages that share it."""
    grouped: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for s in scores.rows:
        if s.note:
            model = f"{s.model} − {s.baseline}" if s.baseline else s.model
            grouped[s.benchmark, model, metric(s.metric).title, s.note].append(s.target)
    return [
        Undefined(*key, ", ".join(language_name(t) for t in targets))
        for key, targets in grouped.items()
    ]


@dataclass(frozen=True)
class Flag:
    """A model and language whose readable answers are too few, or unlike the source's."""

    benchmark: str
    model: str
    language: str
    target: str
    source: str
    why: str


def coverage_flags(scores: Scores, trained: Collection[str]) -> list[Flag]:
    """Coverage below 95 %, or more than two points from the source's."""
    return [
        Flag(
            benchmark,
            model,
            language_name(code),
            number(target.coverage, "percent"),
            number(None if source is None else source.coverage, "percent"),
            "; ".join(why),
        )
        for benchmark in scores.benchmarks
        for model in scores.models
        for code in in_order(scores.targets(benchmark, "target_accuracy"), trained)
        if (target := scores.find(model, benchmark, code, "target_accuracy"))
        for source in [scores.find(model, benchmark, code, "source_accuracy")]
        if (why := _why(target, source))
    ]


def _why(target: Score, source: Score | None) -> list[str]:
    if target.coverage is None:
        return []
    reasons = []
    if target.coverage < LEAST_COVERAGE:
        reasons.append("below 95 %")
    if source is not None and source.coverage is not None:
        apart = abs(target.coverage - source.coverage)
        if apart > LARGEST_COVERAGE_DIFFERENCE:
            reasons.append(f"{100 * apart:.1f} points from the source")
    return reasons
