"""What a difference in accuracy is made of, trained and held-out languages apart.

Accuracy is coverage times the accuracy of what could be read, `c a`, so a difference splits:

    c1 a1 - c0 a0 = (c1 - c0) (a1 + a0) / 2  +  (a1 - a0) (c1 + c0) / 2

The first part is gained by answering in a readable form, the second by answering better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tasks.languages import TRAINED
from tasks.languages.codes import bare_code
from tasks.scoring.benchmark_scores import BenchmarkScores
from tasks.scoring.comparisons import Pair
from tasks.scoring.estimates import Bools, Estimates, Kind, difference, mean_over, smooth
from tasks.scoring.sheet import HELD_OUT_TARGETS, TRAINED_TARGETS, Row

COVERAGE, PARSED = "coverage", "accuracy_parsed"
LEVELS = ("target_accuracy", COVERAGE, PARSED)
BY_COVERAGE, BY_ACCURACY = "gain_by_coverage", "gain_by_accuracy"


def split_rows(scores: BenchmarkScores, cells: Mapping[str, Estimates]) -> Iterator[Row]:
    """Rows of SCORES; none where no models are compared. `cells` are [model, target] by metric."""
    if not scores.pairs:
        return
    kind = scores.interval
    alone = [Pair(place, -1) for place in range(len(scores.rates.models))]
    first, second = np.array(scores.pairs).T
    for name in LEVELS:
        between = difference(cells[name].at(first), cells[name].at(second), kind)
        yield from _grouped(scores, name, cells[name], alone)
        yield from _grouped(scores, name, between, scores.pairs)
    for name, parts in _parts(cells, first, second, kind).items():
        for place, pair in enumerate(scores.pairs):
            yield from scores.sheet.per_target(name, parts.at(place), pair)
        yield from _grouped(scores, name, parts, scores.pairs, {"mean": scores.sheet.targets})


def _parts(
    cells: Mapping[str, Estimates], first: object, second: object, kind: Kind
) -> dict[str, Estimates]:
    """Both parts of each difference, [pair, target]."""
    c1, c0 = (cells[COVERAGE].at(which) for which in (first, second))
    a1, a0 = (cells[PARSED].at(which) for which in (first, second))
    return {
        BY_COVERAGE: _times(difference(c1, c0, kind), _middle(a1, a0), kind),
        BY_ACCURACY: _times(difference(a1, a0, kind), _middle(c1, c0), kind),
    }


def _middle(one: Estimates, other: Estimates) -> Estimates:
    """Half the sum; its limits are those of `one` and of no use."""
    return replace(
        one,
        value=(one.value + other.value) / 2,
        draws=(one.draws + other.draws) / 2,
        influence=(one.influence + other.influence) / 2,
    )


def _times(change: Estimates, level: Estimates, kind: Kind) -> Estimates:
    """A product; its influence is what the rule for derivatives makes of theirs."""
    influence = (
        change.influence * level.value[..., None] + change.value[..., None] * level.influence
    )
    found = smooth(
        change.value * level.value, change.draws * level.draws, influence, change.units, kind
    )
    found = replace(found, items=change.items)
    return found.without(np.isnan(found.value), "no answer of one of the two could be read")


def _grouped(
    scores: BenchmarkScores,
    metric: str,
    cells: Estimates,
    who: tuple[Pair, ...] | list[Pair],
    more: Mapping[str, Bools] | None = None,
) -> Iterator[Row]:
    """Means over groups of targets; `cells` are [who, target]."""
    for name, members in {**(more or {}), **_groups(scores)}.items():
        known = ~np.isnan(cells.value) & members
        found = mean_over(cells, known, scores.interval)
        for place, pair in enumerate(who):
            yield scores.sheet.aggregate(metric, name, found.at(place), pair)


def _groups(scores: BenchmarkScores) -> dict[str, Bools]:
    """The groups that have targets."""
    codes = [bare_code(language) for language in scores.rates.languages]
    trained = np.isin(codes, TRAINED) & ~scores.held_out
    groups = {TRAINED_TARGETS: trained, HELD_OUT_TARGETS: scores.held_out}
    inside = {name: np.asarray(members & scores.sheet.targets) for name, members in groups.items()}
    return {name: members for name, members in inside.items() if members.any()}
