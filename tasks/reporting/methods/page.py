"""One HTML page over students, methods and seeds, its tables, and its figures as images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tasks.methods.variants import Variant
from tasks.reporting.methods.against import forgetting, table_2, table_3
from tasks.reporting.methods.by_language import figure_tables
from tasks.reporting.methods.charts import charts, plotted
from tasks.reporting.methods.claims import claims
from tasks.reporting.methods.compared import Grid, compared
from tasks.reporting.methods.content import MethodsReport
from tasks.reporting.methods.files import write_tables
from tasks.reporting.methods.grids import Table, title_of
from tasks.reporting.methods.images import write_images
from tasks.reporting.methods.paper_metric import by_the_papers_metric
from tasks.reporting.methods.paper_tasks import TASKS
from tasks.reporting.methods.repetition import repetition_tables
from tasks.reporting.methods.tables import table_1, table_4, table_5, table_10
from tasks.reporting.page import METHODS_PAGE
from tasks.reporting.shown import pretty
from tasks.reporting.template import filled

TEMPLATE = "methods.html"
FITTING = 2  # panels side by side that a narrow window has room for


def write_methods_report(report: MethodsReport, folder: Path) -> None:
    """Write the page and its files into an existing folder; equal inputs give equal bytes."""
    grid = compared(report)
    tables = paper_tables(grid, report.learned)
    figures = figure_tables(grid)
    planned = charts(table_10(grid), figures)
    drawn = [chart for chart in planned if chart.is_drawn]
    files = write_tables([*tables, *(one for one in figures if one.lines)], folder)
    files += write_images(drawn, folder, report.simulated)
    context = _context(report, grid, tables, files) | {
        "figures": [(chart.name, plotted(chart)) for chart in drawn],
        "many_panels": {chart.name for chart in drawn if chart.shape.columns > FITTING},
        "absent": [chart.title for chart in planned if not chart.is_drawn],
        "numbers": {one.name: one for one in figures if one.lines},
    }
    page = filled(TEMPLATE, context, Path(__file__).parent)
    (folder / METHODS_PAGE).write_text(page, encoding="utf-8", newline="\n")


def paper_tables(grid: Grid, learned: dict[str, int]) -> list[Table]:
    """The tables of the page that have any row, in its order."""
    changes = table_3(grid)
    found = [
        claims(grid, learned),
        table_1(grid),
        table_2(grid),
        changes,
        forgetting(grid, changes),
        table_4(grid),
        table_5(grid),
        *repetition_tables(grid),
        table_10(grid),
        by_the_papers_metric(grid),
    ]
    return [table for table in found if table.lines]


def _context(
    report: MethodsReport, grid: Grid, tables: list[Table], files: list[str]
) -> dict[str, Any]:
    return {
        "simulated": report.simulated,
        "grid": grid,
        "methods": [title_of(method) for method in grid.methods],
        "seeds": sorted({one.seed for one in grid.variants if one.seed is not None}),
        "rounds": max((one.round or 1 for one in grid.variants), default=1),
        "tasks": [(task, grid.benchmarks(task)) for task in TASKS],
        "tables": tables,
        "notes": report.notes,
        "settings": pretty(report.settings),
        "files": files,
        "learned": _learned(grid, report.learned),
    }


def _learned(grid: Grid, learned: dict[str, int]) -> list[tuple[Variant, int]]:
    """How many labels each trained variant learned."""
    return [(one, learned[one.label]) for one in grid.variants if one.label in learned]
