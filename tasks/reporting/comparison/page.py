"""One HTML page over any number of models that needs nothing but itself, and its tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tasks.reporting.comparison import subjects, tables
from tasks.reporting.comparison.by_fact import by_release, by_size, coupling
from tasks.reporting.comparison.by_language import by_language, tokens
from tasks.reporting.comparison.by_model import by_model, by_script
from tasks.reporting.comparison.compared import Comparison, compared
from tasks.reporting.comparison.content import ModelsReport
from tasks.reporting.comparison.files import write_files
from tasks.reporting.comparison.profiles import Points, profile, read_points
from tasks.reporting.comparison.reading import reading
from tasks.reporting.comparison.statements import KINDS, anchored_tokens, anchors, of_kind
from tasks.reporting.figures import Figure
from tasks.reporting.shown import pretty
from tasks.reporting.template import filled

TEMPLATE = "models.html"
OPEN_PROFILES = 2  # models; more are folded away until they are asked for


def write_models_report(report: ModelsReport, folder: Path) -> None:
    """Write `index.html` and the tables into an existing folder; equal inputs give equal bytes."""
    files = write_files(report, folder)
    (folder / "index.html").write_text(render(report, files), encoding="utf-8", newline="\n")


def render(report: ModelsReport, files: list[str]) -> str:
    """The page; `files` are the names of the tables beside it."""
    return filled(TEMPLATE, _context(report, files), Path(__file__).parent)


def _context(report: ModelsReport, files: list[str]) -> dict[str, Any]:
    c = compared(report)
    return {
        "files": files,
        "simulated": report.simulated,
        "c": c,
        "overview": subjects.overview(c),
        "models": subjects.model_rows(c),
        "benchmarks": subjects.benchmark_rows(c),
        "reading": reading(c),
        "headline": tables.headline(c),
        "other_means": tables.other_means(c),
        "side_by_side": tables.side_by_side(c),
        "differences": tables.differences(c),
        "differences_shown": tables.DIFFERENCES_SHOWN,
        "figures": _figures(c),
        "languages": [(b, tables.language_tables(c, b)) for b in c.benchmarks],
        "profiles": _profiles(c, read_points(report.profiles)),
        "open_profiles": len(c.models) <= OPEN_PROFILES,
        "analyses": {kind.name: (kind, of_kind(c.statements, kind.name)) for kind in KINDS},
        "anchors": anchors(c.statements),
        "anchored_tokens": anchored_tokens(c.statements),
        "spread": tables.spread(c),
        "noted": tables.noted(c),
        "notes": report.notes,
        "settings": pretty(report.settings),
    }


_FIGURES: dict[str, Callable[[Comparison, str], Figure | None]] = {
    "model": by_model,
    "language": by_language,
    "size": by_size,
    "released": by_release,
    "coupling": coupling,
    "script": by_script,
    "tokens": tokens,
}


def _figures(c: Comparison) -> dict[str, list[Figure]]:
    """The figures of each kind, one for every benchmark that has what it shows."""
    return {
        name: [figure for benchmark in c.benchmarks if (figure := draw(c, benchmark))]
        for name, draw in _FIGURES.items()
    }


def _profiles(c: Comparison, points: Points) -> list[tuple[str, list[tuple[str, Figure]]]]:
    """For each benchmark, (label, figure) of every model that has a profile."""
    found = [
        (
            benchmark,
            [
                (model.label, figure)
                for model in c.models
                if (figure := profile(c, points, model, benchmark))
            ],
        )
        for benchmark in c.benchmarks
    ]
    return [(benchmark, figures) for benchmark, figures in found if figures]
