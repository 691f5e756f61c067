"""What was compared: the models with their facts, the benchmarks, how often each item was asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tasks.reporting.comparison.compared import Comparison, Model
from tasks.reporting.names import EVERY_LANGUAGE, language_name
from tasks.reporting.scores import Score
from tasks.reporting.shown import ABSENT, number

SOURCES = "+"  # between the source languages of a benchmark that has several


def overview(c: Comparison) -> list[tuple[str, str]]:
    """(words, value) over everything."""
    rows = [row for row in c.scores.rows if not row.baseline]
    sources = dict.fromkeys(code for r in rows if r.source for code in r.source.split(SOURCES))
    targets = {code for b in c.benchmarks for code in c.languages(b, "target_accuracy")}
    sampled = [samples_per_item(c, model, b) for model in c.models for b in c.benchmarks]
    found = [
        ("Models", str(len(c.models))),
        ("Benchmarks", ", ".join(c.benchmarks) or "none"),
        ("Source languages", ", ".join(map(language_name, sources)) or "none"),
        ("Target languages", str(len(targets))),
        ("Answers per item and language (N)", extent(sampled, ".3g")),
        ("Temperature", extent((row.temperature for row in rows), "g")),
    ]
    if c.without_scores:
        found.append(("No scores of", ", ".join(c.without_scores)))
    return found


def extent(values: Iterable[float | None], form: str) -> str:
    """The smallest and the largest of some numbers, once where they are written alike."""
    known = [value for value in values if value is not None]
    if not known:
        return ABSENT
    low, high = f"{min(known):{form}}", f"{max(known):{form}}"
    return low if low == high else f"{low} to {high}"


def samples_per_item(c: Comparison, model: Model, benchmark: str) -> float | None:
    """Mean number of answers to an item in one language.

    Where every item has a source language of its own, the samples of a language are also those
    of items that it is the source of; then only the rows over all languages say it.
    """
    over_all = c.find(model, benchmark, EVERY_LANGUAGE, "range")
    if over_all and over_all.source and SOURCES in over_all.source:
        return _share([over_all], over_all.n_targets or 0)
    codes = c.languages(benchmark, "target_accuracy")
    rows = [c.find(model, benchmark, code, "coverage") for code in codes]
    return _share([row for row in rows if row], 1)


def _share(rows: list[Score], languages: int) -> float | None:
    items = sum(row.n_items or 0 for row in rows) * languages
    return sum(row.n_samples or 0 for row in rows) / items if items else None


@dataclass(frozen=True)
class ModelRow:
    """A model and what is known of it."""

    model: Model
    family: str | None
    system: str | None
    parameters: str
    released: str | None
    thinking: str | None
    temperature: str
    samples: str
    coverage: str


def model_rows(c: Comparison) -> list[ModelRow]:
    """The models in the order of the page."""
    return [_model_row(c, model) for model in c.models]


def _model_row(c: Comparison, model: Model) -> ModelRow:
    means = [c.find(model, b, "mean", "target_accuracy") for b in c.benchmarks]
    covered = [100 * row.coverage for row in means if row and row.coverage is not None]
    facts = model.facts
    return ModelRow(
        model,
        facts.family,
        facts.system,
        ABSENT if facts.parameters is None else f"{facts.parameters:,g} B",
        facts.released,
        facts.thinking,
        extent((row.temperature for row in means if row), "g"),
        extent((samples_per_item(c, model, b) for b in c.benchmarks), ".3g"),
        f"{extent(covered, '.1f')} %" if covered else ABSENT,
    )


@dataclass(frozen=True)
class BenchmarkRow:
    """A benchmark and what was asked of it."""

    name: str
    source: str
    targets: list[str]
    items: str
    samples: str
    lowest: str  # coverage of a model in a language


def benchmark_rows(c: Comparison) -> list[BenchmarkRow]:
    """The benchmarks in the order of the page."""
    return [_benchmark_row(c, name) for name in c.benchmarks]


def _benchmark_row(c: Comparison, benchmark: str) -> BenchmarkRow:
    rows = [r for r in c.scores.rows if r.benchmark == benchmark and not r.baseline]
    sources = dict.fromkeys(code for r in rows if r.source for code in r.source.split(SOURCES))
    means = [c.find(model, benchmark, "mean", "target_accuracy") for model in c.models]
    codes = c.languages(benchmark, "target_accuracy")
    return BenchmarkRow(
        benchmark,
        ", ".join(map(language_name, sources)) or "none",
        [language_name(code) for code in codes],
        extent((float(r.n_items) for r in means if r and r.n_items is not None), ",.0f"),
        extent((samples_per_item(c, model, benchmark) for model in c.models), ".3g"),
        _lowest(c, benchmark, codes),
    )


def _lowest(c: Comparison, benchmark: str, codes: list[str]) -> str:
    """The lowest coverage, and where it is."""
    found = [
        (row.coverage, f"{model.label} in {language_name(code)}")
        for model in c.models
        for code in codes
        if (row := c.find(model, benchmark, code, "target_accuracy")) and row.coverage is not None
    ]
    if not found:
        return ABSENT
    least, where = min(found)
    return f"{number(least, 'percent')} ({where})"
