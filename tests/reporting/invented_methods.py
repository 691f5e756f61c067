"""Invented scores of students x methods x seeds, as SCORES rows and repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import SCORES
from tasks.methods import METHODS
from tasks.methods.variants import Grid, Variant
from tasks.reporting.methods import MethodsReport
from tasks.reporting.methods.paper_tasks import MEASURED
from tasks.reporting.methods.published import paper_students, published
from tests.reporting.invented import SETTINGS, score_row

PAPERS = {
    "q7": "hf:Qwen/Qwen2.5-7B-Instruct@0123abc",
    "q14": "hf:Qwen/Qwen2.5-14B-Instruct@0123abc",
    "l8": "hf:meta-llama/Llama-3.1-8B-Instruct@0123abc",
}
LANGUAGES = {row.benchmark: row.languages for row in MEASURED}  # the paper's
BENCHMARKS = {
    "nemotron-stem": "Nemotron",
    "mmmlu": "Factual",
    "opus-100": "Translation",
    "mhotpotqa": "RAG",
}


def variants(
    methods: Iterable[str],
    students: Iterable[str] = ("q7",),
    seeds: Sequence[int] = (0,),
    rounds: int = 1,
) -> tuple[Variant, ...]:
    chosen = tuple(METHODS[name] for name in methods)
    return tuple(Grid(tuple(students), chosen, tuple(seeds), rounds).variants())


def level(model: str, benchmark: str, value: float | None, **given: Any) -> dict[str, Any]:
    """A row of accuracy in percent; the mean over targets if nothing else is given."""
    row = {"model": model, "benchmark": benchmark, "target": "mean", "metric": "target_accuracy"}
    return score_row(**row | {"value": None if value is None else value / 100} | given)


def levels(model: str, benchmark: str, value: float, **given: Any) -> list[dict[str, Any]]:
    """The mean, and the paper's languages of a benchmark."""
    targets = ("mean", *LANGUAGES[benchmark])
    return [level(model, benchmark, value, target=t, source=None, **given) for t in targets]


def report_of(
    rows: list[dict[str, Any]],
    found: Sequence[Variant],
    students: Mapping[str, str] | None = None,
    **given: Any,
) -> MethodsReport:
    names = dict.fromkeys(one.student for one in found)
    return MethodsReport(
        **{
            "settings": SETTINGS,
            "scores": pa.Table.from_pylist(rows, SCORES),
            "repeats": {},
            "variants": tuple(found),
            "students": dict(students or {name: PAPERS[name] for name in names}),
        }
        | given
    )


def the_papers_own() -> MethodsReport:
    """The paper's table 10 as if we had measured it, with all differences from HOTFIXR."""
    methods = [n for n, m in METHODS.items() if m.published and n != "mcot" and "-l" not in n]
    methods.remove("format-only")
    found = variants(methods, PAPERS)
    names = dict(zip(PAPERS, paper_students(), strict=True))
    rows = []
    for one in found:
        for benchmark, task in BENCHMARKS.items():
            mine = published(
                "table10", names[one.student], METHODS[one.method].published or "", task
            )
            best = published("table10", names[one.student], "HOTFIXR", task)
            assert mine is not None and best is not None
            rows.append(level(one.label, benchmark, mine))
            rows.append(level(one.label, benchmark, mine, target="de"))
            if one.method != "hotfixr":
                hotfixr = f"{one.student}.hotfixr"
                rows.append(level(hotfixr, benchmark, best - mine, baseline=one.label))
    return report_of(rows, found)
