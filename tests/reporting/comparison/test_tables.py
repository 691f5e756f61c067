from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tasks.artifacts.schemas import ANALYSES, PROFILES, SCORES
from tasks.reporting.comparison.compared import Comparison, abridged, compared
from tasks.reporting.comparison.files import MODELS, write_files
from tasks.reporting.comparison.reading import reading
from tasks.reporting.comparison.statements import anchored_tokens, anchors, read_statements
from tasks.reporting.comparison.subjects import overview, samples_per_item
from tasks.reporting.comparison.tables import (
    differences,
    headline,
    noted,
    other_means,
    side_by_side,
    spread,
)
from tasks.scoring.model_facts import ModelFacts
from tests.reporting.comparison.invented import analyses, many, report_of, statement
from tests.reporting.invented import score_row


def comparison(*rows: dict[str, Any], **given: Any) -> Comparison:
    return compared(report_of(list(rows), **given))


def said(c: Comparison) -> dict[str, str]:
    return {about: re.sub("</?bdi>", "", sentences) for about, sentences in reading(c)}


def test_models_come_in_the_order_of_their_facts() -> None:
    c = comparison(
        score_row(model="z"), score_row(model="a"), score_row(model="b"),
        models=[ModelFacts("b", "B"), ModelFacts("a", "A")],
    )  # fmt: skip
    assert [model.label for model in c.models] == ["1 b", "2 a", "3 z"]
    assert len({model.style.marker for model in c.models}) == 3


def test_models_of_one_family_look_alike() -> None:
    known = [ModelFacts("a", "F"), ModelFacts("b", "G"), ModelFacts("c", "F")]
    c = comparison(*(score_row(model=fact.name) for fact in known), models=known)
    assert c.models[0].style == c.models[2].style != c.models[1].style


@pytest.mark.parametrize(
    ("defined", "main"),
    [
        ({"hat_chance_corrected": 0.5, "hat_corrected": 0.5}, "hat_chance_corrected"),
        ({"hat_chance_corrected": None, "hat_corrected": 0.5, "hat": 0.5}, "hat_corrected"),
        ({"hat_corrected": None, "hat": 0.5}, "hat"),
        ({"target_accuracy": 0.5}, "target_accuracy"),
    ],
)
def test_the_score_to_compare_is_the_best_that_is_defined(
    defined: dict[str, float | None], main: str
) -> None:
    rows = [score_row(metric=name, target="mean", value=v) for name, v in defined.items()]
    assert comparison(*rows).main("facts") == main


def test_scripts_differences_and_spreads_are_no_languages() -> None:
    targets = ("de", "mean", "all", "same-script", "other-script - same-script", "de - ja")
    c = comparison(*(score_row(target=target, value=0.5) for target in targets))
    assert c.languages("facts", "hat") == ["de"]


def test_a_variant_stands_behind_its_benchmark_and_beside_it() -> None:
    names = ("sums", "other", "sums without flagged items")
    c = comparison(
        *(score_row(benchmark=b, target="mean", value=i / 10) for i, b in enumerate(names, 1))
    )
    assert c.benchmarks == ["sums", "sums without flagged items", "other"]
    [table] = side_by_side(c)
    assert table.benchmarks == ["sums", "sums without flagged items"]
    [(_, [cells])] = table.rows
    assert [cell.value for cell in cells if cell] == [0.1, 0.3]


def test_the_headline_holds_means_median_pooled_and_defined_targets() -> None:
    row: dict[str, Any] = {"metric": "hat_corrected", "n_targets": 1, "value": 0.7}
    [table] = headline(
        comparison(
            *(score_row(**row | {"target": target}) for target in ("mean", "median", "pooled")),
            score_row(metric="hat_corrected", value=0.7),
            score_row(metric="hat_corrected", target="ja", note="too few source passes"),
            score_row(metric="coverage", n_items=10, n_samples=40, value=0.9),
            score_row(metric="target_accuracy", target="mean", value=0.8, coverage=0.9),
            score_row(metric="target_accuracy", value=0.8),
        )
    )
    [found] = table.rows
    assert table.metrics == ["target_accuracy", "hat_corrected"]
    assert [score.shown for score in found.means if score] == ["80.0 %", "0.700"]
    assert (found.targets, found.samples, found.coverage) == ("1 of 2", "4", "90.0 %")
    assert found.median and found.pooled and found.median.shown == found.pooled.shown == "0.700"


