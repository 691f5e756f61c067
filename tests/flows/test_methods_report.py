"""A small comparison of methods, from data to the page over methods."""

from __future__ import annotations

import io

import pyarrow.parquet as pq
import pytest

from flows.here import run_here
from flows.summary import markdown_summary, sharing_said
from tasks.artifacts.parts import read_table
from tasks.artifacts.schemas import SCORES as SCORES_SCHEMA
from tasks.artifacts.store import Store
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tasks.score import SCORES
from tests.silent import Silent

CHANGES = {
    "methods": ["base", "selection-gt"],
    "benchmarks": [{"name": "facts", "items": 4}, {"name": "translation", "items": 4}],
    "languages": ["en", "fr", "de"],
    "training_seeds": [0, 1],
}
BOTH = {"methods": ["base", "selection-gt", "selection-gen"], "training_seeds": [0]}


def test_several_methods_have_a_page_of_their_own(file_store: Store) -> None:
    recipe = read_recipe("methods", CHANGES)
    run = run_here(file_store, recipe, Silent())
    folder = f"runs/{run}/report"
    index, page, table = (
        file_store.get(f"{folder}/{name}")
        for name in ("index.html", "methods.html", "table10.parquet")
    )
    assert index is not None and page is not None and table is not None
    assert 'href="methods.html"' in index.data.decode()
    assert "Simulated models" in page.data.decode()
    rows = {
        (row["row"], row["column"]): row
        for row in pq.read_table(io.BytesIO(table.data)).to_pylist()
        if row["student"] == "student"
    }
    ours, base = rows["SelectionGT", "Factual"], rows["Base", "Factual"]
    assert (ours["n_eval"], ours["n_seed"], base["n_eval"], base["n_seed"]) == (4, 2, 4, None)
    assert rows["SelectionGT", "RAG"]["note"] == "no RAG asked"
    scored = recorded_step(file_store, run, "score", "main")
    assert scored is not None
    levels = [
        row["value"]
        for row in read_table(file_store, scored.manifest.parts["scores"], file=SCORES).to_pylist()
        if row["model"] in {"s0", "s1"}
        and (row["baseline"], row["benchmark"], row["target"], row["metric"])
        == (None, "facts", "mean", "target_accuracy")
    ]
    assert ours["value"] == pytest.approx(100 * sum(levels) / 2)
    claims = file_store.get(f"{folder}/claims.csv")
    assert claims is not None and " rows" in claims.data.decode()


def test_what_sharing_saves_is_said() -> None:
    recipe = read_recipe("methods", CHANGES | BOTH)
    # Both kinds of selection take the same seeds.
    assert sharing_said(recipe) == "sharing saved 1 part computations"
    summary = markdown_summary("a-run", recipe, SCORES_SCHEMA.empty_table(), 3)
    assert "steps reused: 3. Sharing saved 1 part computations." in summary
    for other in ("smoke", "simulated-models"):
        assert sharing_said(read_recipe(other)) == ""
