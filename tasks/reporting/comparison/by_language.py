"""Figures with languages in rows: the score to compare, and how long answers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tasks.reporting.comparison.compared import Comparison, Model
from tasks.reporting.comparison.panels import (
    Dot,
    Panels,
    dot,
    extent_of,
    factor_of,
    rows_axis,
    spaced,
    undefined,
    upright,
    whiskers,
)
from tasks.reporting.comparison.statements import Statement
from tasks.reporting.comparison.tables import NO_REASON
from tasks.reporting.figures import GRID, Figure, layout, look
from tasks.reporting.names import language_name, metric

TOGETHER = 3  # models in one panel; more have a panel each
TOKENS = ("relative_tokens", "relative_reasoning_tokens")
LEGEND = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}


def by_language(c: Comparison, benchmark: str) -> Figure | None:
    """The score to compare of every model in every language; None without languages."""
    name = c.main(benchmark)
    codes = c.languages(benchmark, name)
    if not codes:
        return None
    together = len(c.models) <= TOGETHER
    groups = [c.models] if together else [[model] for model in c.models]
    dots = {m: [dot(c.find(m, benchmark, code, name)) for code in codes] for m in c.models}
    factor = factor_of(name)
    x = extent_of([d for found in dots.values() for d in found], factor, factor=factor)
    panels = _panels(len(groups), len(codes))
    data, shapes = [], []
    for place, group in enumerate(groups):
        panel = panels.name(place)
        for order, (model, rows) in enumerate(
            zip(group, spaced(len(group), len(codes)), strict=True)
        ):
            style = look(1 + order) if together else model.style
            data.append(whiskers(model.label, dots[model], rows, style, panel))
            data.append(undefined(dots[model], rows, x, panel))
        shapes.append(upright(factor, "solid", panel))
        shapes += [] if together else _mean(c, group[0], benchmark, panel)
    labels = [language_name(code) for code in codes]
    title = {"title": {"text": metric(name).title}} if together else {}
    axes = [
        ({"range": x, **title}, rows_axis(labels, panels.is_first(place)))
        for place in range(len(groups))
    ]
    more: dict[str, Any] = {"shapes": shapes}
    if together:
        more |= {"showlegend": len(c.models) > 1, "legend": LEGEND}
    else:
        more["annotations"] = [panels.title(i, m.label) for i, m in enumerate(c.models)]
    return Figure(
        f"{benchmark}: {metric(name).title} by language",
        _caption(c, benchmark, name, codes, together),
        data,
        panels.layout(axes) | more,
    )


def _panels(count: int, languages: int) -> Panels:
    if count == 1:
        return Panels(1, 1, 40 + 24 * languages)
    return Panels(count, min(count, 5), max(16 + 12 * languages, 90))


def _mean(c: Comparison, model: Model, benchmark: str, panel: str) -> list[dict[str, Any]]:
    found = dot(c.find(model, benchmark, "mean", c.main(benchmark)))
    return [] if found.value is None else [upright(found.value, "dot", panel, 1.5)]


def _caption(c: Comparison, benchmark: str, name: str, codes: list[str], together: bool) -> str:
    words = "Lines through the dots are 95 % intervals; the solid upright line is "
    words += "100 %." if factor_of(name) != 1 else "1, as good as in the source language."
    if not together:
        words += " The dotted line is the model's mean over targets."
    reasons = Counter(
        row.note or NO_REASON
        for model in c.models
        for code in codes
        if (row := c.find(model, benchmark, code, name)) and row.value is None
    )
    if reasons:
        words += " A cross at the left edge: undefined, because of "
        words += "; ".join(f"{note} ({count})" for note, count in reasons.most_common()) + "."
    return words


def tokens(c: Comparison, benchmark: str) -> Figure | None:
    """Lengths of answers relative to the source language; None where nothing is said of them."""
    said = [[s for s in c.statements if s[:3] == ("tokens", benchmark, name)] for name in TOKENS]
    codes = list(dict.fromkeys(s.group for found in said for s in found))
    if not codes:
        return None
    anchors = [s for found in said for s in found if s.is_anchored]
    marks = [x for s in anchors for x in (s.published_low, s.published_high) if x is not None]
    rows = spaced(2, len(codes), 0.36)
    singles = [_single(c, benchmark, name, codes, r) for name, r in zip(TOKENS, rows, strict=True)]
    medians = [_medians(found, codes) for found in said]
    extent = extent_of(
        [d for dots in medians for d in dots], 1.0, *marks, *(x for t in singles for x in t["x"])
    )
    data = list(singles)
    for name, dots, places, style in zip(TOKENS, medians, rows, _LOOKS, strict=True):
        data.append(whiskers(f"{metric(name).title}, median of models", dots, places, style))
        data.append(undefined(dots, places, extent))
    x = {"range": extent, "zeroline": False}
    return Figure(
        f"{benchmark}: length of answers by language",
        _tokens_caption(anchors),
        [trace for trace in data if trace["x"]],
        layout(
            90 + 22 * len(codes),
            x | {"title": {"text": "length over that in the source language"}},
            rows_axis([language_name(code) for code in codes]),
            shapes=[upright(1.0, "solid"), *_bands(anchors)],
            margin={"l": 10, "r": 12, "t": 40, "b": 40},
            legend=LEGEND,
        ),
    )


_LOOKS = (look(1), look(3))


def _medians(found: Sequence[Statement], codes: Sequence[str]) -> list[Dot]:
    by_code = {s.group: s for s in found}
    return [
        Dot(s.value, s.low, s.high, f"{s.shown} {s.note or ''}".strip())
        if (s := by_code.get(code))
        else Dot(None, None, None, "")
        for code in codes
    ]


def _single(
    c: Comparison, benchmark: str, name: str, codes: Sequence[str], rows: Sequence[float]
) -> dict[str, Any]:
    """Every model by itself, small and grey."""
    found = [
        (score.value, rows[place], model.label)
        for place, code in enumerate(codes)
        for model in c.models
        if (score := c.find(model, benchmark, code, name)) and score.value is not None
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "one model",
        "x": [round(x, 4) for x, _, _ in found],
        "y": [round(y, 3) for _, y, _ in found],
        "marker": {"symbol": "line-ns", "size": 6, "line": {"color": "#8b98a5", "width": 1}},
        "hovertext": [label for _, _, label in found],
        "hoverinfo": "text+x",
        "showlegend": name == TOKENS[0],
    }


def _bands(anchors: Sequence[Statement]) -> list[dict[str, Any]]:
    """The paper's range, once."""
    ranges = {(s.published_low, s.published_high) for s in anchors}
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "y domain",
            "x0": low,
            "x1": high,
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "fillcolor": GRID,
            "opacity": 0.6,
            "line": {"color": "#777777", "width": 1, "dash": "dash"},
        }
        for low, high in sorted((a, b) for a, b in ranges if a is not None and b is not None)
    ]


def _tokens_caption(anchors: Sequence[Statement]) -> str:
    words = "1.12 is 12 % more tokens than for the same questions in the source language. Thin "
    words += "marks are single models."
    return words + (" The dashed band is the paper's range." if _bands(anchors) else "")
