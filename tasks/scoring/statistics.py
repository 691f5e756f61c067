"""Statistics that are functions of sums over items: what makes a resample one matrix product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger[Any]]

SMALLEST = 1e-12  # a denominator at or below it is no denominator


@dataclass(frozen=True)
class Statistic:
    """`formula` of the sums of each term over the units; a unit is an item or a cluster of items.

    `terms` has shape [term, ..., unit], `items` [..., unit] counts the items behind each unit
    (0: the unit takes no part, and its terms are 0).
    """

    terms: Array
    items: Array
    formula: Callable[[Array], Array]

    def value(self) -> Array:
        """The estimate, [...]; NaN where undefined."""
        return self.formula(self.terms.sum(-1))

    def resampled(self, counts: Array) -> Array:
        """The estimate for each row of `counts` [resample, unit]: [..., resample]."""
        return self.formula(_resampled_sums(self.terms, counts))

    def left_out(self) -> Array:
        """The jackknife: the estimate without each unit, [..., unit]."""
        return self.formula(self.terms.sum(-1, keepdims=True) - self.terms)

    def influence(self) -> Array:
        """How much each unit moves the estimate, [..., unit]; 0 for a unit without part."""
        moved = self.value()[..., None] - self.left_out()
        return np.where(self.items > 0, moved, 0.0)

    def units(self) -> Array:
        """The number of units that take part, [...]."""
        return np.asarray((self.items > 0).sum(-1), dtype=float)

    def grouped(self, unit: Ints) -> Statistic:
        """The same statistic with items added up within units; `unit` [item] counts from 0."""
        if len(unit) == 0 or unit.max() + 1 == len(unit):
            return self
        order = np.argsort(unit, kind="stable")
        starts = np.searchsorted(unit[order], np.arange(unit.max() + 1))
        return replace(
            self,
            terms=np.add.reduceat(self.terms[..., order], starts, axis=-1),
            items=np.add.reduceat(self.items[..., order], starts, axis=-1),
        )

    def pooled(self, where: Array) -> Statistic:
        """The statistic of the sums over the targets, too: [model] from [model, target].

        `where` [target, item] is 1 for what is pooled.
        """
        return replace(
            self,
            terms=np.einsum("smti,ti->smi", self.terms, where),
            items=np.einsum("mti,ti->mi", self.items, where),
        )

    @property
    def is_ratio(self) -> bool:
        """Whether it is one sum over another, so that Fieller's interval exists."""
        return self.formula is divided


def _resampled_sums(terms: Array, counts: Array) -> Array:
    """terms @ counts.T as one matrix product, in which equal rows are multiplied once.

    What belongs to the source alone is the same row for every target, about half of all.
    """
    rows = terms.reshape(-1, terms.shape[-1])
    first: dict[bytes, int] = {}
    place = [first.setdefault(row.tobytes(), len(first)) for row in rows]
    distinct = np.frombuffer(b"".join(first), dtype=rows.dtype).reshape(-1, rows.shape[1])
    return np.asarray((distinct @ counts.T)[place].reshape(*terms.shape[:-1], len(counts)))


def divided(sums: Array) -> Array:
    """The first sum over the second; NaN where the second is not positive."""
    top, bottom = sums
    positive = bottom > SMALLEST
    return np.where(positive, top / np.where(positive, bottom, 1.0), np.nan)


def ratio(top: Array, bottom: Array, items: Array) -> Statistic:
    """sum(top) / sum(bottom) over the items that `items` (0 or 1) admits; shapes broadcast."""
    admitted = np.asarray(items, dtype=float)
    terms = np.stack(np.broadcast_arrays(top * admitted, bottom * admitted))
    return Statistic(terms, np.broadcast_to(admitted, terms.shape[1:]), divided)
