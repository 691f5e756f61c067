from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pyarrow as pa
import pytest
from plotly.offline import get_plotlyjs

from tasks.artifacts.schemas import PROFILES
from tasks.reporting import ModelsReport, write_models_report
from tasks.reporting.comparison.page import render
from tasks.scoring.model_facts import ModelFacts
from tests.reporting.comparison.invented import analyses, many, report_of, statement
from tests.reporting.invented import score_row

HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror="alert(2)">{{ 7*7 }}\u202eabc\x1b[2J'
)
LARGEST = 10_000_000  # bytes


class Elements(HTMLParser):
    """What a browser makes of the page: tags with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def page_of(report: ModelsReport) -> str:
    """The page without the plotting library's own text."""
    page = render(report, ["scores.csv"])
    assert page.count(get_plotlyjs()) == 1
    return page.replace(get_plotlyjs(), "")


@cache
def full() -> str:
    return page_of(many(8, 12, 3))


def text_of(page: str) -> str:
    """What a reader sees, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def figures(page: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return [json.loads(text) for text in found]


def hostile() -> ModelsReport:
    said = {"model": HOSTILE, "benchmark": HOSTILE, "note": HOSTILE}
    rows = [
        score_row(**said, metric=metric, target=target, value=0.5, low=0.4, high=0.6)
        for metric in ("source_accuracy", "target_accuracy", "hat_corrected", "range", HOSTILE)
        for target in ("de", HOSTILE, "mean", "all", "other-script - same-script")
    ]
    rows += [row | {"model": "b" + HOSTILE} for row in rows]
    rows.append(rows[2] | {"baseline": "b" + HOSTILE, "target": "mean"})
    point = {"model": HOSTILE, "benchmark": HOSTILE, "target": HOSTILE}
    everywhere = {"benchmark": HOSTILE, "group": HOSTILE, "note": HOSTILE, "published_low": 0.1}
    kinds = ("coupling", "script", "tokens", "size", "family", "released", "thinking")
    return report_of(
        rows,
        settings={HOSTILE: HOSTILE},
        profiles=pa.Table.from_pylist(
            [point | {"source_rate": 0.5, "target_rate": 0.4, "n_items": 3}], PROFILES
        ),
        analyses=analyses([statement(**everywhere, analysis=kind) for kind in kinds]),
        models=[
            ModelFacts(HOSTILE, HOSTILE, HOSTILE, 1.0, "2024-05", HOSTILE),
            ModelFacts("b" + HOSTILE, HOSTILE, None, 2.0, "2025-05"),
            ModelFacts("unscored" + HOSTILE),
        ],
        notes=[HOSTILE],
    )


def test_hostile_text_adds_no_element_and_no_attribute() -> None:
    page = page_of(hostile())
    found, harmless = Elements(page).found, Elements(full()).found
    attributes = {name for _, attrs in found for name in attrs}
    assert attributes <= {name for _, attrs in harmless for name in attrs} | {"open"}
    tags = [tag for tag, _ in found]
    assert "img" not in tags
    assert tags.count("script") == len(figures(page)) + 2


def test_hostile_text_is_shown_as_written_without_controls() -> None:
    page = page_of(hostile())
    assert "&lt;img src=x onerror=" in page
    assert "{{ 7*7 }}" in page
    assert not set("\u202e\x1b") & set(page)
    assert not [f for f in figures(page) if "<" in json.dumps(f)]


def test_the_page_loads_nothing() -> None:
    assert not re.search(r"https?://|@import|url\(|fetch\(|import\(", full())
    for _, attrs in Elements(full()).found:
        assert "src" not in attrs
        assert attrs.get("href") in (None, "data:,", "scores.csv")


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_models_report(many(4, 5, 2), folder)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert "index.html" in written[0]


def test_the_largest_experiment_stays_small_and_folds_its_profiles() -> None:
    page = render(many(20, 28, 3), [])
    assert len(page.encode()) < LARGEST
    folded = re.findall(r"<details><summary>.*?</details>", page.replace(get_plotlyjs(), ""), re.S)
    drawn = [text for text in folded if 'class="plot"' in text]
    assert len(drawn) == 20 * 3
    assert len(figures(page)) - len(drawn) < 30


@pytest.mark.parametrize("number", range(len(figures(full()))))
def test_every_figure_is_one_that_the_library_knows(number: int) -> None:
    figure = figures(full())[number]
    go.Figure(data=figure["data"], layout=figure["layout"], skip_invalid=False)


@pytest.mark.parametrize("number", range(len(figures(full()))))
def test_no_figure_is_empty(number: int) -> None:
    drawn = [x for trace in figures(full())[number]["data"] for x in trace["x"] if x is not None]
    assert drawn


def test_families_differ_without_color() -> None:
    [figure] = [f for f in figures(full()) if f["layout"]["xaxis"].get("type") == "log"][:1]
    symbols = [trace["marker"]["symbol"] for trace in figure["data"]]
    assert len(set(symbols)) == len(symbols) > 3


def test_languages_have_their_names_and_rows() -> None:
    figure = figures(full())[0]
    assert figure["layout"]["yaxis"]["ticktext"][:3] == ["French", "Spanish", "Arabic"]
    assert len([name for name in figure["layout"] if name.startswith("xaxis")]) == 8


def test_dots_are_the_values_of_the_table() -> None:
    report = many(8, 12, 3)
    rows = {
        row["target"]: row
        for row in report.scores.to_pylist()
        if (row["model"], row["benchmark"]) == (report.models[0].name, "choices")
        and row["metric"] == "hat_chance_corrected"
    }
    trace = figures(full())[0]["data"][0]
    row = rows["fr"]
    assert trace["x"][0] == pytest.approx(row["value"], abs=1e-4)
    assert trace["error_x"]["array"][0] == pytest.approx(row["high"] - row["value"], abs=2e-4)
    assert trace["error_x"]["arrayminus"][0] == pytest.approx(row["value"] - row["low"], abs=2e-4)


def test_a_profile_has_its_points_its_slope_and_the_diagonal() -> None:
    report = many(2, 2, 1)
    figure = next(f for f in figures(page_of(report)) if "given observed" in json.dumps(f))
    assert len(figure["data"]) == 2
    assert len(figure["data"][0]["x"]) == 11
    slope = next(
        row["value"]
        for row in report.scores.to_pylist()
        if row["model"] == report.models[0].name
        and (row["metric"], row["target"]) == ("hat_corrected", "fr")
    )
    ends = [shape["y1"] for shape in figure["layout"]["shapes"] if shape["xref"] == "x"]
    assert ends == [1.0, pytest.approx(slope, abs=1e-4)]


def test_an_undefined_score_has_a_dash_and_its_reason_in_table_figure_and_notes() -> None:
    undefined = {"metric": "hat_corrected", "note": "too few source passes"}
    report = report_of(
        [
            score_row(metric="hat_corrected", target="fr", value=0.5, low=0.4, high=0.6),
            score_row(**undefined),
            score_row(**undefined, model="other", target="mean"),
            score_row(metric="hat_corrected", target="mean", value=0.5, n_targets=1),
        ]
    )
    page = page_of(report)
    seen = text_of(page)
    assert re.search(r"2 other – too few source passes", seen)
    assert "undefined, because of too few source passes (1)" in seen
    assert "Undefined: 2 of 4 scores: too few source passes (2); see Notes." in seen
    assert "facts too few source passes 1 HAT, corrected German base" in seen
    assert "1 of 2" in seen
    crosses = [t for f in figures(page) for t in f["data"] if t["name"] == "undefined" and t["x"]]
    assert crosses


def test_a_simulation_says_so_before_anything_else() -> None:
    words = "Simulated models: these numbers are not about any model"
    assert words not in full()
    seen = text_of(page_of(replace(many(2, 2, 1), simulated=True)).partition("<body>")[2])
    assert seen.index(words) < seen.index("Benchmarks")


@pytest.mark.parametrize(("count", "open_ones"), [(1, 1), (2, 2), (3, 0)])
def test_profiles_of_few_models_are_open(count: int, open_ones: int) -> None:
    assert page_of(many(count, 3, 1)).count("<details open>") == open_ones


def test_a_single_model_has_no_sections_about_several() -> None:
    seen = text_of(page_of(many(1, 9, 1)))
    assert "No analyses over models were made of these scores." in seen
    assert "No pairs of models" not in seen and "source and target accuracy" not in seen


def test_no_scores_make_a_page() -> None:
    assert "No scores of single languages." in text_of(page_of(report_of([])))


def test_models_without_scores_are_named() -> None:
    report = report_of([score_row(value=0.5)], models=[ModelFacts("absent"), ModelFacts("base")])
    assert "No scores of absent" in text_of(page_of(report))


@pytest.mark.parametrize("name", ["2024", "日本語モデル", "نموذج", "a|b", "$x$", "x" * 200])
def test_a_model_may_be_called_anything(name: str) -> None:
    rows = [
        score_row(model=name, metric="hat", target=target, value=0.5, low=0.4, high=0.6)
        for target in ("de", "mean")
    ]
    page = page_of(report_of(rows))
    assert f"<bdi>{name}</bdi>" in page
    assert all(
        isinstance(y, int | float) for f in figures(page) for trace in f["data"] for y in trace["y"]
    )
