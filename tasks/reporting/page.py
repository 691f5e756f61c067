"""One HTML page that needs nothing but itself, and the tables beside it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tasks.reporting import samples, tables
from tasks.reporting.content import Report
from tasks.reporting.figures import Figure, look
from tasks.reporting.files import write_files
from tasks.reporting.gain import compared_prompts, gain_rows
from tasks.reporting.gain_split import split_rows
from tasks.reporting.heading import comparison, is_simulated, split_languages
from tasks.reporting.language_figures import Point, bars_per_language, profile
from tasks.reporting.names import Split, in_order
from tasks.reporting.rates import rates_rows
from tasks.reporting.scores import Scores, read_scores
from tasks.reporting.shown import pretty
from tasks.reporting.template import filled
from tasks.reporting.training_figures import agreement_histogram, loss_curves, reward_curves
from tasks.reporting.validity import validity_rows, validity_said

TEMPLATE = "page.html"
METHODS_PAGE = "methods.html"  # beside it, where several methods, students or seeds are compared
PLOTTED = ("target_accuracy", "hat_corrected")

Points = dict[tuple[str, str], dict[str, list[Point]]]  # (benchmark, target), model


def write_report(report: Report, folder: Path) -> None:
    """Write `index.html` and the tables into an existing folder; equal inputs give equal bytes."""
    files = write_files(report, folder)
    (folder / "index.html").write_text(render(report, files), encoding="utf-8", newline="\n")


def render(report: Report, files: list[str]) -> str:
    """The page; `files` are the names of the tables beside it."""
    return filled(TEMPLATE, _context(report, files))


def _context(report: Report, files: list[str]) -> dict[str, Any]:
    scores = read_scores(report.scores)
    split = split_languages(report.labels)
    return {
        "files": files,
        "comparison": comparison(report, scores, split),
        "methods_page": METHODS_PAGE if report.methods else "",
        "simulated": is_simulated(report.settings),
        "scores": scores,
        "looks": [(look(place).sign, model) for place, model in enumerate(scores.models)],
        "headline": tables.headline(scores),
        "split": split_rows(scores),
        "benchmarks": _benchmarks(scores, _points(report.profiles), split),
        "spread": tables.spread(scores),
        "flags": tables.coverage_flags(scores, split.trained),
        "noted": tables.noted(scores),
        "notes": report.notes,
        "settings": pretty(report.settings),
        **_training(report),
    }


def _training(report: Report) -> dict[str, Any]:
    return {
        "validity": validity_rows(report.validity),
        "validity_said": validity_said(report.validity),
        "gain": gain_rows(report.gain),
        "compared_prompts": compared_prompts(report.gain),
        "rates": rates_rows(report.questions),
        "rewards": [] if report.generator_log is None else reward_curves(report.generator_log),
        "losses": [] if report.student_log is None else loss_curves(report.student_log),
        "agreement": None if report.labels is None else agreement_histogram(report.labels),
        "stages": samples.STAGES,
        "funnel": samples.funnel(report),
        "reasons": samples.reasons(report),
        "samples": [
            (title, found)
            for title, found in (
                ("Questions that were kept", samples.question_samples(report.questions, True)),
                ("Questions that were refused", samples.question_samples(report.questions, False)),
                ("Labels that were kept", samples.label_samples(report.labels, True)),
                ("Labels that were refused", samples.label_samples(report.labels, False)),
            )
            if found
        ],
    }


@dataclass(frozen=True)
class Benchmark:
    """The figures of one benchmark."""

    name: str
    bars: list[Figure]
    profiles: list[Figure]


def _benchmarks(scores: Scores, points: Points, split: Split) -> list[Benchmark]:
    return [
        Benchmark(
            name,
            [
                bars_per_language(scores, name, plotted, in_order(targets, split.trained), split)
                for plotted in PLOTTED
                if (targets := scores.targets(name, plotted))
            ],
            [
                profile(scores, points[name, target], name, target, split)
                for target in in_order((t for b, t in points if b == name), split.trained)
            ],
        )
        for name in scores.benchmarks
    ]


def _points(profiles: pa.Table) -> Points:
    """(source rate, target rate, items) of each benchmark, target and model."""
    found: Points = defaultdict(lambda: defaultdict(list))
    for row in profiles.sort_by("source_rate").to_pylist():
        if row["target_rate"] is not None and row["source_rate"] is not None:
            point = (row["source_rate"], row["target_rate"], row["n_items"])
            found[row["benchmark"], row["target"]][row["model"]].append(point)
    return found
