"""Figures of the training logs and of the labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa

from tasks.reporting.figures import Figure, layout, look, pattern
from tasks.reporting.names import language_name

Series = dict[str | None, list[tuple[int, float]]]

MARKED = 30  # steps; with more of them markers run together

REWARDS = (  # title, metric, a second metric beside it, words
    ("Format reward", "format", None, "1: question, reasoning and answer are in their tags."),
    ("Reward LAI", "lai", None, "How unsure the student is; questions that were measured only."),
    ("Reward LSI", "lsi", "lsi_null", "How far its reasoning in two languages lies apart, and how "
     "far two English ones do (lsi_null)."),
)  # fmt: skip


def read_log(table: pa.Table) -> dict[str, Series]:
    """(step, value) of each metric and language of a TRAINING_LOG; None is over all languages."""
    found: dict[str, Series] = defaultdict(lambda: defaultdict(list))
    for row in table.sort_by("step").to_pylist():
        if row["value"] is not None:
            found[row["metric"]][row["language"]].append((row["step"], row["value"]))
    return found


def reward_curves(table: pa.Table) -> list[Figure]:
    """Format, LAI and LSI by step; single languages are thin lines behind."""
    log = read_log(table)
    return [
        _curves(title, words, log, [name for name in (first, second) if name and name in log])
        for title, first, second, words in REWARDS
        if first in log
    ]


def loss_curves(table: pa.Table) -> list[Figure]:
    """All losses of the student's training by step."""
    log = read_log(table)
    losses = sorted((name for name in log if "loss" in name), key=lambda name: (len(name), name))
    if not losses:
        return []
    return [_curves("Fine-tuning loss", "Mean over the tokens that are learned.", log, losses)]


def _curves(title: str, words: str, log: dict[str, Series], names: list[str]) -> Figure:
    data = []
    for code, points in sorted(_single(log[names[0]]).items()):
        thin = {"color": "#c4cad1", "width": 1}
        data.append(_curve(language_name(code), points, "lines", thin) | {"showlegend": False})
    for place, name in enumerate(names):
        style = look(1 - place if place < 2 else place)
        line = {"color": style.color, "dash": style.dash, "width": 2}
        marked = {"marker": {"symbol": style.marker, "size": 5, "color": style.color}}
        points = log[name].get(None, [])
        mode = "lines+markers" if len(points) <= MARKED else "lines"
        data.append(_curve(name, points, mode, line) | marked)
    thin_words = " Thin lines are single languages." if _single(log[names[0]]) else ""
    x = {"title": {"text": "training step"}, "zeroline": False}
    shown = {"showlegend": True, "margin": {"l": 48, "r": 12, "t": 24, "b": 40}}
    return Figure(title, words + thin_words, data, layout(260, x, {"zeroline": False}, **shown))


def _single(series: Series) -> dict[str, list[tuple[int, float]]]:
    return {code: points for code, points in series.items() if code is not None}


def _curve(
    name: str, points: list[tuple[int, float]], mode: str, line: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": mode,
        "name": name,
        "x": [step for step, _ in points],
        "y": [value for _, value in points],
        "line": line,
        "hoverinfo": "x+y+name",
    }


def agreement_histogram(labels: pa.Table) -> Figure:
    """How many questions had which share of the teacher's answers in the largest cluster."""
    rows = labels.select(["agreement", "kept"]).to_pylist()
    counts = {
        kept: Counter(
            round(row["agreement"], 3)
            for row in rows
            if row["agreement"] is not None and bool(row["kept"]) is kept
        )
        for kept in (True, False)
    }
    shares = sorted(set(counts[True]) | set(counts[False]))
    data = [
        {
            "type": "bar",
            "name": name,
            "x": [f"{share:.2f}" for share in shares],
            "y": [counts[kept][share] for share in shares],
            "marker": {
                "color": look(place).color,
                "line": {"color": "#333333", "width": 1},
                "pattern": pattern(look(place)),
            },
            "hoverinfo": "x+y+name",
        }
        for name, kept, place in (("kept", True, 1), ("not kept", False, 0))
    ]
    x = {"title": {"text": "agreement"}, "type": "category", "showgrid": False}
    return Figure(
        "Agreement of the teacher's answers",
        "Share of its answers in the largest cluster of equal ones.",
        data,
        layout(280, x, {"title": {"text": "questions"}}, barmode="stack"),
    )
