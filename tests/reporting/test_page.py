from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import plotly.graph_objects as go
import pyarrow as pa
import pytest
from plotly.offline import get_plotlyjs

from tasks.artifacts.schemas import LABELS, PROFILES
from tasks.reporting import Report, write_report
from tasks.reporting.page import render
from tests.reporting.invented import SETTINGS, invented, questions, report_of, score_row

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)"><!-- \u202eabc\x1b[2J'


class Elements(HTMLParser):
    """What a browser makes of the page: tags with their attributes, and the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script" and data.strip():
            self.scripts.append(data)

    def count(self, tag: str) -> int:
        return sum(found == tag for found, _ in self.found)


@cache
def full() -> str:
    return render(invented(), ["scores.csv"])


def without_library(page: str) -> str:
    """The page without the plotting library's own text."""
    assert get_plotlyjs() in page
    return page.replace(get_plotlyjs(), "")


def figures(page: str) -> list[dict[str, object]]:
    found = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return [json.loads(text) for text in found]


def hostile_report() -> Report:
    said = {"model": HOSTILE, "benchmark": HOSTILE, "note": HOSTILE}
    scores = [
        score_row(**said, metric=metric, target=target, value=0.5, low=0.4, high=0.6)
        for metric in ("target_accuracy", "hat_corrected", HOSTILE)
        for target in ("de", HOSTILE, "mean")
    ]
    point = {"model": HOSTILE, "benchmark": HOSTILE, "target": HOSTILE}
    label = dict.fromkeys(LABELS.names, HOSTILE) | {"answers": [HOSTILE], "agreement": 1.0}
    asked = {"language": HOSTILE, "text": HOSTILE, "reason": HOSTILE, "domain": HOSTILE}
    return report_of(
        scores,
        settings=SETTINGS | {"student": HOSTILE, HOSTILE: HOSTILE},
        profiles=pa.Table.from_pylist(
            [point | {"source_rate": 0.5, "target_rate": 0.4, "n_items": 3}], PROFILES
        ),
        notes=[HOSTILE],
        questions=questions([asked | {"parsed": False, "kept": False}]),
        labels=pa.Table.from_pylist([label | {"kept": True}], LABELS),
    )


def test_hostile_text_adds_no_element_and_no_attribute() -> None:
    page = without_library(render(hostile_report(), []))
    hostile, harmless = Elements(page), Elements(without_library(full()))
    attributes = {name for _, attrs in hostile.found for name in attrs}
    assert attributes <= {name for _, attrs in harmless.found for name in attrs}
    assert hostile.count("img") == 0
    assert hostile.count("script") == len(figures(page)) + 2
    assert not any("alert" in script for script in hostile.scripts if "Plotly" in script)


def test_hostile_text_is_shown_without_controls() -> None:
    page = render(hostile_report(), [])
    assert "&lt;img src=x onerror=" in page
    assert not set("\u202e\x1b") & set(without_library(page))
    assert not [f for f in figures(page) if "<" in json.dumps(f)]


def test_the_page_loads_nothing() -> None:
    page = without_library(full())
    assert not re.search(r"https?://|@import|url\(|fetch\(|import\(", page)
    for _, attrs in Elements(page).found:
        assert "src" not in attrs
        assert attrs.get("href") in (None, "data:,", "scores.csv")


def test_the_library_stays_within_its_element() -> None:
    assert "</script" not in get_plotlyjs().lower()
    assert full().count(get_plotlyjs()) == 1


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_report(invented(), folder)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]


@pytest.mark.parametrize("number", range(len(figures(full()))))
def test_every_figure_is_one_that_the_library_knows(number: int) -> None:
    figure = figures(full())[number]
    go.Figure(data=figure["data"], layout=figure["layout"], skip_invalid=False)


def test_series_differ_without_color() -> None:
    bars = next(f["data"] for f in figures(full()) if f["data"][0]["type"] == "bar")  # type: ignore[index]
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == len(bars) == 2  # type: ignore[attr-defined, arg-type]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("generator_log", "Question generator</h3>"),
        ("student_log", "Fine-tuning loss"),
        ("labels", "Agreement of the teacher"),
        ("labels", "Labels that were kept"),
        ("questions", "From questions to training data"),
        ("questions", "Questions that were refused"),
        ("rollouts", "rollout in training"),
    ],
)
def test_what_did_not_run_has_no_section(part: str, words: str) -> None:
    assert words in full()
    assert words not in render(replace(invented(), **{part: None}), [])


def test_scores_alone_make_a_page() -> None:
    page = without_library(render(report_of([score_row(value=0.5)]), []))
    for heading in ("Training</h2>", "Samples</h2>", "Questions and labels</h2>", "Spread over"):
        assert heading not in page
    assert "Languages the method trains on" in page


def test_no_scores_make_a_page() -> None:
    assert "no means over target languages" in render(report_of([]), [])


def test_an_undefined_score_is_a_dash_with_its_reason() -> None:
    row = score_row(target="mean", metric="hat_corrected", note="too few source passes")
    page = " ".join(without_library(render(report_of([row]), [])).split())
    assert re.search(r">–</span>( |<[^>]*>)*too few source passes", page)


def test_undefined_languages_are_named_below_the_figure() -> None:
    assert "No value: Arabic (base): too few source passes" in full()


@pytest.mark.parametrize(
    ("changed", "simulated"),
    [
        ({}, False),
        ({"machine": {"engine": "simulated"}}, True),
        ({"student": "simulated:weak"}, True),
    ],
)
def test_a_simulation_says_that_it_is_one(changed: dict[str, object], simulated: bool) -> None:
    page = render(report_of([score_row(value=0.5)], settings=SETTINGS | changed), [])
    assert ("these numbers are not about any model" in page) is simulated


def test_trained_and_held_out_languages_are_told_apart() -> None:
    page = full()
    assert "French (trained)" in page and "German (held out)" in page
    assert "German, Japanese, Russian, Chinese</dd>" in page


def test_texts_choose_their_own_direction() -> None:
    paragraphs = [attrs for tag, attrs in Elements(full()).found if tag == "p" and "lang" in attrs]
    assert {"ar"} <= {attrs["lang"] for attrs in paragraphs}
    assert all(attrs.get("dir") == "auto" for attrs in paragraphs)


def test_languages_are_not_called_trained_where_nothing_was() -> None:
    page = without_library(render(replace(invented(), labels=None), []))
    assert "French (the method&#39;s languages)" in page
    assert "(trained)" not in page
