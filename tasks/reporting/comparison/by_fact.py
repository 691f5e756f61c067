"""Figures of one point per model: against its size, its release, and its source accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tasks.reporting.comparison.compared import Comparison, Model
from tasks.reporting.comparison.panels import Dot, dot, extent_of, factor_of, marker, reach
from tasks.reporting.figures import INK, Figure, layout
from tasks.reporting.names import metric

BORDER = "2025-01"  # the paper's: released before, and from then on
_NUMBERED = "Means over targets with 95 % intervals; numbers are those of the models."
_SIDES = ("middle right", "middle left", "top center", "bottom center")


class _Point(NamedTuple):
    model: Model
    x: Any
    y: Dot
    side: str


def by_size(c: Comparison, benchmark: str) -> Figure | None:
    """The score to compare against the number of parameters; None below two known sizes."""
    points = _points(c, benchmark, lambda model: model.facts.parameters)
    if len({point.x for point in points}) < 2:
        return None
    ticks = [x for x in _TICKS if points[0].x / 2 <= x <= points[-1].x * 2]
    axis = {
        "type": "log",
        "title": {"text": "parameters in billions (log scale)"},
        "tickvals": ticks,
        "ticktext": [f"{x:g}" for x in ticks],
        "zeroline": False,
    }
    return _scatter(c, benchmark, "size", "", points, axis)


_TICKS = [m * 10.0**k for k in range(-3, 5) for m in (1, 2, 5)]


def by_release(c: Comparison, benchmark: str) -> Figure | None:
    """The score to compare against the release date; None below two known dates."""
    points = _points(c, benchmark, lambda model: model.facts.released)
    if len({point.x for point in points}) < 2:
        return None
    axis = {"type": "date", "title": {"text": "released"}, "zeroline": False}
    shapes, words = _medians(c, benchmark, points)
    figure = _scatter(c, benchmark, "release date", words, points, axis)
    return Figure(figure.title, figure.caption, figure.data, figure.layout | {"shapes": shapes})


def _points(c: Comparison, benchmark: str, fact: Callable[[Model], Any]) -> list[_Point]:
    """Models of which a fact and the mean are known, from left to right."""
    name = c.main(benchmark)
    known = [
        (fact(model), found, model)
        for model in c.models
        if fact(model) is not None
        and (found := dot(c.find(model, benchmark, "mean", name))).value is not None
    ]
    known.sort(key=lambda row: (row[0], row[1].value))
    return [
        _Point(model, x, found, _SIDES[place % 2]) for place, (x, found, model) in enumerate(known)
    ]


def _scatter(
    c: Comparison,
    benchmark: str,
    fact: str,
    words: str,
    points: Sequence[_Point],
    axis: dict[str, Any],
) -> Figure:
    name = c.main(benchmark)
    factor = factor_of(name)
    absent = len(c.models) - len(points)
    said = f"{absent} models are missing: the fact or the score is not known." if absent else ""
    families = list(dict.fromkeys(point.model.facts.family for point in points))
    data = [
        _family(family, [point for point in points if point.model.facts.family == family])
        for family in families
    ]
    y = extent_of([point.y for point in points], factor, factor=factor)
    title = metric(name).title + (" (%)" if factor != 1 else "")
    return Figure(
        f"{benchmark}: {metric(name).title} by {fact}",
        " ".join(filter(None, (_NUMBERED, words, said))),
        data,
        layout(360, axis, {"range": y, "title": {"text": title}, "zeroline": False}),
    )


def _family(family: str | None, points: Sequence[_Point]) -> dict[str, Any]:
    style = points[0].model.style
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": family or "family not known",
        "x": [point.x for point in points],
        "y": [point.y.value for point in points],
        "error_y": reach([point.y for point in points]),
        "text": [str(point.model.number) for point in points],
        "textposition": [point.side for point in points],
        "textfont": {"size": 11, "color": INK},
        "marker": marker(style, 9),
        "hovertext": [f"{point.model.label}: {point.y.words}" for point in points],
        "hoverinfo": "text",
    }


def _medians(
    c: Comparison, benchmark: str, points: Sequence[_Point]
) -> tuple[list[dict[str, Any]], str]:
    """The border between early and late models, and the medians on its sides."""
    first, last = (min(points[0].x, "2024-12"), max(points[-1].x, "2025-02"))
    shapes = [_line(BORDER, BORDER, 0, 1, "solid", "paper")]
    words = "The upright line is the beginning of 2025"
    sides = (("before 2025", first, BORDER), ("from 2025", BORDER, last))
    for group, start, end in sides:
        found = c.said("released", benchmark, c.main(benchmark), group)
        if found is None or found.value is None:
            continue
        shapes.append(_line(start, end, found.value, found.value, "dash", "y"))
        words += f"; median {group} {found.shown} (dashed)"
        if found.published_low is not None and found.published_low == found.published_high:
            level = found.published_low
            shapes.append(_line(start, end, level, level, "dot", "y"))
            words += f", in the paper {found.published} (dotted)"
    return shapes, words + "."


def _line(x0: str, x1: str, y0: float, y1: float, dash: str, yref: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": yref,
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "layer": "below",
        "line": {"color": "#555555", "width": 1.3, "dash": dash},
    }


def coupling(c: Comparison, benchmark: str) -> Figure | None:
    """Target against source accuracy, one point per model and target; None for one model."""
    rows = [(model, _accuracies(c, benchmark, model)) for model in c.models]
    known = [(model, found) for model, found in rows if found]
    if len(known) < 2:
        return None
    families = list(dict.fromkeys(model.facts.family for model, _ in known))
    data = [_equal()]
    for family in families:
        data.append(_cloud(family, [row for row in known if row[0].facts.family == family]))
    data.append(_numbers(known))
    span = extent_of([], *(x for _, found in known for pair in found for x in pair))
    said = [s for s in c.statements if s.analysis == "coupling" and s.benchmark == benchmark]
    words = [f"R² {s.shown} {s.limits or s.note or ''}".strip() for s in said]
    words += [f"in the paper {s.published}" for s in said if s.is_anchored]
    return Figure(
        f"{benchmark}: source and target accuracy",
        "One mark per model and target, at the accuracies on the items of both; numbers are those "
        f"of the models; dotted: equal accuracy. {', '.join(words)}",
        data,
        layout(
            420,
            {"range": span, "title": {"text": "source accuracy (%)"}, "zeroline": False},
            {"range": span, "title": {"text": "target accuracy (%)"}, "zeroline": False},
        ),
    )


def _accuracies(c: Comparison, benchmark: str, model: Model) -> list[tuple[float, float]]:
    """(source, target) in percent, for every target that has both."""
    found = []
    for code in c.languages(benchmark, "source_accuracy"):
        source = dot(c.find(model, benchmark, code, "source_accuracy")).value
        target = dot(c.find(model, benchmark, code, "target_accuracy")).value
        if source is not None and target is not None:
            found.append((source, target))
    return found


def _equal() -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "equal",
        "x": [0, 100],
        "y": [0, 100],
        "line": {"color": "#8b98a5", "dash": "dot", "width": 1.5},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cloud(
    family: str | None, rows: Sequence[tuple[Model, list[tuple[float, float]]]]
) -> dict[str, Any]:
    style = rows[0][0].style
    flat = [(x, y, model.label) for model, found in rows for x, y in found]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": family or "family not known",
        "x": [x for x, _, _ in flat],
        "y": [y for _, y, _ in flat],
        "marker": marker(style, 5) | {"opacity": 0.6},
        "hovertext": [label for _, _, label in flat],
        "hoverinfo": "text+x+y",
    }


def _numbers(rows: Sequence[tuple[Model, list[tuple[float, float]]]]) -> dict[str, Any]:
    """The models' numbers, in turn above and below their marks."""
    placed = sorted((max(x for x, _ in found), model.number, found) for model, found in rows)
    ends = [
        max(found, key=lambda p: p[1]) if turn % 2 else min(found, key=lambda p: p[1])
        for turn, (_, _, found) in enumerate(placed)
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": "numbers",
        "cliponaxis": False,
        "marker": {"size": 11, "opacity": 0},  # keeps the numbers off the marks
        "x": [x for x, _ in ends],
        "y": [y for _, y in ends],
        "text": [str(number) for _, number, _ in placed],
        "textposition": [_SIDES[3 - turn % 2] for turn in range(len(placed))],
        "textfont": {"size": 11, "color": "#000000"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
