"""prepare-data: published files to ITEMS, one part per benchmark and language, and SEEDS."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.artifacts.records import Part
from tasks.benchmarks import BENCHMARKS, Loaded, load_items, read_seeds
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.errors import BadInput

VERSION = 1
SEEDS = "seeds"


class Source(Spec):
    """One benchmark's files; `revision` names their bytes, wherever they lie."""

    benchmark: str
    source: str
    revision: str
    items: int | None
    languages: tuple[str, ...]


class PrepareData(Spec):
    """Everything to normalise."""

    benchmarks: tuple[Source, ...]
    seeds: str
    seeds_revision: str
    seed_rows: int | None = None  # the first so many; None: all
    seed_skip: int = 0  # of each category of a published folder, left to benchmarks


def items_part(benchmark: str, language: str) -> str:
    """Name of the ITEMS part of a benchmark in a language."""
    return f"items/{benchmark}/{language}"


def plan(spec: PrepareData, done: Mapping[str, Part]) -> Plan:
    """One part per benchmark and language, and one of seeds."""
    parts: dict[str, object] = {
        items_part(one.benchmark, language): {
            "version": VERSION,
            "benchmark": one.benchmark,
            "revision": one.revision,
            "items": one.items,
            "language": language,
        }
        for one in spec.benchmarks
        for language in one.languages
    }
    taken = {name: getattr(spec, name) for name in ("seed_rows", "seed_skip")}
    cut = {name: value for name, value in taken.items() if value}
    return parts | {SEEDS: {"version": VERSION, "revision": spec.seeds_revision} | cut}


def compute(spec: PrepareData, work: Work) -> None:
    """Load, check every gold against its own grader, publish."""
    sources = {one.benchmark: one for one in spec.benchmarks}
    for name in work.take(len(work.missing)):
        if name == SEEDS:
            seeds = read_seeds(spec.seeds, spec.seed_rows, spec.seed_skip)
            work.publish_table(name, seeds.table, left_out=seeds.left_out)
            continue
        _, benchmark, language = name.split("/")
        one = sources[benchmark]
        loaded = load_items(benchmark, one.source, language, one.items)
        work.publish_table(
            name,
            _some(loaded, benchmark, language, one.source).items,
            refused=[f"{item}: {reason}" for item, reason in loaded.refused],
            licence=BENCHMARKS[benchmark].licence,
        )


def _some(loaded: Loaded, benchmark: str, language: str, source: str) -> Loaded:
    if loaded.items.num_rows == 0:
        raise BadInput(
            f"benchmark {benchmark!r} has no usable item in {language!r} at {source}; "
            f"{len(loaded.refused)} were refused"
        )
    return loaded


STEP = Step("prepare-data", PrepareData, plan, compute, in_child=False)
