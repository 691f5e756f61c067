"""Analyses over models: medians, sizes, families, dates, thinking, and the published figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter, ValidationError

from tasks.scoring import score
from tasks.scoring.model_facts import ModelFacts
from tests.scoring.invented import grades

SLOPES = {"old small": 0.4, "old large": 0.6, "new small": 0.8, "new large": 0.9, "thinker": 0.95}
FACTS = [
    ModelFacts("old small", "Ash", parameters=2, released="2024-03"),
    ModelFacts("old large", "Ash", parameters=8, released="2024-06"),
    ModelFacts("new small", "Birch", parameters=2.2, released="2025-02"),
    ModelFacts("new large", "Birch", "Birch L", 32, "2025-09", "off"),
    ModelFacts("thinker", "Birch", "Birch L", 32, "2025-09", "high"),
]


def answers(**columns: Any) -> pd.DataFrame:
    frames = [
        grades({"en": 0.8, "fr": 0.8 * slope, "ja": 0.7 * slope}, models=[name], items=150, seed=9)
        for name, slope in SLOPES.items()
    ]
    return pd.concat(frames).assign(**columns)


@pytest.fixture(scope="module")
def analyses() -> pd.DataFrame:
    frame = answers(benchmark="MMLU-ProX-Lite")
    long = np.where(frame.language == "fr", 120, 100) * np.where(frame.model == "thinker", 3, 1)
    frame["completion_tokens"] = long
    found = score(frame, models=FACTS, resamples=200).analyses.to_pandas()
    return found.set_index(["analysis", "metric", "group"]).sort_index()


def test_medians_before_and_from_2025_stand_beside_the_published_ones(
    analyses: pd.DataFrame,
) -> None:
    early = analyses.loc[("released", "hat", "before 2025")]
    late = analyses.loc[("released", "hat", "from 2025")]
    assert (early.n_models, late.n_models) == (2, 3)
    assert (early.published_low, late.published_high) == (0.75, 0.93)
    assert early.low < early.value < early.high < late.low
    between = analyses.loc[("released", "hat", "from 2025 - before 2025")]
    assert between.value == pytest.approx(late.value - early.value) and between.low > 0


def test_the_slope_per_doubling_is_that_of_least_squares(analyses: pd.DataFrame) -> None:
    means = score(answers(benchmark="MMLU-ProX-Lite"), resamples=20).scores.to_pandas()
    means = means.query("metric == 'hat' and target == 'mean'").set_index("model").value
    size = [np.log2(facts.parameters or 0) for facts in FACTS]
    expected = np.polyfit(size, [means[facts.name] for facts in FACTS], 1)[0]
    found = analyses.loc[("size", "hat", "per doubling of parameters")]
    assert found.value == pytest.approx(expected) and found.low < expected < found.high
    assert analyses.loc[("size", "hat", "1B to 4B")].n_models == 2


def test_families_are_compared_at_equal_size_only(analyses: pd.DataFrame) -> None:
    groups = [
        group for kind, metric, group in analyses.index if (kind, metric) == ("family", "hat")
    ]
    assert groups == ["old small - new small"]
    assert analyses.loc[("family", "hat", groups[0])].high < 0


def test_a_system_is_compared_with_its_own_least_thinking(analyses: pd.DataFrame) -> None:
    found = analyses.loc[("thinking", "hat", "Birch L: high - off")]
    assert found.n_models == 2 and found.low < found.value < found.high
    tokens = analyses.loc[("thinking", "relative_tokens", "Birch L: high - off")]
    assert tokens.value == pytest.approx(0, abs=1e-9)


def test_unequal_sampling_is_not_compared_and_says_why() -> None:
    frame = answers(temperature=1.0)
    frame.loc[frame.model == "thinker", "temperature"] = 0.2
    found = score(frame, models=FACTS, resamples=20).analyses.to_pandas()
    (row,) = found[(found.analysis == "thinking") & (found.metric == "hat")].to_dict("records")
    assert np.isnan(row["value"]) and row["note"].startswith("not compared: they were sampled at")


@pytest.mark.parametrize(
    ("form", "compared"),
    [("chat, 0 examples, thinking high", True), ("chat, 3 examples, thinking high", False)],
)
def test_only_the_thinking_may_differ_where_thinking_is_compared(form: str, compared: bool) -> None:
    frame = answers(form="chat, 0 examples, thinking off")
    frame.loc[frame.model == "thinker", "form"] = form
    found = score(frame, models=FACTS, resamples=20).analyses.to_pandas()
    (row,) = found[(found.analysis == "thinking") & (found.metric == "hat")].to_dict("records")
    assert np.isnan(row["value"]) != compared


def test_tokens_and_scripts_are_medians_over_models(analyses: pd.DataFrame) -> None:
    assert analyses.loc[("tokens", "relative_tokens", "fr")].value == pytest.approx(1.2)
    whole = analyses.loc[("tokens", "relative_tokens", "mean over targets")]
    assert (whole.published_low, whole.published_high) == (1.05, 1.2)
    script = analyses.loc[("script", "hat", "other-script - same-script")]
    assert script.n_models == 5 and script.high < 0


def test_other_benchmarks_have_no_published_figure() -> None:
    found = score(answers(), models=FACTS, resamples=20).analyses.to_pandas()
    assert found.published_low.isna().all()


def test_facts_that_are_not_known_may_be_left_out_or_said_to_be_none() -> None:
    read = TypeAdapter(ModelFacts).validate_python
    unknown = {"name": "m", "parameters": None, "released": None, "thinking": None}
    assert read(unknown) == read({"name": "m"}) == ModelFacts("m")
    assert read({"name": "m", "thinking": False}).thinking == "off"
    for wrong in ({"released": "2024-13"}, {"thinking": "much"}, {"parameters": 0}):
        with pytest.raises(ValidationError):
            read({"name": "m", **wrong})
