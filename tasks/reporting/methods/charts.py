"""The paper's figures as dots with whiskers in panels; one description for page and image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tasks.reporting.comparison.compared import abridged
from tasks.reporting.comparison.panels import (
    Dot,
    Panels,
    extent_of,
    rows_axis,
    spaced,
    undefined,
    upright,
    whiskers,
)
from tasks.reporting.figures import Figure, Look, look
from tasks.reporting.methods.by_language import MEAN, STD
from tasks.reporting.methods.estimates import Cell
from tasks.reporting.methods.grids import Line, Table
from tasks.reporting.names import language_name

WIDEST = 5  # panels side by side
PAPER = look(0)
_BARS = (
    ("figure4", "Figure 4: Nemotron", "Nemotron"),
    ("figure5", "Figure 5: factual questions", "Factual"),
    ("figure6", "Figure 6: RAG", "RAG"),
    ("figure7", "Figure 7: translation", "Translation"),
)
LEGEND = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}


class Series(NamedTuple):
    """What is drawn alike in all panels."""

    name: str
    style: Look


@dataclass(frozen=True)
class Chart:
    """Panels of dots; rows from the top."""

    name: str
    title: str
    caption: str
    rows: list[str]
    series: list[Series]
    panels: list[tuple[str, list[list[Dot]]]]  # title, [series][row]
    mark: float | None = None  # where a line stands: 0 for differences

    @property
    def dots(self) -> list[Dot]:
        """All of them."""
        return [dot for _, series in self.panels for dots in series for dot in dots]

    @property
    def extent(self) -> list[float]:
        """The range that all panels share."""
        return extent_of(self.dots, *([] if self.mark is None else [self.mark]), factor=100.0)

    @property
    def above(self) -> int:
        """Pixels above the panels: of their titles, and of the names of the series."""
        return 56 if len(self.series) > 1 else 26

    @property
    def shape(self) -> Panels:
        """How the panels lie."""
        tall = 20 + (12 + 5 * len(self.series)) * len(self.rows)
        return Panels(len(self.panels), min(len(self.panels), WIDEST), tall, above=self.above)

    @property
    def spaced(self) -> list[list[float]]:
        """The places of each series' dots within the rows."""
        return spaced(len(self.series), len(self.rows))

    @property
    def is_drawn(self) -> bool:
        """Whether there is any dot of ours."""
        return any(dot.value is not None for dot in self.dots)


def charts(table_10: Table, figures: Sequence[Table]) -> list[Chart]:
    """Every figure, in the paper's order; some may have nothing to show."""
    named = {table.name: table for table in figures}
    return [
        _students(named["figure1"]),
        *(_bars(table_10, *row) for row in _BARS),
        *(_panels(named[name]) for name in ("figure8", "figure9", "figure10", "figure11")),
        _rounds(named["figure12"]),
    ]


def dot_of(cell: Cell) -> Dot:
    """Our number of a cell."""
    if cell.value is None:
        return Dot(None, None, None, cell.note)
    limits = "" if cell.low is None else f" [{cell.low:.1f}, {cell.high:.1f}]"
    value, low, high = (None if x is None else round(x, 4) for x in cell[:3])
    return Dot(value, low, high, f"{cell.value:.1f}{limits}")


def _paper(cell: Cell) -> Dot:
    words = "" if cell.published is None else f"paper {cell.published:g}"
    return Dot(cell.published, None, None, f"{words} {cell.differs and '≠'}".strip())


