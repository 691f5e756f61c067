"""Figures as plain data for the plotting library; series differ in pattern, marker and dash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from tasks.reporting.shown import embedded


@dataclass(frozen=True)
class Figure:
    """A figure and the words around it."""

    title: str
    caption: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.layout["height"])

    @property
    def embedded(self) -> Markup:
        """Data and layout as JSON within a script element."""
        return embedded({"data": self.data, "layout": self.layout})


class Look(NamedTuple):
    """How a series looks; each part alone tells series apart."""

    color: str
    pattern: str
    marker: str
    dash: str
    sign: str  # the marker as text


LOOKS = (
    Look("#8b98a5", "", "circle-open", "dash", "○"),
    Look("#1f4e79", "/", "square", "solid", "■"),
    Look("#b5651d", "x", "triangle-up", "dot", "▲"),
    Look("#5b8c5a", ".", "diamond-open", "dashdot", "◇"),
    Look("#6b4c8a", "-", "cross", "longdash", "✚"),
    Look("#555555", "+", "star-open", "longdashdot", "☆"),
)
INK, GRID = "#333333", "#e3e6ea"
FONT = {
    "family": 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", "Geeza Pro", '
    '"Hiragino Sans", "Yu Gothic", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei", '
    '"Noto Sans CJK SC", sans-serif',
    "size": 12,
    "color": INK,
}


def look(place: int) -> Look:
    """The look of the series at a place."""
    return LOOKS[place % len(LOOKS)]


def pattern(style: Look) -> dict[str, Any]:
    """The pattern of a bar, white on the series' color."""
    return {"shape": style.pattern, "fillmode": "overlay", "fgcolor": "#ffffff", "size": 7}


def layout(height: int, x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The layout that all figures share."""
    axis = {
        "gridcolor": GRID,
        "zerolinecolor": "#9aa3ad",
        "linecolor": "#9aa3ad",
        "automargin": True,
        "fixedrange": True,
    }
    return {
        "height": height,
        "margin": {"l": 52, "r": 12, "t": 30, "b": 40},
        "font": FONT,
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": axis | x,
        "yaxis": axis | y,
        **more,
    }
