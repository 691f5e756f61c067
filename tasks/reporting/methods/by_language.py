"""The numbers of the paper's figures 1 and 8 to 12: of single languages and benchmarks."""

from __future__ import annotations

from functools import partial

from tasks.methods import METHODS
from tasks.methods.variants import Variant
from tasks.reporting.methods.compared import BASE, Grid, main_methods
from tasks.reporting.methods.estimates import Estimate
from tasks.reporting.methods.grids import Column, Line, Table, lines, title_of
from tasks.reporting.methods.paper_tasks import FACTUAL, NEMOTRON, RAG, TASKS, TRANSLATION
from tasks.reporting.names import in_order

MEAN, STD = "Mean", "Std"
_LANGUAGES = (
    ("figure9", "Figure 9: factual questions by language", FACTUAL),
    ("figure10", "Figure 10: translation by language", TRANSLATION),
    ("figure11", "Figure 11: RAG by language", RAG),
)


def figure_tables(grid: Grid) -> list[Table]:
    """The tables behind these figures; those of what was not asked have no line."""
    return [
        _figure_1(grid),
        _figure_8(grid),
        *(_of_languages(grid, *row) for row in _LANGUAGES),
        _figure_12(grid),
    ]


def languages_of(grid: Grid, task: str) -> list[str]:
    """The languages in which a task was asked."""
    rows = grid.benchmarks(task)
    return in_order(code for row in rows for code in grid.languages(row.benchmark))


def _figure_1(grid: Grid) -> Table:
    """The untouched students in each language: how level they are, and how high."""
    columns = _columns(grid, RAG)
    columns += [
        Column(MEAN, [RAG], grid.level),
        Column(STD, [RAG], partial(grid.spread, name="std")),
    ]
    found = lines(grid, "figure1", [METHODS[BASE]], columns, per_student=True)
    return Table(
        "figure1",
        "Figure 1: untouched students, RAG by language",
        "Consistency over languages against level: a student that is equally good everywhere "
        "need not be a good one.",
        [column.title for column in columns],
        found if languages_of(grid, RAG) else [],
    )


def _figure_8(grid: Grid) -> Table:
    rows = grid.benchmarks(NEMOTRON)
    columns = [Column(row.title, [NEMOTRON], grid.only(row.benchmark)) for row in rows]
    return Table(
        "figure8",
        "Figure 8: the parts of Nemotron",
        "English only.",
        [column.title for column in columns],
        lines(grid, "figure8", main_methods(), columns, per_student=True) if columns else [],
    )


def _of_languages(grid: Grid, name: str, title: str, task: str) -> Table:
    columns = _columns(grid, task)
    return Table(
        name,
        title,
        "Every method in every language, the source among them.",
        [column.title for column in columns],
        lines(grid, name, main_methods(), columns, per_student=True) if columns else [],
    )


def _columns(grid: Grid, task: str) -> list[Column]:
    return [
        Column(code, [task], partial(grid.level, target=code)) for code in languages_of(grid, task)
    ]


def _figure_12(grid: Grid) -> Table:
    """The second round minus the first, each on the same items."""
    asked = [row.benchmark for task in TASKS for row in grid.benchmarks(task)]
    codes = in_order({code for name in asked for code in grid.targets(name)})
    again = [method.name for method in grid.methods if grid.has_round(method.name, 2)]
    return Table(
        "figure12",
        "Figure 12: two rounds minus one",
        "A fresh generator against the student of the first round, which is trained on.",
        [MEAN, *codes],
        [
            _rounds(grid, student, method, task, codes)
            for student in grid.students
            for method in again
            for task in TASKS
            if grid.benchmarks(task)
        ],
        signed=True,
    )


def _rounds(grid: Grid, student: str, method: str, task: str, codes: list[str]) -> Line:
    def change(target: str, variant: Variant, benchmark: str) -> Estimate | None:
        second = grid.other(variant, method, 2)
        return None if second is None else grid.change(second, variant, benchmark, target)

    cells = [
        grid.cell(method, [task], partial(change, target), [student]) for target in ("mean", *codes)
    ]
    return Line(student, f"{title_of(METHODS[method])}, {task}", cells)