def test_behind_the_headline_stand_the_other_scores_and_the_silent_items() -> None:
    silent = "items_without_source_pass"
    [table] = other_means(
        comparison(
            score_row(metric="transfer_joint", target="mean", value=0.4),
            score_row(metric=silent, target="de", value=3.0),
            score_row(metric=silent, target="ja", value=5.0),
        )
    )
    [(_, [joint], without)] = table.rows
    assert joint and (joint.shown, without) == ("40.0 %", "3 to 5")


@pytest.mark.parametrize(
    ("source", "expected"),
    [("en", 5.0), ("de+en", 4.0)],
)
def test_samples_per_item_count_each_language_once(source: str, expected: float) -> None:
    shared: dict[str, Any] = {"source": source}
    c = comparison(
        score_row(**shared, metric="target_accuracy"),
        score_row(**shared, metric="coverage", n_items=8, n_samples=40),
        score_row(**shared, metric="range", target="all", n_items=10, n_samples=80, n_targets=2),
    )
    assert samples_per_item(c, c.models[0], "facts") == expected


def test_unequal_sampling_is_said() -> None:
    rows = [score_row(temperature=t, model=str(t), value=0.5) for t in (0.7, 1.0)]
    assert dict(overview(comparison(*rows)))["Temperature"] == "0.7 to 1"


def test_spread_stands_beside_its_noise_floor() -> None:
    [table] = spread(
        comparison(
            score_row(target="all", metric="std", value=0.2),
            score_row(target="all", metric="std_noise_floor", value=0.1),
        )
    )
    [(_, [(value, floor)])] = table.rows
    assert value and floor and (value.shown, floor.shown) == ("20.0", "10.0")


def test_differences_are_of_models_and_of_languages() -> None:
    shared: dict[str, Any] = {"metric": "hat", "value": 0.1, "low": 0.05, "high": 0.2}
    c = comparison(
        score_row(metric="hat", target="mean", value=0.5),
        score_row(**shared, baseline="other", target="mean"),
        score_row(**shared, baseline="other", target="de"),
        score_row(**shared, target="de - ja"),
        score_row(**shared, target="other-script - same-script"),
    )
    assert [(row.target, row.shown) for row in differences(c)] == [
        ("mean", "+0.100"),
        ("de - ja", "+0.100"),
    ]


def test_the_reading_counts_what_was_and_was_not_shown() -> None:
    def pair(model: str, low: float | None, high: float | None) -> dict[str, Any]:
        return score_row(model=model, baseline="base", target="mean", value=0.0, low=low, high=high)

    c = comparison(
        score_row(target="mean", value=0.5),
        pair("a", 0.1, 0.2), pair("b", -0.2, -0.1), pair("c", -0.1, 0.1), pair("d", None, None),
        *(score_row(model=m, target="mean", value=0.6) for m in "abcd"),
    )  # fmt: skip
    assert said(c)["facts"] == (
        "HAT from 0.500 (base) to 0.600 (d), 5 models; differences in HAT: 1 above 0 (a − base), "
        "1 below 0 (b − base), 1 not shown either way (interval includes 0), 1 undefined or "
        "without interval."
    )
    assert said(c)["Undefined"] == "no score; every one has a value."
    assert "Differences" not in said(c)


def test_without_pairs_nothing_is_said_of_differences() -> None:
    c = comparison(*(score_row(model=m, target="mean", value=0.5) for m in "ab"))
    assert "no pairs of models were compared" in said(c)["Differences"]


