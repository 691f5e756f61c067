"""Figures of one benchmark: bars per language, and transfer profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.reporting.figures import INK, Figure, layout, look, pattern
from tasks.reporting.names import Split, language_name, metric
from tasks.reporting.scores import Score, Scores
from tasks.reporting.shown import ABSENT

Point = tuple[float, float, int]  # source rate, target rate, items


def bars_per_language(
    scores: Scores, benchmark: str, name: str, languages: Sequence[str], split: Split
) -> Figure:
    """One group of bars per target language with 95 % intervals; undefined values have no bar."""
    facts = metric(name)
    percent = facts.unit == "percent"
    data = []
    for place, model in enumerate(scores.models):
        found = [scores.find(model, benchmark, code, name) for code in languages]
        data.append(_bars(model, place, languages, found, 100.0 if percent else 1.0))
    border = sum(code in split.trained for code in languages)
    y = {"title": {"text": f"{facts.title}{' (%)' if percent else ''}"}, "rangemode": "tozero"}
    return Figure(
        f"{facts.title} per language",
        _bars_caption(scores, benchmark, name, languages),
        data,
        layout(
            320,
            {"type": "category", "showgrid": False},
            y,
            barmode="group",
            bargap=0.25,
            margin={"l": 52, "r": 12, "t": 50, "b": 40},
            legend={"orientation": "h", "x": 0, "y": 1.09, "yanchor": "bottom"},
            **_halves(split.words, border, len(languages)),
        ),
    )


def _bars(
    model: str, place: int, languages: Sequence[str], found: Sequence[Score | None], factor: float
) -> dict[str, Any]:
    style = look(place)
    values = [None if s is None or s.value is None else s.value * factor for s in found]
    return {
        "type": "bar",
        "name": model,
        "x": [language_name(code) for code in languages],
        "y": values,
        "marker": {
            "color": style.color,
            "line": {"color": INK, "width": 1},
            "pattern": pattern(style),
        },
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_reach(s, factor, up=True) for s in found],
            "arrayminus": [_reach(s, factor, up=False) for s in found],
            "color": INK,
            "thickness": 1.2,
            "width": 3,
        },
        "hovertext": ["" if s is None else f"{s.shown} {s.limits}" for s in found],
        "hoverinfo": "text+name",
    }


def _reach(score: Score | None, factor: float, up: bool) -> float:
    """How far an interval reaches from the value; 0 where there is none."""
    if score is None or score.value is None or score.low is None or score.high is None:
        return 0.0
    return max(factor * (score.high - score.value if up else score.value - score.low), 0.0)


def _bars_caption(scores: Scores, benchmark: str, name: str, languages: Sequence[str]) -> str:
    absent = [
        f"{language_name(code)} ({model}): {found.note or 'undefined'}"
        for code in languages
        for model in scores.models
        if (found := scores.find(model, benchmark, code, name)) and found.value is None
    ]
    return "Whiskers are 95 % intervals." + (f" No value: {'; '.join(absent)}." if absent else "")


def _halves(words: tuple[str, str], border: int, languages: int) -> dict[str, Any]:
    """A line between trained and held-out languages, and what is on its sides."""
    sides = ((words[0], 0, border), (words[1], border, languages))
    place = {"xref": "x", "yref": "paper", "y": 1.0, "yanchor": "bottom", "showarrow": False}
    said = [
        {**place, "x": (first + last - 1) / 2, "text": text, "font": {"size": 11, "color": "#555"}}
        for text, first, last in sides
        if last > first
    ]
    if not 0 < border < languages:
        return {"annotations": said}
    line = {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": border - 0.5,
        "x1": border - 0.5,
        "y0": 0,
        "y1": 1,
        "line": {"color": "#777777", "width": 1, "dash": "dot"},
    }
    return {"annotations": said, "shapes": [line]}


def profile(
    scores: Scores,
    points: Mapping[str, list[Point]],
    benchmark: str,
    target: str,
    split: Split,
) -> Figure:
    """Mean target pass rate given the observed source pass rate, and the slope of the score."""
    data = [_line("same pass rate", 1.0, "#b0b6bd", "dot")]
    slopes = []
    for place, model in enumerate(scores.models):
        style = look(place)
        data.append(_points(model, place, points.get(model, [])))
        found = scores.find(model, benchmark, target, "hat_corrected")
        if found is not None and found.value is not None:
            data.append(_line(f"{model}: slope", found.value, style.color, style.dash))
        slopes.append(f"{model} {ABSENT if found is None else found.shown}")
    rate = {"range": [-0.03, 1.03], "dtick": 0.25, "zeroline": False}
    return Figure(
        f"{language_name(target)} ({split.role(target)})",
        f"Slopes: {', '.join(slopes)}",
        data,
        layout(
            250,
            rate | {"title": {"text": "observed source pass rate", "font": {"size": 11}}},
            {"range": [-0.03, _top(points)], "dtick": 0.25, "zeroline": False},
            showlegend=False,
            margin={"l": 40, "r": 8, "t": 8, "b": 36},
        ),
    )


def _top(points: Mapping[str, list[Point]]) -> float:
    return max([1.0, *(y for rows in points.values() for _, y, _ in rows)]) + 0.03


def _line(name: str, slope: float, color: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [0.0, 1.0],
        "y": [0.0, slope],
        "line": {"color": color, "dash": dash, "width": 1.5},
        "hoverinfo": "name",
    }


def _points(model: str, place: int, rows: Sequence[Point]) -> dict[str, Any]:
    style = look(place)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": model,
        "x": [x for x, _, _ in rows],
        "y": [y for _, y, _ in rows],
        "marker": {"symbol": style.marker, "color": style.color, "size": 7},
        "hovertext": [f"{y:.2f} at {x:.2f}, {n} items" for x, y, n in rows],
        "hoverinfo": "text+name",
    }
