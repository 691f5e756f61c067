"""What the paper claims, at equal rows: HOTFIXR against two others, each student against itself."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.languages import HELD_OUT, TRAINED
from tasks.methods import METHODS
from tasks.methods.variants import Variant
from tasks.reporting.methods.compared import BASE, HOTFIXR, LEVEL, Grid
from tasks.reporting.methods.estimates import Cell, Estimate, mean
from tasks.reporting.methods.grids import Line, Table, title_of
from tasks.reporting.methods.paper_tasks import TASKS

RIVALS = ("untrained", "selection-gt")
GROUPS = {"trained": TRAINED, "held-out": HELD_OUT}
Columns = Mapping[str, tuple[str, str]]
# Title of a column: group of languages (none: all targets), metric of a difference.
COLUMNS: Columns = {
    "Accuracy": ("", LEVEL),
    "Trained languages": ("trained", LEVEL),
    "of it by readable form": ("trained", "gain_by_coverage"),
    "of it by better answers": ("trained", "gain_by_accuracy"),
    "Held-out languages": ("held-out", LEVEL),
    "of it by form, held out": ("held-out", "gain_by_coverage"),
    "of it by answers, held out": ("held-out", "gain_by_accuracy"),
}
SPLITS = ("gain_by_coverage", "gain_by_accuracy")
SPLIT = "So that is split: into what readable form gained, and better answers among readable ones."
NOT_SPLIT = "These scores do not say how much of it is form."


def claims(grid: Grid, learned: dict[str, int]) -> Table:
    """Differences of each student and task, with how many labels either was trained on."""
    trained = [method.name for method in grid.methods if method.trains]
    pairs = [(HOTFIXR, rival) for rival in RIVALS if {HOTFIXR, rival} <= set(trained)]
    pairs += [(name, BASE) for name in trained]
    split = any(row.metric in SPLITS for row in grid.scores.rows)
    columns = {title: row for title, row in COLUMNS.items() if split or row[1] == LEVEL}
    return Table(
        "claims",
        "The claims to test",
        "HOTFIXR against its untrained generator and against random real rows says what GRPO and "
        "writing are worth, at equal rows only; every student against its untouched self says "
        "mostly how much form was learned. " + (SPLIT if split else NOT_SPLIT),
        list(columns),
        [
            _line(grid, student, pair, task, learned, columns)
            for student in grid.students
            for pair in pairs
            for task in TASKS
            if grid.benchmarks(task)
        ],
        signed=True,
    )


def _line(
    grid: Grid,
    student: str,
    pair: tuple[str, str],
    task: str,
    learned: dict[str, int],
    columns: Columns,
) -> Line:
    method, other = pair
    names = " − ".join(title_of(METHODS[name]) for name in pair)
    cells = [_cell(grid, student, pair, task, *column) for column in columns.values()]
    return Line(student, f"{names}, {task}", cells, _rows(grid, student, method, other, learned))


def _rows(grid: Grid, student: str, method: str, other: str, learned: dict[str, int]) -> str:
    """How many labels the two were trained on, of each seed."""
    if not learned:
        return ""
    counts = []
    for name in (method, other):
        known = {learned.get(one.label, 0) for one in grid.seeds(student, name)}
        counts.append(" to ".join(str(n) for n in sorted({min(known), max(known)})))
    if other == BASE:
        return f"{counts[0]} rows"
    alike = "" if counts[0] == counts[1] else ", not equal"
    return f"{counts[0]} against {counts[1]} rows{alike}"


def _cell(
    grid: Grid, student: str, pair: tuple[str, str], task: str, group: str, name: str
) -> Cell:
    method, other = pair

    def change(variant: Variant, benchmark: str) -> Estimate | None:
        baseline = grid.other(variant, other)
        if not group:
            return grid.change(variant, baseline, benchmark)
        whole = grid.change(variant, baseline, benchmark, group, name)
        if whole is not None or name != LEVEL:
            return whole
        codes = [code for code in GROUPS[group] if code != grid.source(benchmark)]
        each = [grid.change(variant, baseline, benchmark, code) for code in codes]
        known = [one for one in each if one is not None]
        return mean(known) if known else None

    return grid.cell(method, [task], change, [student])
