"""Transfer profiles: one figure per model and benchmark, with a panel for each language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.reporting.comparison.compared import Comparison, Model
from tasks.reporting.comparison.panels import Panels
from tasks.reporting.figures import INK, Figure
from tasks.reporting.names import in_order, language_name
from tasks.reporting.shown import ABSENT

SLOPE = "hat_corrected"

Point = tuple[float, float, int]  # source rate, target rate, items
Points = Mapping[tuple[str, str], Mapping[str, list[Point]]]  # (model, benchmark), target


def read_points(profiles: pa.Table) -> Points:
    """The points of a PROFILES table."""
    found: dict[tuple[str, str], dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for row in profiles.sort_by("source_rate").to_pylist():
        if row["source_rate"] is not None and row["target_rate"] is not None:
            point = (round(row["source_rate"], 3), round(row["target_rate"], 3), row["n_items"])
            found[row["model"], row["benchmark"]][row["target"]].append(point)
    return found


def profile(c: Comparison, points: Points, model: Model, benchmark: str) -> Figure | None:
    """Mean target pass rate given the observed source pass rate, in every language."""
    by_target = points.get((model.name, benchmark), {})
    codes = in_order(by_target)
    if not codes:
        return None
    panels = Panels(len(codes), min(max(len(codes), 3), 7), 130, gap=38, above=24, below=50)
    data, shapes, titles = [], [], []
    for place, code in enumerate(codes):
        panel = panels.name(place)
        found = c.find(model, benchmark, code, SLOPE)
        data.append(_dots(by_target[code], panel))
        shapes.append(_line(1.0, "dot", panel))
        if found is not None and found.value is not None:
            shapes.append(_line(found.value, "solid", panel))
        slope = ABSENT if found is None else found.shown
        titles.append(panels.title(place, f"{language_name(code)} {slope}"))
    top = max([1.0, *(y for rows in by_target.values() for _, y, _ in rows)]) + 0.04
    axes = [(_axis(1.04), _axis(top, panels.is_first(place))) for place in range(len(codes))]
    return Figure(
        f"{benchmark}, {model.label}: target pass rate given observed source pass rate",
        "Dots: mean of the items with that observed rate, larger for more items; observed rates "
        "hold sampling noise, so they are a picture only. Solid: the line through the origin with "
        "the slope “HAT, corrected”, which stands above each panel. Dotted: the diagonal, equal "
        "rates.",
        data,
        panels.layout(axes) | {"shapes": shapes, "annotations": [*titles, _BELOW]},
    )


_BELOW = {
    "text": "mean target pass rate given observed source pass rate",
    "showarrow": False,
    "xref": "paper",
    "yref": "paper",
    "x": 0.5,
    "y": 0,
    "yshift": -46,
    "yanchor": "bottom",
}


def _axis(top: float, labelled: bool = True) -> dict[str, Any]:
    return {
        "range": [-0.04, round(top, 3)],
        "tickvals": [0, 0.5, 1],
        "showticklabels": labelled,
    }


def _dots(rows: Sequence[Point], panel: str) -> dict[str, Any]:
    most = max(n for _, _, n in rows)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x for x, _, _ in rows],
        "y": [y for _, y, _ in rows],
        "marker": {
            "color": "#1f4e79",
            "size": [round(4 + 5 * (n / most) ** 0.5, 1) for _, _, n in rows],
            "line": {"color": "#ffffff", "width": 0.5},
        },
        "hovertext": [f"{n} items" for _, _, n in rows],
        "hoverinfo": "x+y+text",
        "xaxis": f"x{panel}",
        "yaxis": f"y{panel}",
    }


def _line(slope: float, dash: str, panel: str) -> dict[str, Any]:
    """A line through the origin, as far as a source rate of 1."""
    return {
        "type": "line",
        "xref": f"x{panel}",
        "yref": f"y{panel}",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": round(slope, 4),
        "line": {"color": INK if dash == "solid" else "#8b98a5", "width": 1.3, "dash": dash},
        "layer": "below",
    }