@pytest.mark.parametrize(
    ("ours", "published", "shown", "verdict"),
    [
        ((0.6, 0.5, 0.7), (0.5, 0.8), "0.500 to 0.800", "within the paper's range"),
        ((0.95, 0.92, 0.97), (0.93, 0.93), "0.930", "our interval includes it"),
        ((0.93, None, None), (0.93, 0.93), "0.930", "equal"),
        ((0.96, 0.95, 0.97), (0.94, None), "at least 0.940", "within the paper's range"),
        ((0.90, 0.85, 0.92), (0.94, None), "at least 0.940", "ours is lower"),
        ((0.90, 0.85, 0.95), (0.94, None), "at least 0.940", "our interval includes it"),
        ((0.85, 0.82, 0.9), (0.5, 0.8), "0.500 to 0.800", "ours is higher"),
        ((0.85, 0.79, 0.9), (0.5, 0.8), "0.500 to 0.800", "our interval includes it"),
        ((0.85, None, None), (None, 0.8), "at most 0.800", "ours is higher"),
        ((None, None, None), (0.5, 0.8), "0.500 to 0.800", "ours is undefined"),
    ],
)
def test_ours_stands_beside_the_papers(
    ours: tuple[float | None, ...],
    published: tuple[float | None, float | None],
    shown: str,
    verdict: str,
) -> None:
    row = statement(**dict(zip(("value", "low", "high"), ours, strict=True)))
    row |= dict(zip(("published_low", "published_high"), published, strict=True))
    [found] = anchors(read_statements(analyses([row])))
    assert (found.published, found.against_published) == (shown, verdict)


def test_token_anchors_are_counted_over_languages() -> None:
    tokens: dict[str, Any] = {"analysis": "tokens", "metric": "relative_tokens"}
    tokens |= {"published_low": 1.05, "published_high": 1.2}
    rows = [statement(**tokens | {"group": g, "value": v}) for g, v in
            (("de", 1.1), ("fr", 1.15), ("ja", 1.3))]  # fmt: skip
    found = read_statements(analyses(rows))
    assert anchors(found) == []
    assert anchored_tokens(found) == [
        (
            "sums",
            "Tokens by language, in the paper 1.050 to 1.200",
            "within the paper's range: 2, ours is higher: 1",
        )
    ]


@pytest.mark.parametrize(
    ("analysis", "metric", "group", "shown"),
    [
        ("thinking", "target_accuracy", "a: medium - off", "+4.0"),
        ("released", "hat", "from 2025 - before 2025", "+0.040"),
        ("released", "hat", "from 2025", "0.040"),
        ("size", "hat", "per doubling of parameters", "+0.040"),
        ("tokens", "relative_tokens", "de", "0.040"),
    ],
)
def test_differences_over_models_have_a_sign(
    analysis: str, metric: str, group: str, shown: str
) -> None:
    row = statement(analysis=analysis, metric=metric, group=group, value=0.04)
    assert read_statements(analyses([row]))[0].shown == shown


def test_notes_are_grouped_and_none_is_lost() -> None:
    rows = [
        score_row(model=model, target=target, metric=metric, note="n")
        for model in ("a", "b")
        for target in ("de", "ja")
        for metric in ("hat", "hat_corrected")
    ]
    rows.append(score_row(model="b", target="fr", note="another"))
    found = noted(comparison(*rows))
    assert [(row.count, row.models, row.targets) for row in found] == [
        (8, "all 2 models", "German, Japanese"),
        (1, "b", "French"),
    ]


@pytest.mark.parametrize(
    ("name", "shown"), [("short", "short"), ("a" * 20 + "b" * 20, "a" * 15 + "…" + "b" * 15)]
)
def test_long_names_lose_their_middle(name: str, shown: str) -> None:
    assert abridged(name) == shown


def test_tables_are_written_as_they_are(tmp_path: Path) -> None:
    report = many(4, 5, 2)
    names = write_files(report, tmp_path)
    assert sorted(names) == sorted(path.name for path in tmp_path.iterdir())
    for name, schema in (("scores", SCORES), ("profiles", PROFILES), ("analyses", ANALYSES)):
        found = pq.read_table(tmp_path / f"{name}.parquet", schema=schema)
        assert found.equals(getattr(report, name))
    models = pq.read_table(tmp_path / "models.parquet", schema=MODELS).to_pylist()
    assert [ModelFacts(**row) for row in models] == report.models
