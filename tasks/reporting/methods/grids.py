"""Tables of cells: what the page, the files and the figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tasks.methods import METHODS, Method
from tasks.reporting.methods.compared import Grid, Quantity
from tasks.reporting.methods.estimates import Cell
from tasks.reporting.methods.published import OVER_STUDENTS, paper_students, published
from tasks.reporting.scores import side_of_zero
from tasks.reporting.shown import ABSENT

OTHER_STUDENTS = "over other students"
NOT_PUBLISHED = {"mcot": "not the published mCOT: its held-out languages are filtered out"}


@dataclass(frozen=True)
class Line:
    """A row; `student` is empty where it is a mean over students."""

    student: str
    title: str
    cells: list[Cell]
    said: str = ""

    @property
    def is_run(self) -> bool:
        """Whether there is any number of ours."""
        return any(cell.value is not None for cell in self.cells)


@dataclass(frozen=True)
class Table:
    """One of the paper's tables, or the numbers of one of its figures."""

    name: str  # "table1"; also that of its files
    title: str
    about: str
    columns: list[str]
    lines: list[Line]
    decimals: Mapping[str, int] = field(default_factory=dict)  # of columns; others have 1
    signed: bool = False  # whether it holds differences

    def shown(self, column: str, value: float | None) -> str:
        """A number of a column as the page prints it."""
        if value is None:
            return ABSENT
        decimals = self.decimals.get(column, 1)
        sign = "+" if self.signed and decimals else ""
        return f"{value:{sign}.{decimals}f}".replace("-", "−")

    def verdict(self, cell: Cell) -> str:
        """On which side of 0 a difference lies; empty for what is no difference."""
        known = self.signed and cell.low is not None
        return side_of_zero(cell.low, cell.high) if known else ""

    @property
    def groups(self) -> list[tuple[str, list[Line]]]:
        """The lines of each student."""
        students = dict.fromkeys(line.student for line in self.lines)
        return [(s, [line for line in self.lines if line.student == s]) for s in students]


class Column(NamedTuple):
    """A column whose cells are a quantity over some tasks."""

    title: str
    tasks: Sequence[str]
    quantity: Quantity
    differs: str | None = None  # from the paper; None: as its tasks do


def lines(
    grid: Grid,
    table: str,
    methods: Sequence[Method],
    columns: Sequence[Column],
    per_student: bool = False,
) -> list[Line]:
    """A line for each method that was run or published; of each student, or over them.

    Students of the paper that were not run follow with its numbers alone.
    """
    students = grid.students if per_student else [OVER_STUDENTS]
    found = [
        Line(student, title_of(method), [_cell(grid, table, student, method, c) for c in columns])
        for student in students
        for method in methods
    ]
    if per_student:
        found += papers_alone(grid, table, methods, [c.title for c in columns])
    return [line for line in found if line.is_run or has_published(line) or _is_run(grid, line)]


def papers_alone(
    grid: Grid, table: str, methods: Sequence[Method], columns: Sequence[str]
) -> list[Line]:
    """The paper's rows of students that were not run."""
    absent = [name for name in paper_students() if name not in grid.paper_names.values()]
    return [
        Line(name, title_of(method), [alone(table, name, method, column) for column in columns])
        for name in absent
        for method in methods
    ]


def alone(table: str, student: str, method: Method, column: str) -> Cell:
    """A published number without one of ours."""
    number = published(table, student, method.published or "", column)
    return Cell(published=number, note="student not run")


def has_published(line: Line) -> bool:
    """Whether the paper has any of these numbers."""
    return any(cell.published is not None for cell in line.cells)


def title_of(method: Method) -> str:
    """What the paper calls a method."""
    return method.published or method.name


def beside(
    grid: Grid, table: str, student: str, row: str, column: str, cell: Cell, differs: str
) -> Cell:
    """The cell with its published number, and in what that is another one."""
    name = grid.paper_names[student] if student else OVER_STUDENTS
    number = published(table, name, row, column)
    if number is None:
        return cell
    other = OTHER_STUDENTS if not student and not grid.are_the_papers else ""
    told = "; ".join(part for part in (differs, other) if part)
    return cell._replace(published=number, differs=told)


def _cell(grid: Grid, table: str, student: str, method: Method, column: Column) -> Cell:
    students = [student] if student else []
    cell = grid.cell(method.name, column.tasks, column.quantity, students)
    tasks = grid.differs(column.tasks) if column.differs is None else column.differs
    apart = [tasks, NOT_PUBLISHED.get(method.name, "")]
    differs = "; ".join(part for part in apart if part)
    return beside(grid, table, student, title_of(method), column.title, cell, differs)


def _is_run(grid: Grid, line: Line) -> bool:
    """Whether its method was run, though it has no numbers here."""
    names = {title_of(METHODS[one.method]) for one in grid.variants}
    return line.title in names and line.student in {OVER_STUDENTS, *grid.students}
