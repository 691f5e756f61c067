"""Scripts, pairs of languages, tokens, and how questions were asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tasks.errors import BadInput
from tasks.scoring import score
from tests.scoring.invented import grades, rows_of

RATES = {"en": 0.9, "fr": 0.8, "de": 0.7, "ru": 0.5, "ja": 0.3}


def one(rows: pd.DataFrame, target: str) -> pd.Series:
    (found,) = [row for _, row in rows.loc[[target]].iterrows() if row.model == "base"]
    return found


def test_a_group_of_scripts_pools_its_targets_and_differs_on_the_same_resamples() -> None:
    frame = grades(RATES, items=200)
    rows = rows_of(frame, "target_accuracy")
    of_base = frame[frame.model == "base"]
    for group, languages in (("same-script", ["fr", "de"]), ("other-script", ["ru", "ja"])):
        found = one(rows, group)
        expected = of_base[of_base.language.isin(languages)].score.mean()
        assert found.value == pytest.approx(expected)
        assert found.n_items == 400
    between = one(rows, "other-script - same-script")
    assert between.value == pytest.approx(
        one(rows, "other-script").value - one(rows, "same-script").value
    )
    assert between.high < 0


def test_scripts_follow_each_items_own_source() -> None:
    frame = grades({"en": 0.9, "fr": 0.6, "ru": 0.3}, items=100, models=["base"])
    source = np.where(frame.item_id.str[1:].astype(int) < 50, "en", "ru")
    rows = rows_of(frame.assign(source_language=source), "target_accuracy")
    same = frame[(frame.language == "fr") & (source == "en")].score.mean()
    assert one(rows, "same-script").value == pytest.approx(same)


def test_a_language_of_unknown_script_is_in_no_group_and_the_notes_say_so() -> None:
    scored = score(grades({"en": 0.9, "fr": 0.6, "xq": 0.3}), resamples=20)
    assert "the script of xq is not known" in " ".join(scored.notes)
    rows = scored.scores.to_pandas()
    assert "other-script" not in set(rows.target)


def test_languages_are_compared_on_the_same_items() -> None:
    frame = grades(RATES, items=200)
    rows = rows_of(frame, "hat", languages=[("de", "ja"), ("de", "zz")])
    between = one(rows, "de - ja")
    assert between.value == pytest.approx(one(rows, "de").value - one(rows, "ja").value)
    alone = [one(rows, language) for language in ("de", "ja")]
    widths = [row.high - row.low for row in alone]
    assert between.low > 0 and between.high - between.low < sum(widths)
    assert "de - zz" not in rows.index


def test_tokens_are_relative_to_the_source_of_the_same_items() -> None:
    frame = grades({"en": 0.9, "fr": 0.6}, items=150)
    rng = np.random.default_rng(0)
    length = np.where(frame.language == "fr", 1.2, 1.0) * rng.uniform(80, 120, len(frame))
    rows = rows_of(frame.assign(completion_tokens=length.round()), "relative_tokens")
    found = one(rows, "fr")
    assert found.low < 1.2 < found.high and found.value == pytest.approx(1.2, abs=0.02)
    assert rows_of(frame, "relative_tokens").empty


def test_differences_across_prompt_forms_are_refused() -> None:
    frame = grades(RATES)
    frame["form"] = np.where(frame.model == "base", "chat, 0 examples", "completion, 3 examples")
    with pytest.raises(BadInput, match=r"were asked in the forms .* a difference needs equal"):
        score(frame, pairs=[("student", "base")], resamples=20)
    assert score(frame, resamples=20).scores.num_rows > 0
    mixed = frame.assign(form=np.where(frame["sample"] > 0, "chat", "completion"))
    with pytest.raises(BadInput, match="more than one form"):
        score(mixed, resamples=20)


def test_answers_without_score_and_status_count_as_unparsed_and_are_told() -> None:
    frame = grades(RATES).drop(columns="status")
    frame.loc[frame.index[:7], "score"] = np.nan
    scored = score(frame, resamples=20)
    assert any("7 answers have neither a score nor a status" in note for note in scored.notes)
