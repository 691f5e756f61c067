"""Answers that say the same fall together; the medoid of the largest group speaks for it."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.grading.ngrams import character_distance
from tasks.questions.clustering import clusters, consensus, distances


def equality(first: str, second: str) -> float:
    return float(first != second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("la vitesse de la lumière", "La vitesse de la lumière".lower()),
        ("القاهرة", "القاهرة"),
        ("a", "a"),
    ],
)
def test_equal_texts_are_no_distance_apart(first: str, second: str) -> None:
    assert character_distance(first, second) == pytest.approx(0.0)


def test_texts_without_a_common_ngram_are_one_apart() -> None:
    assert character_distance("sun", "мир") == pytest.approx(1.0)


def test_an_empty_text_is_one_apart_from_any_other_and_equal_to_itself() -> None:
    assert character_distance("", "word") == pytest.approx(1.0)
    assert character_distance("", "") == pytest.approx(0.0)


def test_a_rephrased_answer_is_nearer_than_another_answer() -> None:
    near = character_distance("photosynthesis in the leaves", "by photosynthesis in leaves")
    far = character_distance("photosynthesis in the leaves", "cellular respiration")
    assert near < 0.35 < far


def test_blanks_do_not_matter() -> None:
    assert character_distance("two  words", " two words ") == pytest.approx(0.0)


def test_distance_is_symmetric() -> None:
    pair = ("el río Amazonas", "Amazonas")
    assert character_distance(*pair) == pytest.approx(character_distance(*pair[::-1]))


def test_the_largest_cluster_wins_over_the_first() -> None:
    found = consensus(distances(["5", "7", "7", "9"], equality), 0.35)
    assert (found.medoid, found.size) == (1, 2)


def test_of_equally_large_clusters_the_one_sampled_first_wins() -> None:
    found = consensus(distances(["9", "7", "7", "9"], equality), 0.35)
    assert (found.medoid, found.size) == (0, 2)


def test_one_answer_is_its_own_cluster() -> None:
    assert consensus(distances(["only"], equality), 0.35) == (0, 1)


def test_the_medoid_is_the_most_central_member() -> None:
    line = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.1], [0.3, 0.1, 0.0]])
    assert consensus(line, 0.35) == (1, 3)


def test_linkage_is_average_not_single() -> None:
    """a-b and b-c are near, a-c is far: c is 0.6 from the pair on average and stays outside."""
    chain = np.array([[0.0, 0.1, 1.0], [0.1, 0.0, 0.2], [1.0, 0.2, 0.0]])
    assert clusters(chain, 0.35) == [[0, 1], [2]]


def test_a_distance_at_the_cut_still_joins() -> None:
    assert clusters(np.array([[0.0, 0.35], [0.35, 0.0]]), 0.35) == [[0, 1]]
    assert clusters(np.array([[0.0, 0.36], [0.36, 0.0]]), 0.35) == [[0], [1]]
