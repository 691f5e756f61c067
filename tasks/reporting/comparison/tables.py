"""The tables of a report over models, as rows that the template prints."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tasks.reporting.comparison.compared import Comparison, Model
from tasks.reporting.comparison.subjects import extent, samples_per_item
from tasks.reporting.names import (
    EVERY_LANGUAGE,
    MINUS,
    NOISE_FLOOR,
    SCRIPT_DIFFERENCE,
    language_name,
    metric,
)
from tasks.reporting.scores import Score
from tasks.reporting.shown import number
from tasks.reporting.tables import SPREAD

HEADLINE = ("source_accuracy", "target_accuracy", "xlt_gap", "hat", "hat_corrected",
            "hat_chance_corrected")  # fmt: skip
OTHERS = ("ratio_of_means", "transfer_conditional", "transfer_joint", "hat_parsed", "hat_integral",
          "profile_curvature", "accuracy_parsed", "majority_accuracy")  # fmt: skip
COMPARED = ("target_accuracy", "hat", "hat_corrected", "hat_chance_corrected")
DIFFERENCES_SHOWN = 400
NO_REASON = "no reason given"


@dataclass(frozen=True)
class HeadlineRow:
    """A model on a benchmark: means over targets, and the main score taken otherwise."""

    model: Model
    means: list[Score | None]  # of the headline's metrics
    median: Score | None
    pooled: Score | None
    targets: str  # how many of them are defined
    samples: str
    coverage: str


@dataclass(frozen=True)
class Headline:
    """The models on one benchmark."""

    benchmark: str
    metrics: list[str]
    main: str
    rows: list[HeadlineRow]


def headline(c: Comparison) -> list[Headline]:
    """One table for each benchmark, with the metrics that any row has a mean of."""
    found = []
    for benchmark in c.benchmarks:
        names = [name for name in HEADLINE if c.has_mean(benchmark, name)]
        main = c.main(benchmark)
        rows = [_headline_row(c, benchmark, model, names, main) for model in c.models]
        found.append(Headline(benchmark, names, main, [row for row in rows if row]))
    return found


def _headline_row(
    c: Comparison, benchmark: str, model: Model, names: list[str], main: str
) -> HeadlineRow | None:
    means = [c.find(model, benchmark, "mean", name) for name in names]
    found = next((row for row in means if row), None)
    if found is None:
        return None
    headlined = c.find(model, benchmark, "mean", main)
    defined = number(headlined.n_targets if headlined else None, "count")
    return HeadlineRow(
        model,
        means,
        c.find(model, benchmark, "median", main),
        c.find(model, benchmark, "pooled", main),
        f"{defined} of {len(c.languages(benchmark, main))}",
        extent([samples_per_item(c, model, benchmark)], ".3g"),
        found.shown_coverage,
    )


@dataclass(frozen=True)
class OtherMeans:
    """Further scores of the models on one benchmark."""

    benchmark: str
    metrics: list[str]
    rows: list[tuple[Model, list[Score | None], str]]  # means; items without source pass


def other_means(c: Comparison) -> list[OtherMeans]:
    """What stands behind the headline, and how many items say nothing about transfer."""
    found = []
    for benchmark in c.benchmarks:
        names = [name for name in OTHERS if c.has_mean(benchmark, name)]
        rows = [
            (
                model,
                [c.find(model, benchmark, "mean", name) for name in names],
                _without_source_pass(c, model, benchmark),
            )
            for model in c.models
        ]
        found.append(OtherMeans(benchmark, names, rows))
    return [table for table in found if table.metrics]


def _without_source_pass(c: Comparison, model: Model, benchmark: str) -> str:
    name = "items_without_source_pass"
    rows = [c.find(model, benchmark, code, name) for code in c.languages(benchmark, name)]
    return extent((row.value for row in rows if row), ",.0f")


@dataclass(frozen=True)
class LanguageTable:
    """A metric of all models in each language of a benchmark."""

    metric: str
    rows: list[tuple[str, list[Score | None]]]  # language, by model


def language_tables(c: Comparison, benchmark: str) -> list[LanguageTable]:
    """Target accuracy and the score to compare."""
    return [
        LanguageTable(
            name,
            [
                (language_name(code), [c.find(model, benchmark, code, name) for model in c.models])
                for code in c.languages(benchmark, name)
            ],
        )
        for name in dict.fromkeys(("target_accuracy", c.main(benchmark)))
    ]


@dataclass(frozen=True)
class SideBySide:
    """A benchmark beside its variants without some items."""

    original: str
    benchmarks: list[str]
    metrics: list[str]
    rows: list[tuple[Model, list[list[Score | None]]]]  # by metric, by benchmark


def side_by_side(c: Comparison) -> list[SideBySide]:
    """The benchmarks that occur with and without some items."""
    groups: dict[str, list[str]] = defaultdict(list)
    for benchmark in c.benchmarks:
        groups[c.original(benchmark)].append(benchmark)
    return [_side_by_side(c, *group) for group in groups.items() if len(group[1]) > 1]


def _side_by_side(c: Comparison, original: str, benchmarks: list[str]) -> SideBySide:
    names = [name for name in COMPARED if any(c.any_mean(b, name) for b in benchmarks)]
    rows = [
        (model, [[c.find(model, b, "mean", name) for b in benchmarks] for name in names])
        for model in c.models
    ]
    return SideBySide(original, benchmarks, names, rows)


@dataclass(frozen=True)
class SpreadTable:
    """How far the languages lie apart on one benchmark."""

    benchmark: str
    metrics: list[str]
    rows: list[tuple[Model, list[tuple[Score | None, Score | None]]]]  # value, noise floor


def spread(c: Comparison) -> list[SpreadTable]:
    """Each spread beside its noise floor; benchmarks that have spreads only."""
    found = []
    for benchmark in c.benchmarks:
        there = {row.metric for row in c.scores.rows if row.benchmark == benchmark}
        names = [name for name in SPREAD if name in there]
        rows = [
            (model, [_with_floor(c, model, benchmark, name) for name in names])
            for model in c.models
        ]
        found.append(SpreadTable(benchmark, names, rows))
    return [table for table in found if table.metrics]


def _with_floor(
    c: Comparison, model: Model, benchmark: str, name: str
) -> tuple[Score | None, Score | None]:
    value, floor = (
        c.find(model, benchmark, EVERY_LANGUAGE, one) for one in (name, name + NOISE_FLOOR)
    )
    return value, floor


def differences(c: Comparison) -> list[Score]:
    """Differences with intervals: between models in the mean, between targets of one model."""
    kept = {(b, name) for b in c.benchmarks for name in ("target_accuracy", c.main(b))}
    return [
        row
        for row in c.scores.rows
        if (row.benchmark, row.metric) in kept
        and ((row.baseline and row.target == "mean") or (MINUS in row.target and not row.baseline))
        and row.target != SCRIPT_DIFFERENCE
    ]


@dataclass(frozen=True)
class Undefined:
    """Why some scores have no value, or what is to be known of one that has."""

    benchmark: str
    note: str
    metrics: str
    targets: str
    models: str
    count: int


def noted(c: Comparison) -> list[Undefined]:
    """Every note of every score, with the metrics, targets and models that share it."""
    targets: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for row in c.scores.rows:
        if row.note or row.value is None:
            note = row.note or NO_REASON
            targets[row.benchmark, note, _who(row), row.metric].append(row.target)
    metrics: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (benchmark, note, who, name), found in targets.items():
        metrics[benchmark, note, who, tuple(found)].append(name)
    models: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for (benchmark, note, who, shared), names in metrics.items():
        models[benchmark, note, shared, tuple(names)].append(who)
    everyone = sorted(model.name for model in c.models) if len(c.models) > 1 else []
    return [
        Undefined(
            benchmark,
            note,
            "; ".join(metric(name).title for name in names),
            ", ".join(language_name(target) for target in shared),
            f"all {len(who)} models" if sorted(who) == everyone else ", ".join(who),
            len(names) * len(shared) * len(who),
        )
        for (benchmark, note, shared, names), who in models.items()
    ]


def _who(row: Score) -> str:
    return f"{row.model} − {row.baseline}" if row.baseline else row.model
