"""The paper's tables 6 to 9: how far repetitions lie apart, evaluations and trainings by name."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.methods import Method
from tasks.methods.variants import Variant
from tasks.reporting.methods.compared import NOT_RUN, Grid, main_methods, not_asked
from tasks.reporting.methods.estimates import Cell
from tasks.reporting.methods.grids import (
    NOT_PUBLISHED,
    Line,
    Table,
    beside,
    has_published,
    papers_alone,
    title_of,
)
from tasks.reporting.methods.paper_tasks import FACTUAL, NEMOTRON, RAG, TRANSLATION
from tasks.scoring.repeats import spread_of

ENDS = ("min", "max")
COLUMNS = [f"{kind} {end}" for kind in ("std_eval", "std_seed") for end in ENDS]
_TABLES = (
    ("table6", "Table 6", NEMOTRON, "parts of Nemotron"),
    ("table7", "Table 7", TRANSLATION, "languages of translation"),
    ("table8", "Table 8", FACTUAL, "languages of factual questions"),
    ("table9", "Table 9", RAG, "languages of RAG"),
)


def repetition_tables(grid: Grid) -> list[Table]:
    """Tables 6 to 9."""
    return [
        Table(
            name,
            f"{number}: repetitions, {task}",
            f"Smallest and largest standard deviation (n − 1) over {over}, in points. std_eval: "
            "one student evaluated N times, as in the paper; std_seed: students trained with N "
            "seeds, of which the paper says nothing.",
            COLUMNS,
            _lines(grid, name, task),
            dict.fromkeys(COLUMNS, 2),
        )
        for name, number, task, over in _TABLES
    ]


def _lines(grid: Grid, table: str, task: str) -> list[Line]:
    run = [title_of(method) for method in grid.methods]
    ours = [
        Line(student, title_of(method), _cells(grid, table, task, student, method))
        for student in grid.students
        for method in main_methods()
    ]
    alone = [
        Line(row.student, row.title, [*row.cells, Cell(), Cell()])
        for row in papers_alone(grid, table, main_methods(), ENDS)
    ]
    kept = [row for row in ours if row.title in run or has_published(row)]
    return [*kept, *filter(has_published, alone)]


def _cells(grid: Grid, table: str, task: str, student: str, method: Method) -> list[Cell]:
    seeds = grid.seeds(student, method.name)
    differs = "; ".join(
        part for part in (grid.differs([task]), NOT_PUBLISHED.get(method.name, "")) if part
    )
    evaluated, trained = _of_evaluations(grid, task, seeds), _of_seeds(grid, task, seeds)
    return [
        *(
            beside(grid, table, student, title_of(method), end, cell, differs)
            for end, cell in zip(ENDS, evaluated, strict=True)
        ),
        *trained,
    ]


def _of_evaluations(grid: Grid, task: str, seeds: Sequence[Variant]) -> list[Cell]:
    """Of each language, the mean over training seeds of the spread of its evaluations."""
    if missing := _missing(grid, task, seeds):
        return missing
    found, counts = [], []
    for benchmark, language in _places(grid, task):
        rows = [grid.repeats.get((one.label, benchmark, language), ()) for one in seeds]
        spreads = [spread for row in rows if (spread := spread_of(row)) is not None]
        counts += [len(row) for row in rows if row]
        if spreads:
            found.append(100 * sum(spreads) / len(spreads))
    n = min(counts, default=0)
    return [
        Cell(end(found), std_eval=end(found), n_eval=n) if found else Cell(note=_alone(n, "sample"))
        for end in (min, max)
    ]


def _of_seeds(grid: Grid, task: str, seeds: Sequence[Variant]) -> list[Cell]:
    """Of each language, the spread of the students' levels."""
    if missing := _missing(grid, task, seeds):
        return missing
    if seeds[0].seed is None:
        return [Cell(note="not trained")] * 2
    found = []
    for benchmark, language in _places(grid, task):
        rows = [grid.level(one, benchmark, language) for one in seeds]
        values = [row.value for row in rows if row is not None and row.value is not None]
        spread = spread_of(values)
        found += [] if spread is None else [spread]
    n = len(seeds)
    return [
        Cell(end(found), std_seed=end(found), n_seed=n)
        if found
        else Cell(note=_alone(n, "training seed"))
        for end in (min, max)
    ]


def _missing(grid: Grid, task: str, seeds: Sequence[Variant]) -> list[Cell]:
    """Two cells that say why there is nothing; none where there is something."""
    if not seeds:
        return [Cell(note=NOT_RUN)] * 2
    if not grid.benchmarks(task):
        return [Cell(note=not_asked([task]))] * 2
    return []


def _places(grid: Grid, task: str) -> list[tuple[str, str]]:
    """The benchmarks of a task, each with its languages."""
    names = [row.benchmark for row in grid.benchmarks(task)]
    return [(name, language) for name in names for language in grid.languages(name)]


def _alone(n: int, what: str) -> str:
    return f"only {n} {what}" if n else "not in these scores"
