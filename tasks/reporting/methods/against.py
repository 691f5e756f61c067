"""The paper's tables 2 and 3: HOTFIXR against others, and all against the untouched student."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tasks.languages import HELD_OUT
from tasks.methods import METHODS, Method
from tasks.methods.variants import Variant
from tasks.reporting.methods.compared import BASE, HOTFIXR, NOT_RUN, Grid, main_methods, not_asked
from tasks.reporting.methods.estimates import Cell, Estimate, mean_cell
from tasks.reporting.methods.grids import (
    Column,
    Line,
    Table,
    beside,
    has_published,
    lines,
    title_of,
)
from tasks.reporting.methods.paper_tasks import IN_DISTRIBUTION, NEMOTRON, OUT_OF_DISTRIBUTION
from tasks.reporting.methods.published import OVER_STUDENTS
from tasks.scoring.comparisons import deltas_and_wins, forgetting_avoided

AVERAGE, MEAN_OF_THEM = "Avg", "Mean of them"


def table_2(grid: Grid) -> Table:
    """HOTFIXR minus each other method, and in how many settings it is better."""
    rivals = [method for method in main_methods() if method.name != HOTFIXR]
    rows = [_deltas(grid, method) for method in rivals]
    kept = [row for row in rows if row.is_run or has_published(row)]
    mean = [
        mean_cell([row.cells[place] for row in kept if row.cells[place].value is not None])
        for place in range(4)
    ]
    names = ["ID delta", "ID wins", "OOD delta", "OOD wins"]
    average = [
        beside(grid, "table2", "", "Average", name, _uncounted(cell), "over the rows that were run")
        for name, cell in zip(names, mean, strict=True)
    ]
    return Table(
        "table2",
        "Table 2: HOTFIXR minus every other method",
        "In points, over students and tasks, with the number of settings in which HOTFIXR is "
        "better: ID of students × Nemotron's parts, OOD of students × three tasks.",
        names,
        [*kept, Line(OVER_STUDENTS, "Average", average)],
        {"ID wins": 0, "OOD wins": 0},
        signed=True,
    )


def _deltas(grid: Grid, rival: Method) -> Line:
    cells: list[Cell] = []
    for tasks, names in (
        (IN_DISTRIBUTION, ("ID delta", "ID wins")),
        (OUT_OF_DISTRIBUTION, ("OOD delta", "OOD wins")),
    ):

        def apart(variant: Variant, benchmark: str) -> Estimate | None:
            return grid.change(variant, grid.other(variant, rival.name), benchmark)

        delta = grid.cell(HOTFIXR, tasks, apart)
        differs = grid.differs(tasks)
        for name, cell in zip(names, (delta, _wins(grid, rival, tasks)), strict=True):
            cells.append(beside(grid, "table2", "", title_of(rival), name, cell, differs))
    return Line(OVER_STUDENTS, title_of(rival), cells)


def _uncounted(cell: Cell) -> Cell:
    """The cell without counts, which would count the same answers several times."""
    return cell._replace(n_items=None, n_samples=None, coverage=None)


def _wins(grid: Grid, rival: Method, tasks: Sequence[str]) -> Cell:
    """In how many settings HOTFIXR has the higher level."""
    mine, theirs = (_levels(grid, name, tasks) for name in (HOTFIXR, rival.name))
    values = [cell.value for cell in (*mine, *theirs)]
    if not values or None in values:
        return Cell(note=next((c.note for c in (*mine, *theirs) if c.value is None), NOT_RUN))
    known = ([c.value for c in cells if c.value is not None] for cells in (mine, theirs))
    first, second = known
    tally = deltas_and_wins(first, {rival.name: second})[rival.name]
    return Cell(value=float(tally.wins), note=f"of {tally.settings}")


def _levels(grid: Grid, method: str, tasks: Sequence[str]) -> list[Cell]:
    """One cell for each student and task; in distribution, for each of its benchmarks."""
    if not grid.of_method(method):
        return [Cell(note=NOT_RUN)]
    if tuple(tasks) == IN_DISTRIBUTION:
        names = [row.benchmark for row in grid.benchmarks(NEMOTRON)]
        wanted = [(NEMOTRON, grid.only(name)) for name in names]
    else:
        wanted = [(task, grid.level) for task in tasks if grid.benchmarks(task)]
    if not wanted:
        return [Cell(note=not_asked(tasks))]
    return [
        grid.cell(method, [task], quantity, [student])
        for student in grid.students
        for task, quantity in wanted
    ]


def table_3(grid: Grid) -> Table:
    """Change of the held-out languages against the untouched student."""
    trained = [method for method in main_methods() if method.trains]

    def change(code: str, variant: Variant, benchmark: str) -> Estimate | None:
        return grid.change(variant, grid.other(variant, BASE), benchmark, code)

    columns = [Column(code, OUT_OF_DISTRIBUTION, partial(change, code)) for code in HELD_OUT]
    found = [_averaged(grid, row) for row in lines(grid, "table3", trained, columns)]
    return Table(
        "table3",
        "Table 3: held-out languages against Base",
        "Method minus Base in languages that no training data holds, over students and the "
        "out-of-distribution tasks that have the language.",
        [*HELD_OUT, AVERAGE],
        found,
        signed=True,
    )


def _averaged(grid: Grid, row: Line) -> Line:
    cell = mean_cell([one for one in row.cells if one.value is not None])
    differs = grid.differs(OUT_OF_DISTRIBUTION)
    return Line(
        row.student,
        row.title,
        [*row.cells, beside(grid, "table3", "", row.title, AVERAGE, cell, differs)],
    )


def forgetting(grid: Grid, changes: Table) -> Table:
    """How much less HOTFIXR loses in held-out languages than others; from table 3."""
    ours = {row.title: row.cells[-1].value for row in changes.lines}
    theirs = {row.title: row.cells[-1].published for row in changes.lines}
    mine, papers = _avoided(ours), _avoided(theirs)
    rows = sorted(dict.fromkeys([*papers, *mine]), key=lambda title: title == MEAN_OF_THEM)
    differs = changes.lines[0].cells[-1].differs if changes.lines else ""
    found = [
        Line(
            OVER_STUDENTS,
            title,
            [Cell(mine.get(title), published=papers.get(title), differs=differs)],
        )
        for title in rows
    ]
    return Table(
        "forgetting",
        "Forgetting avoided",
        "The last column of table 3: HOTFIXR minus each method, and minus their mean.",
        ["HOTFIXR minus it"],
        found,
        signed=True,
    )


def _avoided(changes: dict[str, float | None]) -> dict[str, float]:
    known = {title: value for title, value in changes.items() if value is not None}
    mine = known.pop(title_of(METHODS[HOTFIXR]), None)
    if mine is None or not known:
        return {}
    avoided = forgetting_avoided([mine], {title: [value] for title, value in known.items()})
    return {**avoided.against, MEAN_OF_THEM: avoided.mean}
