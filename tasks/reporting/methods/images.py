"""A chart as an SVG image: the same dots, whiskers and words that the page draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
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


def write_images(found: Sequence[Chart], folder: Path) -> list[str]:
    """Write every chart; the names of the files."""
    for chart in found:
        text = filled("chart.svg", drawing(chart), Path(__file__).parent)
        (folder / f"{chart.name}.svg").write_text(text, encoding="utf-8", newline="\n")
    return [f"{chart.name}.svg" for chart in found]


def drawing(chart: Chart) -> dict[str, Any]:
    """Where everything is, in pixels."""
    shape = chart.shape
    wide = (WIDE - LABELS - shape.columns * GAP) / shape.columns
    wide = min(wide, 520)
    panels = []
    for place, (title, series) in enumerate(chart.panels):
        row, column = divmod(place, shape.columns)
        left = LABELS + column * (wide + GAP)
        top = HEADING + chart.above + row * (shape.tall + shape.gap)
        panels.append(_panel(chart, title, series, (left, top, wide, shape.tall)) | {"n": column})
    return {
        "chart": chart,
        "wide": round(LABELS + shape.columns * (wide + GAP)),
        "tall": HEADING + chart.above + shape.plotted + 40,
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
        "ticks": [(f"{tick:g}".replace("-", "−"), across(tick)) for tick in ticks(low, high)],
        "places": [down(row) for row in range(len(chart.rows))],
        "mark": None if chart.mark is None else across(chart.mark),
    }


def ticks(low: float, high: float) -> list[float]:
    """Round numbers within a range, at most five."""
    rough = (high - low) / MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(step * place, 6) for place in range(first, last + 1)]
