"""Small multiples, and dots with whiskers: what the figures over models are drawn with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tasks.reporting.figures import FONT, GRID, INK, Look
from tasks.reporting.names import metric
from tasks.reporting.scores import Score

# Beyond these an interval says that nothing is known, and would hide what the others say.
CUT = (-0.25, 1.75)
_BETWEEN_COLUMNS = 0.025
_STYLE = {
    "fixedrange": True,
    "linecolor": "#9aa3ad",
    "gridcolor": GRID,
    "zeroline": False,
    "tickfont": {"size": 10},
}


class Dot(NamedTuple):
    """A value with its interval, in the unit of the axis; None where undefined."""

    value: float | None
    low: float | None
    high: float | None
    words: str


NOTHING = Dot(None, None, None, "")


def dot(score: Score | None) -> Dot:
    """A score as it is drawn: accuracies in percent."""
    if score is None:
        return NOTHING
    factor = 100.0 if metric(score.metric).unit == "percent" else 1.0
    value, low, high = (
        None if x is None else round(factor * x, 4) for x in (score.value, score.low, score.high)
    )
    return Dot(value, low, high, f"{score.shown} {score.limits} {score.note or ''}".strip())


def factor_of(name: str) -> float:
    """What a metric is multiplied by on an axis."""
    return 100.0 if metric(name).unit == "percent" else 1.0


def extent_of(dots: Iterable[Dot], *marks: float, factor: float = 1.0) -> list[float]:
    """The range of an axis: all values and marks, and the intervals as far as `CUT`."""
    known = [d for d in dots if d.value is not None]
    values = [*marks, *(d.value for d in known if d.value is not None)] or [0.0, 1.0]
    least, most = (factor * cut for cut in CUT)
    low = min([*values, *(max(d.low, least) for d in known if d.low is not None)])
    high = max([*values, *(min(d.high, most) for d in known if d.high is not None)])
    edge = 0.04 * ((high - low) or 1.0)
    return [round(low - edge, 4), round(high + edge, 4)]


def whiskers(
    name: str, dots: Sequence[Dot], places: Sequence[float], style: Look, panel: str = ""
) -> dict[str, Any]:
    """Dots in rows, `places` from the top, with their intervals as horizontal lines."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [d.value for d in dots],  # what is null is not drawn, and stays in the legend
        "y": [round(place, 3) for place in places],
        "error_x": reach(dots),
        "marker": marker(style, 7),
        "hovertext": [d.words for d in dots],
        "hoverinfo": "text+name",
        "xaxis": f"x{panel}",
        "yaxis": f"y{panel}",
    }


def marker(style: Look, size: int) -> dict[str, Any]:
    """A marker whose outline is wide enough when it is open."""
    line = {"color": style.color, "width": 1.6 if style.marker.endswith("open") else 0}
    return {"symbol": style.marker, "color": style.color, "size": size, "line": line}


def reach(dots: Sequence[Dot]) -> dict[str, Any]:
    """How far intervals reach from their values; nothing is drawn where there is none."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_distance(d.value, d.high) for d in dots],
        "arrayminus": [_distance(d.low, d.value) for d in dots],
        "color": INK,
        "thickness": 1.1,
        "width": 2.5,
    }


def _distance(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else round(max(high - low, 0.0), 4)


def undefined(
    dots: Sequence[Dot], places: Sequence[float], extent: Sequence[float], panel: str = ""
) -> dict[str, Any]:
    """A cross at the left edge for every value that is undefined, with the reason on hovering."""
    rows = [(d, p) for d, p in zip(dots, places, strict=True) if d.value is None and d.words]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "undefined",
        "x": [round(extent[0] + 0.025 * (extent[1] - extent[0]), 4) for _ in rows],
        "y": [round(place, 3) for _, place in rows],
        "marker": {"symbol": "x-thin", "size": 7, "line": {"color": INK, "width": 1.5}},
        "hovertext": [d.words for d, _ in rows],
        "hoverinfo": "text",
        "xaxis": f"x{panel}",
        "yaxis": f"y{panel}",
        "showlegend": False,
    }


def rows_axis(labels: Sequence[str], shown: bool = True) -> dict[str, Any]:
    """An axis of rows from the top; numbered, so that labels may be anything."""
    return {
        "range": [len(labels) - 0.4, -0.6],
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": list(labels),
        "showticklabels": shown,
        "zeroline": False,
    }


def spaced(series: int, rows: int, apart: float = 0.24) -> list[list[float]]:
    """The places of each series' dots, beside each other within a row."""
    middle = (series - 1) / 2
    return [[row + apart * (place - middle) for row in range(rows)] for place in range(series)]


def upright(x: float, dash: str, panel: str = "", width: float = 1.0) -> dict[str, Any]:
    """A vertical line through a panel."""
    return {
        "type": "line",
        "xref": f"x{panel}",
        "yref": f"y{panel} domain",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": "#777777", "width": width, "dash": dash},
    }


@dataclass(frozen=True)
class Panels:
    """Equal panels in rows; a height in pixels, and the title above each."""

    count: int
    columns: int
    tall: int
    gap: int = 44  # between rows: tick labels of one, title of the next
    above: int = 26
    below: int = 44

    @property
    def rows(self) -> int:
        """How many rows of panels there are."""
        return -(-self.count // self.columns)

    @property
    def plotted(self) -> int:
        """Pixels from the top of the first panel to the bottom of the last."""
        return self.rows * self.tall + (self.rows - 1) * self.gap

    @property
    def height(self) -> int:
        """Height of the figure in pixels."""
        return self.plotted + self.above + self.below

    def name(self, place: int) -> str:
        """What is behind the axis names of a panel."""
        return "" if place == 0 else str(place + 1)

    def is_first(self, place: int) -> bool:
        """Whether a panel is the first of its row."""
        return place % self.columns == 0

    def layout(self, axes: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
        """The layout with the (x, y) axes of every panel."""
        found: dict[str, Any] = {
            "height": self.height,
            "margin": {"l": 10, "r": 12, "t": self.above, "b": self.below},
            "font": FONT,
            "paper_bgcolor": "#ffffff",
            "plot_bgcolor": "#ffffff",
            "showlegend": False,
            "template": {"layout": {"xaxis": _STYLE, "yaxis": _STYLE}},
        }
        for place, (x, y) in enumerate(axes):
            across, upward = self._domains(place)
            name = self.name(place)
            found[f"xaxis{name}"] = {"domain": across, "anchor": f"y{name}", **x}
            found[f"yaxis{name}"] = {"domain": upward, "anchor": f"x{name}", **y}
            if self.is_first(place):
                found[f"yaxis{name}"]["automargin"] = True
        return found

    def title(self, place: int, text: str) -> dict[str, Any]:
        """The words above a panel."""
        name = self.name(place)
        return {
            "xref": f"x{name} domain",
            "yref": f"y{name} domain",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "text": text,
            "font": {"size": 11, "color": INK},
        }

    def _domains(self, place: int) -> tuple[list[float], list[float]]:
        row, column = divmod(place, self.columns)
        wide = (1 + _BETWEEN_COLUMNS) / self.columns
        top = row * (self.tall + self.gap) / self.plotted
        return (
            [round(column * wide, 4), round((column + 1) * wide - _BETWEEN_COLUMNS, 4)],
            [round(max(1 - top - self.tall / self.plotted, 0), 4), round(1 - top, 4)],
        )
