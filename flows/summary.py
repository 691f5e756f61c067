"""A finished run in a few lines, for the Prefect UI and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from flows.pipeline import Node, sharing_saved
from flows.planning import Planner, left_of, short
from tasks.artifacts.store import Store
from tasks.estimate import duration
from tasks.model_list import ModelsRecipe
from tasks.recipe import Recipe
from tasks.run_step import parts_done
from tasks.scoring.metrics import NO_OPTIONS
from tasks.untrusted import in_markdown, one_line

HEADLINE = ("source_accuracy", "target_accuracy", "hat_corrected", "hat_chance_corrected")


def score_rows(scores: pa.Table) -> list[dict[str, Any]]:
    """The headline numbers, one row per model, benchmark, target and metric; means first."""
    rows = _told_once([row for row in scores.to_pylist() if is_headline(row)])
    rows.sort(key=lambda row: row["target"] != "mean")
    return [
        {
            "model": one_line(_name(row)),
            "benchmark": one_line(row["benchmark"]),
            "target": one_line(row["target"]),
            "metric": row["metric"],
            "value": _rounded(row["value"]),
            "low": _rounded(row["low"]),
            "high": _rounded(row["high"]),
            "items": row["n_items"],
            "samples": row["n_samples"],
            "coverage": _rounded(row["coverage"]),
            "note": one_line(row["note"] or ""),
        }
        for row in rows
    ]


def _name(row: dict[str, Any]) -> str:
    return f"{row['model']} - {row['baseline']}" if row["baseline"] else str(row["model"])


def _told_once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows; what no model can have on a benchmark has one, with the reason."""
    given = {(row["benchmark"], row["metric"]) for row in rows if row["value"] is not None}
    kept: dict[Any, dict[str, Any]] = {}
    for place, row in enumerate(rows):
        key = row["benchmark"], row["metric"]
        if key in given:
            kept[place] = row
        elif row["target"] == "mean" and not row["baseline"]:
            kept.setdefault(key, row | {"model": "(every model)"})
    return list(kept.values())


def is_headline(row: dict[str, Any]) -> bool:
    """Whether a row of SCORES is a headline number; most questions have no options at all."""
    return row["metric"] in HEADLINE and row["note"] != NO_OPTIONS


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def means(scores: pa.Table) -> list[dict[str, Any]]:
    """Only the means over target languages, which fit on one screen."""
    return [row for row in score_rows(scores) if row["target"] == "mean"]


def print_means(scores: pa.Table, say: Callable[[str], None]) -> None:
    """Means over target languages as lines of a table."""
    say(f"{'model':16} {'benchmark':12} {'metric':22} {'mean':>7}  95 % interval")
    for row in means(scores):
        interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        value = "-" if row["value"] is None else f"{row['value']:.3f}"
        say(
            f"{row['model']:16} {row['benchmark']:12} {row['metric']:22} {value:>7}  {interval}"
            f" {row['note']}"
        )


def markdown_summary(run: str, recipe: Recipe | ModelsRecipe, scores: pa.Table, reused: int) -> str:
    """Means over target languages with their intervals, as a Markdown table."""
    lines = [
        f"**{in_markdown(run)}**: {_compared(recipe)}, N = {recipe.evaluation.samples}; "
        f"steps reused: {reused}.{_shared(recipe)}",
        "",
        "| model | benchmark | metric | mean over targets | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for row in means(scores):
        interval = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        value = row["note"] if row["value"] is None else f"{row['value']:.3f}"
        cells = row["model"], row["benchmark"], row["metric"], value, interval
        lines.append(f"| {' | '.join(map(in_markdown, cells))} |")
    return "\n".join(lines)


def markdown_plan(
    planner: Planner, nodes: Sequence[Node], what: str, held: Mapping[str, str]
) -> str:
    """What a person approves: each step, what is done of it, and what the rest will take.

    `held` names the specs of the steps that could begin at once.
    """
    steps = list(planner.steps())
    left = left_of(steps)
    unknown = in_markdown(", ".join(left.unknown))
    lines = [
        f"**Go on past the {what}?** {sum(step.done for step in steps)} of {len(steps)} steps are "
        f"done. Left: {short(left.tokens)} tokens; {duration(left.seconds)}, one step after the "
        f"other; {left.money:.2f} US dollars. What no run with the same settings did before is "
        f"estimated, for the device {planner.device.name}."
        + (f" Not counted, as nobody can say: {unknown}." if unknown else ""),
        "",
        "| step | pool | done | tokens | time | money | from |",
        "|---|---|---|---|---|---|---|",
    ]
    for node, step in zip(nodes, steps, strict=True):
        state = "yes" if step.done else _standing(planner.store, node, held)
        time = "unknown" if step.seconds is None else duration(step.seconds)
        money = "unknown" if step.money is None else f"{step.money:.2f}"
        cells = node.label, node.pool, state, short(step.tokens), time, money, step.known
        lines.append(f"| {' | '.join(map(in_markdown, cells))} |")
    return "\n".join(lines)


def _standing(store: Store, node: Node, held: Mapping[str, str]) -> str:
    if node.label not in held:
        return "no"
    there, planned = parts_done(store, node.step, held[node.label])
    return "yes, forced again" if there == planned else f"{there} of {planned} parts"


def sharing_said(recipe: Recipe | ModelsRecipe) -> str:
    """How much methods, students and seeds have in common; empty where they have nothing."""
    saved = sharing_saved(recipe)
    return f"sharing saved {saved} part computations" if saved else ""


def _shared(recipe: Recipe | ModelsRecipe) -> str:
    said = sharing_said(recipe)
    return f" S{said[1:]}." if said else ""


def _compared(recipe: Recipe | ModelsRecipe) -> str:
    if isinstance(recipe, ModelsRecipe):
        return f"{len(recipe.models)} models"
    students = ", ".join(recipe.student_models.values())
    return f"student {in_markdown(students)}, methods {', '.join(recipe.methods)}"
