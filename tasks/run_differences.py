"""What tells two runs apart: settings, parts, and scores with the intervals of their differences.

The two runs' own intervals say little about their difference, because both runs mostly ask the
same items. So the grades of both are scored again, together, from the same resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Manifest, Part
from tasks.artifacts.schemas import GRADES
from tasks.artifacts.store import Store
from tasks.errors import BadInput, StoreError
from tasks.recipe import Scoring
from tasks.runs import Run, recorded_manifests
from tasks.scoring import Scored, score

LABELS = {"name", "description"}  # for people; they shape nothing
PREFIX = "grades/"
RUNS = ("A", "B")
ABSENT = "absent"


class Difference(NamedTuple):
    """A setting by its dotted key, and its value in each run."""

    what: str
    one: Any
    other: Any


def changed_settings(one: Run, other: Run) -> list[Difference]:
    """The settings, and the package version, that are not the same."""
    left, right = ({"package": run.package} | dict(_flat(run.recipe)) for run in (one, other))
    keys = dict.fromkeys([*left, *right])
    values = (Difference(key, left.get(key, ABSENT), right.get(key, ABSENT)) for key in keys)
    return [found for found in values if found.one != found.other]


def _flat(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; entries of a list that have names go by these."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if at or key not in LABELS:
                yield from _flat(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for place, inner in enumerate(value):
            yield from _flat(inner, f"{at}.{inner.get('name', place)}")
    else:
        yield at, value


class StepDifference(NamedTuple):
    """How many parts of a step hold the same bytes, and the names of those that do not."""

    same: int
    differing: list[str]
    absent: str = ""  # in which run the step did not run

    @property
    def told(self) -> str:
        """In words."""
        if self.absent:
            return f"not in {self.absent}"
        return f"{self.same} parts the same" + (
            f", {len(self.differing)} not" if self.differing else ""
        )


def changed_parts(store: Store, one: Run, other: Run) -> dict[str, StepDifference]:
    """Every step of both runs; parts are told apart by what they hold, not by who made them."""
    left, right = (recorded_manifests(store, run) for run in (one, other))
    return {
        label: _step_difference(left.get(label), right.get(label))
        for label in dict.fromkeys([*one.labels, *other.labels])
        if label in left or label in right
    }


def _step_difference(one: Manifest | None, other: Manifest | None) -> StepDifference:
    if one is None or other is None:
        return StepDifference(0, [], "A" if one is None else "B")
    names = dict.fromkeys([*one.parts, *other.parts])
    differing = [name for name in names if not _alike(one.parts.get(name), other.parts.get(name))]
    return StepDifference(len(names) - len(differing), differing)


def _alike(one: Part | None, other: Part | None) -> bool:
    return one is not None and other is not None and one.content == other.content


@dataclass
class ScoreDifferences:
    """Rows of SCORES of models called `ROLE (A)` and `ROLE (B)`, and of A minus B."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def changed_scores(store: Store, one: Run, other: Run) -> ScoreDifferences:
    """Score the grades of both runs together, role by role and benchmark by benchmark.

    Where a difference would not be fair, or grades are gone, each run's own scores stand alone.
    """
    found = ScoreDifferences()
    left, right = (_grades(recorded_manifests(store, run)) for run in (one, other))
    settings = [Scoring.model_validate(run.recipe["scoring"]) for run in (one, other)]
    for key in dict.fromkeys([*left, *right]):
        if key not in left or key not in right:
            found.notes.append(f"{' on '.join(key)}: only in {'B' if key in right else 'A'}")
        elif _all_alike(left[key], right[key]):
            found.notes.append(f"{' on '.join(key)}: the same grades in both runs")
        else:
            _compare(store, found, key, (left[key], right[key]), settings)
    return found


Key = tuple[str, str]  # role, benchmark
Graded = Mapping[str, Part]  # language -> GRADES


def _grades(manifests: Mapping[str, Manifest]) -> dict[Key, dict[str, Part]]:
    found: dict[Key, dict[str, Part]] = {}
    for label, manifest in manifests.items():
        for name, part in manifest.parts.items():
            if name.startswith(PREFIX):
                _, benchmark, language = name.split("/")
                key = label.removeprefix("evaluate-"), benchmark
                found.setdefault(key, {})[language] = part
    return found


def _all_alike(one: Graded, other: Graded) -> bool:
    return one.keys() == other.keys() and all(_alike(one[code], other[code]) for code in one)


def _compare(
    store: Store,
    found: ScoreDifferences,
    key: Key,
    graded: tuple[Graded, Graded],
    settings: Sequence[Scoring],
) -> None:
    one, other = (f"{key[0]} ({run})" for run in RUNS)
    about = " on ".join(key)
    try:
        table = pa.concat_tables([_read(store, graded[0], one), _read(store, graded[1], other)])
    except StoreError as error:
        found.notes.append(f"{about}: not compared, {error}")
        return
    if settings[0].source != settings[1].source:
        found.notes.append(
            f"{about}: transfer starts from {settings[0].source!r} in A and from "
            f"{settings[1].source!r} in B; both are scored from {settings[0].source!r} here"
        )
    try:
        scored = _score(table, settings[0], [(one, other)])
    except BadInput as error:
        found.notes.append(f"no difference is given: {error}")
        scored = _score(table, settings[0], [])
    found.rows += scored.scores.to_pylist()
    found.notes += scored.notes


def _score(table: pa.Table, settings: Scoring, pairs: list[tuple[str, str]]) -> Scored:
    return score(
        table,
        source=settings.source,
        pairs=pairs,
        resamples=settings.resamples,
        seed=settings.seed,
        interval=settings.interval,
    )


def _read(store: Store, parts: Graded, name: str) -> pa.Table:
    """The grades of a role under another name, which tells the runs apart."""
    table = pa.concat_tables([read_table(store, part) for part in parts.values()])
    at = table.schema.get_field_index("model")
    return table.set_column(at, GRADES.field(at), pa.repeat(pa.scalar(name), table.num_rows))
