"""What published tables call right, and how it is asked for."""

from __future__ import annotations

import pytest

from tasks.grading.paper_compat import PaperCompat, character_similarity, threshold


@pytest.mark.parametrize(
    ("answer", "golds", "near"),
    [
        ("Pia Rand", ["Pia Rand"], True),
        ("Pia Rands", ["somebody", "Pia Rand"], True),
        ("Nine grey geese", ["Pia Rand"], False),
        ("بيا راند", ["Pia Rand"], False),  # characters know no other script; models do
    ],
)
def test_an_answer_is_near_where_it_shares_the_characters_of_a_gold(
    answer: str, golds: list[str], near: bool
) -> None:
    assert (character_similarity(answer, golds) > threshold("span")) is near


def test_only_the_very_letter_is_near_the_gold_of_a_choice() -> None:
    assert threshold("choice") == 0.9 > threshold("span") == threshold("math") == 0.7
    assert character_similarity("B", ["B"]) > 0.9 > character_similarity("A", ["B"])


@pytest.mark.parametrize(
    ("embedding", "said"),
    [
        ("word2vec", "does not name a model; .* Or write characters"),
        ("simulated:teacher", "has no weights to embed with"),
        ("endpoint:lab/embedder", "has no weights to embed with"),
    ],
)
def test_what_cannot_embed_is_refused(embedding: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PaperCompat(embedding=embedding)
