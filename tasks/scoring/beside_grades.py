"""Scores that are not made of grades, as rows that no other score is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import SCORES


def beside_rows(cells: Mapping[str, Sequence[Mapping[str, Any]]]) -> pa.Table:
    """SCORES of MODEL/KIND/BENCHMARK/LANGUAGE -> its metrics, each with value, counts and note.

    They have no interval: published tables have none, and a metric of somebody else's says nothing
    about its own.
    """
    rows: list[dict[str, Any]] = []
    for cell, scores in cells.items():
        model, _, benchmark, language = cell.split("/")
        named = {"model": model, "benchmark": benchmark, "target": language}
        rows += [named | dict(score) for score in scores]
    return pa.Table.from_pylist(rows, SCORES)


def corpus_rows(cells: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    """SCORES of MODEL/BENCHMARK/LANGUAGE -> chrF++ and BLEU of its corpus, in [0, 100].

    A corpus score is no mean over items, so that it has no interval here; its note is the
    signature, without which it cannot be compared.
    """
    rows: list[dict[str, Any]] = []
    for cell, corpus in cells.items():
        model, benchmark, language = cell.split("/")
        named = {"model": model, "benchmark": benchmark, "target": language}
        named |= {name: corpus[name] for name in ("n_items", "n_samples")}
        for score in ("chrf", "bleu"):
            told = {"value": corpus[score], "note": corpus[f"{score}_signature"]}
            rows.append(named | {"metric": f"corpus_{score}"} | told)
    return pa.Table.from_pylist(rows, SCORES)
