"""Table 10 by the metrics that the paper's numbers are of, where a recipe asks for them."""

from __future__ import annotations

from tasks.methods.variants import Variant
from tasks.reporting.methods.compared import Grid, main_methods
from tasks.reporting.methods.estimates import Estimate, mean
from tasks.reporting.methods.grids import Column, Table, lines
from tasks.reporting.methods.paper_tasks import EMBEDDING, JUDGE, MEASURED, TASKS, Measured

NAME = "table10_paper_metric"
THE_PAPERS_EMBEDDING = "Qwen3-Embedding-8B"
SWAPPED = "another judge, and the paper's saw gold and answer swapped"


def by_the_papers_metric(grid: Grid) -> Table:
    """Students and methods again; no line where nothing was scored so."""
    asked = {row.metric for row in grid.scores.rows} & {EMBEDDING, JUDGE}
    metrics = {row.benchmark: row.compat for row in MEASURED}

    def level(variant: Variant, benchmark: str) -> Estimate | None:
        name = metrics[benchmark]
        return _rated(grid, variant, benchmark, name) if name else grid.level(variant, benchmark)

    columns = [Column(task, [task], level, _differs(grid, task)) for task in TASKS]
    return Table(
        NAME,
        "Table 10 by the paper's metrics",
        "The paper's RAG counts answers whose embedding is near enough, its translation a judge's "
        "ratings. Both accept much that is wrong, so these stand beside its numbers only.",
        list(TASKS),
        lines(grid, "table10", main_methods(), columns, per_student=True) if asked else [],
    )


def _rated(grid: Grid, variant: Variant, benchmark: str, name: str) -> Estimate | None:
    """The mean over target languages of what is right by such a metric."""
    rows = [
        grid.scores.find(variant.label, benchmark, code, name) for code in grid.targets(benchmark)
    ]
    known = [row for row in rows if row is not None and row.value is not None]
    if not known:
        return None
    return mean(
        [
            Estimate(100 * (row.value or 0.0), n_items=row.n_items, n_samples=row.n_samples)
            for row in known
        ]
    )


def _differs(grid: Grid, task: str) -> str:
    """What still tells our numbers of a task from the paper's."""
    told = [part for row in grid.benchmarks(task) for part in _of(grid, row)]
    return "; ".join(dict.fromkeys(told))


def _of(grid: Grid, measured: Measured) -> list[str]:
    if not measured.compat:
        return [told] if (told := grid.differs_of(measured)) else []
    elsewhere = measured.elsewhere(grid.languages(measured.benchmark))
    known = measured.differs if measured.is_bundled else elsewhere
    items = [known] if known else []
    if measured.compat == JUDGE:
        return [*items, SWAPPED]
    found = (
        row.note or ""
        for row in grid.scores.rows
        if row.benchmark == measured.benchmark and row.metric == EMBEDDING
    )
    how = next(found, "")
    return items if THE_PAPERS_EMBEDDING in how else [*items, how.partition(";")[0]]
