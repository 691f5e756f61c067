"""A chart as an SVG image: the same dots, whiskers and words that the page draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from tasks.reporting.comparison.compared import abridged
from tasks.reporting.comparison.panels import Dot
from tasks.reporting.methods.charts import Chart
from tasks.reporting.template import filled

WIDE = 1200  # pixels
LABELS = 150  # beside the first panel of a row
GAP = 18
HEADING = 20
MOST_TICKS = 5
EDGE = 0.05  # share of a panel's width
CAPTION = 190  # characters in a line


def write_images(found: Sequence[Chart], folder: Path, simulated: bool) -> list[str]:
    """Write every chart; the names of the files. An image says by itself what it must not be."""
    for chart in found:
        told = drawing(chart) | {"simulated": simulated}
        text = filled("chart.svg", told, Path(__file__).parent)
        (folder / f"{chart.name}.svg").write_text(text, encoding="utf-8", newline="\n")
    return [f"{chart.name}.svg" for chart in found]


def drawing(chart: Chart) -> dict[str, Any]:
    """Where everything is, in pixels."""
    shape = chart.shape
    wide = (WIDE - LABELS - shape.columns * GAP) / shape.columns
    wide = min(wide, 520)
    said = wrap(chart.caption, CAPTION)
    panels = []
    for place, (title, series) in enumerate(chart.panels):
        row, column = divmod(place, shape.columns)
        left = LABELS + column * (wide + GAP)
        top = HEADING + chart.above + row * (shape.tall + shape.gap)
        panels.append(_panel(chart, title, series, (left, top, wide, shape.tall)) | {"n": column})
    below = HEADING + chart.above + shape.plotted + 44
    return {
        "chart": chart,
        "wide": WIDE,
        "tall": below + 15 * len(said),
        "said": [(line, below + 15 * place) for place, line in enumerate(said)],
        "panels": panels,
        "labels": LABELS - 8,
        "rows": [abridged(row, 22) for row in chart.rows],
    }


def _panel(
    chart: Chart, title: str, series: list[list[Dot]], box: tuple[float, float, float, float]
) -> dict[str, Any]:
    left, top, wide, tall = box
    low, high = chart.extent

    def across(value: float) -> float:
        inside = min(max(value, low), high)
        return round(left + wide * (inside - low) / (high - low), 1)

    def down(row: float) -> float:
        return round(top + tall * (row + 0.6) / (len(chart.rows) + 0.2), 1)

    marks = [
        {
            "x": across(dot.value),
            "y": down(place),
            "low": None if dot.low is None else across(dot.low),
            "high": None if dot.high is None else across(dot.high),
            "style": one.style,
            "words": f"{one.name}: {dot.words}",
        }
        for one, dots, places in zip(chart.series, series, chart.spaced, strict=True)
        for dot, place in zip(dots, places, strict=True)
        if dot.value is not None
    ]
    return {
        "title": abridged(title),
        "box": [round(number, 1) for number in box],
        "marks": marks,
        "ticks": [_tick(tick, across(tick), left, wide) for tick in ticks(low, high)],
        "places": [down(row) for row in range(len(chart.rows))],
        "mark": None if chart.mark is None else across(chart.mark),
    }


def _tick(tick: float, x: float, left: float, wide: float) -> tuple[str, float, str]:
    """Its text, place and anchor: those at an edge stay within the panel."""
    share = (x - left) / wide
    anchor = "start" if share < EDGE else "end" if share > 1 - EDGE else "middle"
    return f"{tick:g}".replace("-", "−"), x, anchor


def ticks(low: float, high: float) -> list[float]:
    """Round numbers within a range, at most five."""
    rough = (high - low) / MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(step * place, 6) for place in range(first, last + 1)]
