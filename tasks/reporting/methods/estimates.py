"""Numbers with what they rest on, and their means; all in points of 100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.scoring.repeats import spread_of


class Estimate(NamedTuple):
    """A number of one trained student, or a mean of such; `note` says why it has no value."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_items: int | None = None
    n_samples: int | None = None
    coverage: float | None = None
    repeats: tuple[float, ...] = ()  # the same number in each evaluation
    note: str = ""


class Cell(NamedTuple):
    """A number over training seeds, beside the published one."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_items: int | None = None
    n_samples: int | None = None
    coverage: float | None = None
    std_eval: float | None = None
    n_eval: int | None = None
    std_seed: float | None = None
    n_seed: int | None = None
    published: float | None = None
    differs: str = ""  # in what the published number is another one
    note: str = ""


def mean(found: Sequence[Estimate], same_items: bool = False) -> Estimate:
    """The mean; without a value where one of them has none, since it would be of other things.

    Its limits are the means of theirs: at least as wide as those of the mean, whatever they share.
    """
    undefined = next((one for one in found if one.value is None), None)
    if undefined is not None or not found:
        return Estimate(note=undefined.note if undefined else "not in these scores")
    lengths = {len(one.repeats) for one in found}
    repeats = zip(*(one.repeats for one in found), strict=True) if len(lengths) == 1 else ()
    return Estimate(
        value=_mean([one.value for one in found]),
        low=_mean([one.low for one in found]),
        high=_mean([one.high for one in found]),
        n_items=found[0].n_items if same_items else _total([one.n_items for one in found]),
        n_samples=_total([one.n_samples for one in found]),
        coverage=_mean([one.coverage for one in found]),
        repeats=tuple(sum(values) / len(values) for values in repeats),
        note="; ".join(dict.fromkeys(one.note for one in found if one.note)),
    )


def over_seeds(found: Sequence[Estimate]) -> Cell:
    """One cell from the estimates of students that differ in their training seed only."""
    one = mean(found, same_items=True)
    spreads = [spread_of(seed.repeats) for seed in found]
    values = [seed.value for seed in found if seed.value is not None]
    return Cell(
        *one[:6],
        std_eval=_mean(spreads),
        n_eval=min((len(seed.repeats) for seed in found), default=None) or None,
        std_seed=spread_of(values),
        n_seed=len(values) or None,
        note=one.note,
    )


def mean_cell(cells: Sequence[Cell]) -> Cell:
    """The mean of cells that have a value, with the means of their limits."""
    return Cell(
        value=_mean([cell.value for cell in cells]),
        low=_mean([cell.low for cell in cells]),
        high=_mean([cell.high for cell in cells]),
        n_items=_total([cell.n_items for cell in cells]),
        n_samples=_total([cell.n_samples for cell in cells]),
        coverage=_mean([cell.coverage for cell in cells]),
        n_seed=min((cell.n_seed for cell in cells if cell.n_seed), default=None),
        note="" if cells else "not in these scores",
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where one is None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _total(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
