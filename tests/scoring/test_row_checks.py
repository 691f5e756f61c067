"""Rows that no answer can have are refused; rows that contradict themselves are told of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tasks.errors import BadInput
from tasks.scoring import pass_rates, score
from tests.scoring.invented import grades

Change = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("n_options", 1),
        ("n_options", 0),
        ("n_options", -4),
        ("completion_tokens", -5),
        ("reasoning_tokens", -5),
        ("temperature", -1.0),
        ("temperature", np.inf),
    ],
)
def test_impossible_numbers_are_refused_with_the_row_and_how_many(
    column: str, value: float
) -> None:
    frame = grades({"en": 0.5, "fr": 0.5}).assign(**{column: 4.0})
    frame.loc[frame.index[3:7], column] = value
    said = rf"4 of 480 rows have {column} below .* sample 3 of item 'i0' of 'facts' in 'en'"
    with pytest.raises(BadInput, match=said):
        list(pass_rates(frame))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.assign(language=f.language.replace("fr", " ")), "240 of 480 .* 'language'"),
        (lambda f: f.assign(model=f.model.replace("base", "")), "240 of 480 .* without 'model'"),
        (
            lambda f: f.assign(score=f.score.map("{:.0%}".format)),
            "column 'score' .* holds .*string where numbers are needed",
        ),
        (
            lambda f: f.assign(item_id=[i if i != "i0" else 0 for i in f.item_id]),
            "values of several types .*item_id",
        ),
    ],
)
def test_columns_of_another_kind_are_refused_in_words(change: Change, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        list(pass_rates(change(grades({"en": 0.5, "fr": 0.5}))))


@pytest.mark.parametrize(
    ("status", "points", "said", "counts"),
    [
        ("unparsed", 1.0, "have a score above 0 although they could not be read", 0.0),
        ("right", 0.0, "are right with the score 0", 0.0),
        ("wrong", 1.0, "or wrong with the score 1; the score counts", 1.0),
        (None, np.nan, "have neither a score nor a status", 0.0),
    ],
)
def test_contradictions_are_told_with_what_counts(
    status: str | None, points: float, said: str, counts: float
) -> None:
    frame = grades({"en": 0.5, "fr": 0.5})
    frame.loc[frame.index[:2], ["status", "score"]] = [status, points]
    (found,) = pass_rates(frame)
    assert found.total[0, 0, 0] == frame.score[2:4].sum() + 2 * counts
    notes = [note for note in score(frame, resamples=20).notes if said in note]
    assert len(notes) == 1 and notes[0].startswith("facts: 2 answers"), notes
    assert "sample 0 of item 'i0'" in notes[0]


def test_what_agrees_is_not_mentioned() -> None:
    assert score(grades({"en": 0.5, "fr": 0.5}), resamples=20).notes == []
