"""The paper's tables 1, 4, 5 and 10, from our scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tasks.reporting.methods.compared import Grid, ablations, main_methods
from tasks.reporting.methods.estimates import Cell
from tasks.reporting.methods.grids import Column, Line, Table, lines
from tasks.reporting.methods.paper_tasks import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, TASKS

SPREADS = {
    "Range": "range",
    "Trimmed range": "trimmed_range",
    "Std": "std",
    "IQR": "iqr",
    "CV": "cv",
}


def table_1(grid: Grid) -> Table:
    """Level in and out of distribution, and how far languages lie apart."""
    columns = [
        Column("ID", IN_DISTRIBUTION, grid.level),
        Column("OOD", OUT_OF_DISTRIBUTION, grid.level),
        Column("Spread", OUT_OF_DISTRIBUTION, partial(grid.spread, name="iqr")),
    ]
    return Table(
        "table1",
        "Table 1: in and out of distribution",
        "Means over students. ID: Nemotron, which is English only. OOD: factual questions, "
        "translation and RAG. Spread: the interquartile range over languages.",
        [column.title for column in columns],
        lines(grid, "table1", main_methods(), columns),
    )


def table_4(grid: Grid) -> Table:
    """Spread over languages by five measures, each beside what noise alone comes to."""
    columns = [
        Column(title, OUT_OF_DISTRIBUTION, partial(grid.spread, name=name))
        for title, name in SPREADS.items()
    ]
    noise = [
        Column(title, OUT_OF_DISTRIBUTION, partial(grid.noise, name=name))
        for title, name in SPREADS.items()
    ]
    found = lines(grid, "table4", main_methods(), columns)
    floors = {row.title: row.cells for row in lines(grid, "", main_methods(), noise)}
    return Table(
        "table4",
        "Table 4: spread over languages",
        "Of each student and out-of-distribution task, averaged. Noise alone spreads languages; "
        "what it comes to when the languages of each question are shuffled stands below.",
        list(SPREADS),
        [_with_floor(row, floors.get(row.title, [])) for row in found],
        {"CV": 2},
    )


def _with_floor(row: Line, floors: Sequence[Cell]) -> Line:
    if not floors:
        return row
    cells = [
        cell if floor.value is None else cell._replace(note=f"noise alone: {floor.value:.1f}")
        for cell, floor in zip(row.cells, floors, strict=True)
    ]
    return Line(row.student, row.title, cells)


def table_5(grid: Grid) -> Table:
    """The reward's components added one by one."""
    found = lines(grid, "table5", ablations(), _tasks(grid), per_student=True)
    return Table(
        "table5",
        "Table 5: rewards of the question generator",
        "Which components GRPO's reward has; the last row is HOTFIXR.",
        list(TASKS),
        found,
    )


def table_10(grid: Grid) -> Table:
    """Every student, method and task."""
    found = lines(grid, "table10", main_methods(), _tasks(grid), per_student=True)
    return Table(
        "table10",
        "Table 10: every student and method",
        "Mean over target languages of each task; the source language is apart.",
        list(TASKS),
        found,
    )


def _tasks(grid: Grid) -> list[Column]:
    return [Column(task, [task], grid.level) for task in TASKS]
