"""Sums per item: what counts, what the sums are, and who votes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tasks.errors import BadInput
from tasks.scoring import PassRates, pass_rates
from tests.scoring.invented import grades


def only(frame: pd.DataFrame | pa.Table) -> PassRates:
    (found,) = pass_rates(frame)
    return found


def samples(*rows: tuple[str, float | None, str | None]) -> pd.DataFrame:
    """One item in English: status, score, answer."""
    frame = pd.DataFrame(rows, columns=["status", "score", "answer"])
    return frame.assign(
        model="m", benchmark="b", item_id="i", language="en", sample=range(len(rows))
    )


def test_sums_are_those_of_pandas() -> None:
    frame = grades({"en": 0.7, "fr": 0.4})
    frame["score"] *= np.random.default_rng(1).random(len(frame))
    found = only(frame).frame()
    expected = frame.assign(squares=frame.score**2).groupby(["model", "language", "item_id"])
    expected = expected.agg(n=("score", "size"), sum=("score", "sum"), squares=("squares", "sum"))
    both = found.merge(expected.reset_index(), on=["model", "language", "item_id"])
    assert len(both) == len(found) == len(expected)
    for name in ("n", "sum", "squares"):
        np.testing.assert_allclose(both[f"{name}_x"], both[f"{name}_y"])


def test_rows_may_come_in_any_order_and_encoding() -> None:
    frame = grades({"en": 0.7, "fr": 0.4})
    shuffled = pa.Table.from_pandas(frame.sample(frac=1, random_state=1), preserve_index=False)
    place = shuffled.schema.get_field_index("item_id")
    encoded = shuffled.set_column(place, "item_id", shuffled["item_id"].dictionary_encode())
    pd.testing.assert_frame_equal(only(frame).frame(), only(encoded).frame())


@pytest.mark.parametrize("status", ["unparsed", "truncated", "empty"])
@pytest.mark.parametrize("score", [None, 0.0, 1.0])
def test_an_answer_that_was_not_read_is_wrong_and_not_covered(
    status: str, score: float | None
) -> None:
    found = only(samples(("right", 1.0, "x"), (status, score, None)))
    assert (found.n.sum(), found.total.sum(), found.parsed.sum()) == (2, 1, 1)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ("xxy", 1.0),
        ("xyy", 0.0),
        ("xy", 0.5),
        ("xyz", 1 / 3),
        ("yyxx", 0.5),
        ("-xy-", 0.5),
        ("---", 0.0),
        ("--x", 1.0),
    ],
)
def test_the_most_frequent_answer_wins_and_ties_share(answers: str, expected: float) -> None:
    rows = {"x": ("right", 1.0, "x"), "-": ("unparsed", 0.0, None)}
    voted = [rows.get(a, ("wrong", 0.0, a)) for a in answers]
    majority = only(pd.concat([samples(*voted), _other()])).majority
    assert majority is not None
    assert majority[0, 0, 0] == pytest.approx(expected)


def _other() -> pd.DataFrame:
    """Another item, so that somebody has an answer."""
    return samples(("right", 1.0, "x")).assign(item_id="j")


def test_clusters_are_the_units_and_items_without_one_their_own() -> None:
    frame = grades({"en": 0.5, "fr": 0.5}, items=4)
    frame["cluster"] = frame.item_id.map({"i0": "text", "i1": "text"})
    found = only(frame)
    assert found.unit[0] == found.unit[1]
    assert len(set(found.unit.tolist())) == 3


def test_items_that_are_not_parallel_are_different_in_each_language() -> None:
    found = only(grades({"fr": 0.5, "de": 0.5}, items=4, parallel=False))
    assert len(found.items) == 8
    assert (found.n > 0).any(0).sum(0).tolist() == [1] * 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda f: f.assign(score=np.nan),
            r"rows have no score \(NaN\) although .*, sample 0 of item 'i0'",
        ),
        (lambda f: f.assign(score=-0.5), r"outside \[0, 1\], sample 0 .*score -0.5"),
        (lambda f: f.assign(language=None), "without 'language'"),
        (lambda f: f.assign(sample=None), "without 'sample'"),
        (
            lambda f: f.assign(source_language=np.where(f["sample"] > 0, "en", "fr")),
            "more than one source_language",
        ),
        (
            lambda f: f.assign(source_language=np.where(f.item_id == "i0", None, "en")),
            "some items only",
        ),
        (lambda f: f.assign(parallel=f.item_id == "i0"), "parallel in some rows only"),
        (
            lambda f: f.assign(temperature=np.where(f["sample"] > 0, 1.0, 0.2)),
            "at temperatures 0.2 and 1",
        ),
        (
            lambda f: f[(f.language != "en") | (f.model == "base")],
            "model 'student' has no answers in 'en', the source language .* its 120 answers",
        ),
        (lambda f: f.assign(source_language="ja"), "no model has answers in 'ja', the source"),
        (lambda f: f[f.language != "en"], "no model has answers in 'en', the source"),
    ],
)
def test_grades_that_cannot_be_scored_are_refused(change: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        list(pass_rates(change(grades({"en": 0.5, "fr": 0.5}))))


def test_a_benchmark_has_only_its_own_models_languages_and_sources() -> None:
    other = grades({"de": 0.9, "ja": 0.5}, models=["z"], source_language="de")
    frame = pd.concat([grades({"en": 0.7, "fr": 0.4}), other.assign(benchmark="other")])
    frame["source_language"] = frame.source_language.fillna("en")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for name in ("model", "language", "source_language", "item_id"):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].dictionary_encode())
    first, second = pass_rates(table)
    assert (first.models, first.languages) == (("base", "student"), ("en", "fr"))
    assert (second.models, second.languages) == (("z",), ("de", "ja"))
    assert first.source.tolist() == [0] * 30 and second.source.tolist() == [0] * 30
