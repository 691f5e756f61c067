"""Languages may be written as people write them; the scores keep their names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from tasks.errors import BadInput
from tasks.languages.codes import bare_code, script_tag, spelled
from tasks.scoring import score
from tests.scoring.invented import grades

RATES = {"en": 0.9, "de": 0.7, "ja": 0.4}
WRITTEN: list[Mapping[str, str]] = [
    {"en": "EN", "de": "DE", "ja": "JA"},
    {"en": "eng_Latn", "de": "deu_Latn", "ja": "jpn_Jpan"},
    {"en": "en-US", "de": "de-DE", "ja": "ja-JP"},
    {"en": "English", "de": "German", "ja": "Japanese"},
]


@pytest.mark.parametrize("names", WRITTEN)
def test_other_spellings_give_the_same_scores_under_their_names(names: Mapping[str, str]) -> None:
    frame, pairs = grades(RATES), [("student", "base")]
    expected = score(frame, pairs=pairs, languages=[("de", "ja")], resamples=20)
    theirs = frame.assign(language=frame.language.replace(names))
    found = score(theirs, pairs=pairs, languages=[("de", "ja")], resamples=20)
    assert any(f"'en' is {names['en']!r} among the answers" in note for note in found.notes)
    between = f"{names['de']} - {names['ja']}"
    rows = expected.scores.to_pandas().replace({"target": {**names, "de - ja": between}})
    rows = rows.replace({"source": names})
    key = ["model", "target", "metric"]
    ours, same = (
        one[~one.metric.str.endswith("floor") & one.baseline.isna()].set_index(key).sort_index()
        for one in (found.scores.to_pandas(), rows)
    )
    pd.testing.assert_frame_equal(ours, same)


def test_the_source_of_each_item_may_be_written_in_another_way() -> None:
    frame = grades(RATES).assign(source_language="en")
    theirs = frame.assign(language=frame.language.replace(WRITTEN[1]))
    found, expected = (score(one, resamples=20).scores.to_pandas() for one in (theirs, frame))
    np.testing.assert_allclose(found.value, expected.value)


def test_one_language_written_in_two_ways_is_refused() -> None:
    frame = grades(RATES)
    frame.loc[(frame.model == "base") & (frame.language == "de"), "language"] = "De"
    with pytest.raises(BadInput, match=r"one language 'De' and 'de' \(the latter in 120 rows\)"):
        score(frame, resamples=20)


def test_answers_in_the_source_alone_keep_their_accuracy() -> None:
    frame = grades({"en": 0.7})
    scored = score(pd.concat([frame, grades(RATES).assign(benchmark="more")]), resamples=20)
    rows = scored.scores.to_pandas().query("benchmark == 'facts'")
    accuracy = rows[(rows.metric == "target_accuracy") & (rows.target == "en")]
    expected = frame.groupby("model").score.mean()
    np.testing.assert_allclose(accuracy.set_index("model").value, expected)
    assert "facts: no transfer scores: answers in one language only" in scored.notes


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        ([("de", "xx")], "1 of 1 pairs of languages are not compared"),
        ([("de", "en")], "en is the source and no target"),
    ],
)
def test_differences_of_languages_that_are_not_there_are_told_of(
    languages: list[tuple[str, str]], said: str
) -> None:
    notes = score(grades(RATES), languages=languages, resamples=20).notes
    assert len(notes) == 1 and said in notes[0]


@pytest.mark.parametrize("option", ["pairs", "languages"])
def test_nothing_is_compared_with_itself(option: str) -> None:
    with pytest.raises(BadInput, match="'base' is to be compared with itself"):
        score(grades(RATES), **{option: [("base", "base")]}, resamples=20)  # type: ignore[arg-type]


def test_a_pair_that_is_named_twice_is_compared_once() -> None:
    pairs = [("student", "base")]
    once, twice = (score(grades(RATES), pairs=pairs * n, resamples=20).scores for n in (1, 2))
    assert once == twice


@pytest.mark.parametrize(
    ("text", "bare", "tag"),
    [
        ("zh-Hant", "zh", "Hant"),
        ("zho_Hans", "zh", "Hans"),
        ("pt-BR", "pt", None),
        ("sr-Latn-RS", "sr", "Latn"),
        ("xq", "xq", None),
    ],
)
def test_codes_say_their_language_and_script(text: str, bare: str, tag: str | None) -> None:
    assert (bare_code(text), script_tag(text)) == (bare, tag)


def test_a_language_is_found_under_the_one_name_that_means_it() -> None:
    assert spelled("de", ["DE", "FR"]) == "DE"
    assert spelled("pt", ["pt-BR", "pt-PT"]) == "pt"
    assert spelled("xq", ["XQ"]) == "xq"
