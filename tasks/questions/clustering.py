"""Which of several sampled answers say the same, and which of them speaks for the largest group.

Average linkage over pairwise distances in [0, 1]. Letters, numbers and formulas are 0 apart where
the grader calls them equal, else 1; texts by the cosine between counts of their character n-grams;
a letter and a text are 1 apart. One method for both, because equality need not be transitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Distance = Callable[[str, str], float]


class Consensus(NamedTuple):
    """The member that speaks for the largest cluster (an index into the answers) and its size."""

    medoid: int
    size: int


def vector_distance(texts: Sequence[str], vectors: NDArray[np.floating[Any]]) -> Distance:
    """One minus the cosine between the vectors of two of the texts, not below 0."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    units = dict(zip(texts, vectors / np.maximum(lengths, 1e-12), strict=True))
    return lambda first, second: max(0.0, 1.0 - float(units[first] @ units[second]))


def distances(answers: Sequence[str], distance: Distance) -> NDArray[np.float64]:
    """Symmetric matrix (answers x answers) of pairwise distances with a zero diagonal."""
    matrix = np.zeros((len(answers), len(answers)))
    for i, j in combinations(range(len(answers)), 2):
        matrix[i, j] = matrix[j, i] = distance(answers[i], answers[j])
    return matrix


def clusters(matrix: NDArray[np.float64], cut: float) -> list[list[int]]:
    """Groups of indices by average linkage, cut at a distance; ordered by their first member."""
    if len(matrix) == 1:
        return [[0]]
    # Every recipe imports this module, and few processes cluster anything.
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    tree = linkage(squareform(matrix, checks=False), method="average")
    groups: dict[int, list[int]] = {}
    for index, label in enumerate(fcluster(tree, t=cut, criterion="distance")):
        groups.setdefault(int(label), []).append(index)
    return list(groups.values())


def consensus(matrix: NDArray[np.float64], cut: float) -> Consensus:
    """The medoid of the largest cluster: least summed distance to its other members.

    Ties go to the earliest: of equally large clusters the one whose first member was sampled first,
    of equally central members the one sampled first.
    """
    largest = max(clusters(matrix, cut), key=len)
    spread = matrix[np.ix_(largest, largest)].sum(axis=1)
    return Consensus(largest[int(np.argmin(np.round(spread, 12)))], len(largest))
