"""What is said of two generators: means over prompts, differences with intervals over seeds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import WRITTEN
from tasks.scoring.gain import DIFFERENCE, TRAINED, UNTRAINED, Weights, gain

ALL = Weights(1.0, 1.0, 1.0)


def text(generator: str, seed: int, language: str, parsed: bool, **more: Any) -> dict[str, Any]:
    refused = {"lai": 0.0, "lsi": 0.0, "passed": False, "reason": "not parsed"}
    passed = {"lai": 0.4, "lsi": 0.3, "lsi_null": 0.1, "passed": True}
    found = {"question": "?", "detected_language": language, "repeated": False} if parsed else {}
    return {
        "generator": generator, "prompt": f"s{seed}/{language}", "seed_id": f"s{seed}",
        "language": language, "text": "", "format": 1.0 if parsed else 0.5, **found,
        **(passed if parsed else refused), **more,
    }  # fmt: skip


def written(**more: Any) -> pa.Table:
    """Twelve seeds in two languages; the untrained generator parses French alone."""
    rows = [
        text(generator, seed, code, generator == TRAINED or code == "fr", **more)
        for generator in (UNTRAINED, TRAINED)
        for seed in range(12)
        for code in ("fr", "ar")
    ]
    return pa.Table.from_pylist(rows, WRITTEN)


def of(table: pa.Table, metric: str, language: str | None = None) -> dict[str, dict[str, Any]]:
    rows = [r for r in table.to_pylist() if (r["metric"], r["language"]) == (metric, language)]
    assert [row["generator"] for row in rows] == [UNTRAINED, TRAINED, DIFFERENCE]
    return {row["generator"]: row for row in rows}


@pytest.mark.parametrize(
    ("metric", "untrained", "trained"),
    [
        ("format", 0.75, 1.0),
        ("parsed", 0.5, 1.0),
        ("passed", 0.5, 1.0),
        ("language", 1.0, 1.0),
        ("distinct", 1.0, 1.0),
        ("lai", 0.2, 0.4),
        ("reward", 0.75 + 0.2 + 0.15, 1.7),
        ("lai_measured", 0.4, 0.4),
        ("lsi_null", 0.1, 0.1),
        ("lsi_excess", 0.2, 0.2),
    ],
)
def test_each_metric_is_a_mean_over_its_texts(
    metric: str, untrained: float, trained: float
) -> None:
    found = of(gain(written(), ALL, 0), metric)
    assert found[UNTRAINED]["value"] == pytest.approx(untrained)
    assert found[TRAINED]["value"] == pytest.approx(trained)
    assert found[DIFFERENCE]["value"] == pytest.approx(trained - untrained)


def test_languages_are_told_apart() -> None:
    table = gain(written(), ALL, 0)
    assert of(table, "parsed", "fr")[DIFFERENCE]["value"] == 0.0
    assert of(table, "parsed", "ar")[DIFFERENCE]["value"] == 1.0


def test_what_could_not_be_measured_is_left_out_of_the_rewards_alone() -> None:
    rows = written().to_pylist()
    lost = [row | {"lsi": None} if row["seed_id"] == "s0" else row for row in rows]
    found = gain(pa.Table.from_pylist(lost, WRITTEN), ALL, 0)
    assert of(found, "reward")[TRAINED]["n_values"] == 22
    assert of(found, "format")[TRAINED]["n_values"] == 24
    assert of(found, "lai_measured")[TRAINED]["n_values"] == 24
    without_lsi = gain(pa.Table.from_pylist(lost, WRITTEN), Weights(1.0, 1.0, 0.0), 0)
    assert of(without_lsi, "reward")[TRAINED]["n_values"] == 24
    assert "lsi" not in without_lsi.column("metric").to_pylist()


def test_prompts_of_a_seed_are_drawn_together() -> None:
    """Half of the seeds gain everything: an interval of twelve seeds, not of 24 prompts."""
    rows = [
        text(generator, seed, code, generator == TRAINED and seed % 2 == 0)
        for generator in (UNTRAINED, TRAINED)
        for seed in range(12)
        for code in ("fr", "ar")
    ]
    found = of(gain(pa.Table.from_pylist(rows, WRITTEN), ALL, 0), "parsed")[DIFFERENCE]
    # 1.96 standard deviations on either side: 0.57 for 12 fair coins, 0.40 for 24.
    assert 0.45 < found["high"] - found["low"] < 0.65


def test_a_metric_of_nothing_says_so() -> None:
    rows = [row for row in written().to_pylist() if row["language"] == "ar"]
    found = of(gain(pa.Table.from_pylist(rows, WRITTEN), ALL, 0), "distinct")
    assert found[UNTRAINED]["value"] is None and found[UNTRAINED]["note"]
    assert found[TRAINED]["value"] == 1.0 and found[DIFFERENCE]["value"] is None
