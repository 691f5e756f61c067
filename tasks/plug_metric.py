"""The parts of evaluate that a translation metric of somebody else's gives, where one is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.artifacts.schemas import PLUGGED
from tasks.benchmarks import BENCHMARKS
from tasks.compute.step import Work
from tasks.grading.plugged import plugged_scores

PREFIX = "plugged/"
VERSION = 1


def planned_metric(metric: str, cell: str, items: Part, grades: Part | None) -> dict[str, Any]:
    """The part of a translation benchmark's cell, once its grades are there."""
    if not metric or grades is None or BENCHMARKS[cell.split("/")[0]].kind != "translation":
        return {}
    return {PREFIX + cell: {"version": VERSION, "metric": metric, "items": items, "grades": grades}}


def measure(metric: str, work: Work, items: Mapping[str, Part]) -> None:
    """Score the translations of these parts; one without any text is not left out."""
    for name in work.take(len(work.missing), PREFIX):
        cell = name.removeprefix(PREFIX)
        asked = {row["item_id"]: row for row in read_table(work.store, items[cell]).to_pylist()}
        graded = read_table(work.store, work.done[f"grades/{cell}"]).to_pylist()
        given = [_row(asked[row["item_id"]], row) for row in graded]
        scores = plugged_scores(metric, given)
        rows = [
            {key: row[key] for key in ("benchmark", "item_id", "language", "sample")}
            | {"metric": metric, "score": score}
            for row, score in zip(graded, scores, strict=True)
        ]
        told = {
            "metric": f"plugged_{metric}",
            "value": float(np.mean(scores)) if scores else None,
            "n_items": len({row["item_id"] for row in rows}),
            "n_samples": len(rows),
            "note": f"mean over translations of the worker's metric {metric}",
        }
        work.publish_table(name, pa.Table.from_pylist(rows, PLUGGED), scores=[told])


def _row(item: Mapping[str, Any], graded: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "language": graded["language"],
        "source": item["question"],
        "text": graded["answer"] or "",
        "references": item["gold"],
    }