def _bars(table: Table, name: str, title: str, task: str) -> Chart:
    """Methods in rows, a panel for each student, the paper's numbers beside ours."""
    run = [(student, group) for student, group in table.groups if any(x.is_run for x in group)]
    rows = list(dict.fromkeys(line.title for _, group in run for line in group))
    place = table.columns.index(task)
    panels = []
    for student, group in run:
        cells = {line.title: line.cells[place] for line in group}
        found = [cells.get(row, Cell()) for row in rows]
        panels.append((student, [[dot_of(c) for c in found], [_paper(c) for c in found]]))
    papers = any(d.value is not None for _, both in panels for d in both[1])
    told = (line.cells[place].differs for _, group in run for line in group)
    differs = dict.fromkeys(part for text in told for part in text.split("; ") if part)
    caption = "Mean over target languages, with 95 % intervals."
    if papers:
        caption += f" Open: the paper's{', not to be compared: ' if differs else ''}"
        caption += "; ".join(differs) + "."
    series = [Series("ours", look(1)), Series("paper", PAPER)]
    if not papers:
        series = series[:1]
        panels = [(student, both[:1]) for student, both in panels]
    if not any(d.value is not None for _, both in panels for d in both[0]):
        panels = []
    return Chart(name, title, caption, rows, series, panels)


def _panels(table: Table) -> Chart:
    """Methods in rows, a panel for each column, students beside each other."""
    groups = table.groups
    rows = list(dict.fromkeys(line.title for line in table.lines))
    panels = []
    for place, column in enumerate(table.columns):
        series = []
        for _, group in groups:
            cells = {line.title: line.cells[place] for line in group}
            series.append([dot_of(cells.get(row, Cell())) for row in rows])
        panels.append((language_name(column), series))
    return Chart(
        table.name,
        table.title,
        f"{table.about} Lines through the dots are 95 % intervals.",
        rows,
        _series([student for student, _ in groups]),
        panels,
    )


def _students(table: Table) -> Chart:
    """Languages in rows, students beside each other."""
    places = [i for i, column in enumerate(table.columns) if column not in {MEAN, STD}]
    return Chart(
        table.name,
        table.title,
        table.about,
        [language_name(table.columns[place]) for place in places],
        _series([line.student for line in table.lines]),
        [("", [[dot_of(line.cells[place]) for place in places] for line in table.lines])],
    )


def _rounds(table: Table) -> Chart:
    """Languages in rows, a panel for each task; students and methods beside each other."""
    panels: dict[str, dict[str, Line]] = {}
    for line in table.lines:
        method, _, task = line.title.rpartition(", ")
        panels.setdefault(task, {})[f"{line.student} {method}"] = line
    names = list(dict.fromkeys(name for found in panels.values() for name in found))
    return Chart(
        table.name,
        table.title,
        f"{table.about} Right of the line the second round is better.",
        [language_name(column) for column in table.columns],
        _series(names),
        [
            (task, [[dot_of(cell) for cell in found[name].cells] for name in names])
            for task, found in panels.items()
        ],
        0.0,
    )


def _series(names: Sequence[str]) -> list[Series]:
    return [Series(abridged(name), look(1 + place)) for place, name in enumerate(names)]


def plotted(chart: Chart) -> Figure:
    """The chart as data for the plotting library."""
    shape, x = chart.shape, chart.extent
    data, shapes, axes = [], [], []
    for place, (_, series) in enumerate(chart.panels):
        panel = shape.name(place)
        for one, dots, rows in zip(chart.series, series, chart.spaced, strict=True):
            shown = place == 0
            data.append(whiskers(one.name, dots, rows, one.style, panel) | {"showlegend": shown})
            data.append(undefined(dots, rows, x, panel))
        shapes += [] if chart.mark is None else [upright(chart.mark, "solid", panel)]
        axes.append(({"range": x}, rows_axis(chart.rows, shape.is_first(place))))
    more: dict[str, Any] = {
        "shapes": shapes,
        "annotations": [
            shape.title(place, abridged(title)) for place, (title, _) in enumerate(chart.panels)
        ],
        "showlegend": len(chart.series) > 1,
        "legend": LEGEND | {"y": 1.0 + 22 / shape.plotted},
    }
    return Figure(chart.title, chart.caption, data, shape.layout(axes) | more)
