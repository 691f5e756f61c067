"""The order of rows decides nothing, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tasks.errors import BadInput
from tasks.scoring import score
from tests.scoring.invented import grades


def graded() -> pd.DataFrame:
    """Fractions as scores, unequal numbers of samples, answers that tie."""
    frame = grades({"en": 0.9, "fr": 0.6, "ja": 0.4}, samples=7, n_options=4)
    rng = np.random.default_rng(2)
    frame = frame.assign(score=rng.random(len(frame)), status="scored")
    frame["answer"] = rng.choice(["x", "y"], len(frame))
    return frame[rng.random(len(frame)) < 0.8]


@pytest.mark.parametrize("parallel", [True, False])
def test_shuffled_rows_give_the_same_scores_to_the_last_bit(parallel: bool) -> None:
    frame = graded().assign(parallel=parallel)
    pairs = [("student", "base")]
    first = score(frame, pairs=pairs, resamples=50)
    shuffled = frame.sample(frac=1, random_state=1)
    assert score(shuffled, pairs=pairs, resamples=50) == first


@pytest.mark.parametrize(
    "number", [lambda n: n + 3, lambda n: 7 * n, lambda n: 900_000 + n], ids=["3", "gaps", "large"]
)
def test_samples_may_be_numbered_anyhow(number: Any) -> None:
    frame = graded()
    again = frame.assign(sample=number(frame["sample"]))
    assert score(again, resamples=20) == score(frame, resamples=20)


@pytest.mark.parametrize("number", [lambda n: n - 1, lambda n: n / 2, lambda n: n * 10**12])
def test_what_is_no_number_of_a_sample_is_refused_as_that(number: Any) -> None:
    frame = graded()
    with pytest.raises(BadInput, match=r"without 'sample' as a whole number .* for one"):
        score(frame.assign(sample=number(frame["sample"])), resamples=20)
