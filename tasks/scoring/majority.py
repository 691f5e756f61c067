"""Majority vote over the samples of one model, language and item."""

from __future__ import annotations

import numpy as np

from tasks.scoring.columns import Labels
from tasks.scoring.statistics import Array, Ints


def majority_scores(cell: Ints, answer: Labels, score: Array, cells: int) -> Array | None:
    """The score of each cell's most frequent answer; answers that tie share.

    `cell`, `answer` and `score` are per sample; equal answers are equal strings. A sample without
    an answer has no vote, a cell without votes scores 0. None where no sample has an answer.
    """
    voting = np.flatnonzero(answer.codes >= 0)
    if len(voting) == 0:
        return None
    key = cell[voting] * len(answer.names) + answer.codes[voting]
    order = np.argsort(key, kind="stable")
    key, score = key[order], score[voting][order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    votes = np.diff(np.r_[starts, len(key)])
    means = np.add.reduceat(score, starts) / votes
    of = key[starts] // len(answer.names)
    most = np.zeros(cells, dtype=np.int64)
    np.maximum.at(most, of, votes)
    winners = votes == most[of]
    tied = np.bincount(of[winners], minlength=cells)
    return np.asarray(np.bincount(of[winners], means[winners], cells) / np.maximum(tied, 1))
