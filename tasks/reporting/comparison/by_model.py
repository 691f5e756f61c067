"""Figures with models in rows: transfer, and what another script does to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.reporting.comparison.compared import MAIN, Comparison
from tasks.reporting.comparison.panels import (
    Dot,
    dot,
    extent_of,
    rows_axis,
    spaced,
    undefined,
    upright,
    whiskers,
)
from tasks.reporting.figures import Figure, Look, layout, look
from tasks.reporting.names import SCRIPT_DIFFERENCE, metric

_LOOKS = {  # filled and square for the score to compare, open for the published one
    "hat": look(0),
    "hat_corrected": look(1),
    "hat_chance_corrected": look(2),
    "target_accuracy": look(1),
}


def by_model(c: Comparison, benchmark: str) -> Figure | None:
    """HAT in all its forms, each model's mean over targets; accuracy where there is no HAT."""
    names = [name for name in reversed(MAIN[:3]) if c.any_mean(benchmark, name)]
    names = names or [c.main(benchmark)]
    series = [[dot(c.find(m, benchmark, "mean", name)) for m in c.models] for name in names]
    if not any(d.value is not None or d.words for dots in series for d in dots):
        return None
    percent = 100.0 if metric(names[0]).unit == "percent" else 1.0
    title = "HAT" if names[0] in MAIN[:3] else metric(names[0]).title
    return _in_rows(
        c,
        f"{benchmark}: {title} by model",
        "Mean over target languages with 95 % intervals; 1 is as good as in the source language."
        if percent == 1.0
        else "Mean over languages with 95 % intervals, in percent.",
        [
            (metric(name).title, dots, _LOOKS[name])
            for name, dots in zip(names, series, strict=True)
        ],
        percent,
    )


def by_script(c: Comparison, benchmark: str) -> Figure | None:
    """Other script minus same script for each model; None where it was not computed."""
    name = c.main(benchmark)
    dots = [dot(c.find(model, benchmark, SCRIPT_DIFFERENCE, name)) for model in c.models]
    if not any(d.value is not None or d.words for d in dots):
        return None
    return _in_rows(
        c,
        f"{benchmark}: {metric(name).title}, other script − same script",
        "Left of 0, transfer is worse into languages in another script; an interval that crosses "
        "the line leaves the sign open.",
        [(metric(name).title, dots, look(1))],
        0.0,
    )


def _in_rows(
    c: Comparison,
    title: str,
    caption: str,
    series: Sequence[tuple[str, list[Dot], Look]],
    mark: float,
) -> Figure:
    factor = 100.0 if mark == 100.0 else 1.0
    x = extent_of([d for _, dots, _ in series for d in dots], mark, factor=factor)
    data: list[dict[str, Any]] = []
    places = spaced(len(series), len(c.models))
    for (name, dots, style), rows in zip(series, places, strict=True):
        data += [whiskers(name, dots, rows, style), undefined(dots, rows, x)]
    missing = any(trace["x"] for trace in data if trace["name"] == "undefined")
    return Figure(
        title,
        caption + (" A cross at the left edge: undefined; the table says why." if missing else ""),
        data,
        layout(
            90 + (18 + 6 * len(series)) * len(c.models),
            {"range": x, "zeroline": False},
            rows_axis([model.label for model in c.models]),
            shapes=[upright(mark, "solid")],
            margin={"l": 10, "r": 12, "t": 40, "b": 30},
            legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
            showlegend=len(series) > 1,
        ),
    )
