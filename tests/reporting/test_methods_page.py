"""The page over methods, its files and its images."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import plotly.graph_objects as go
import pyarrow.parquet as pq
import pytest

from tasks.reporting.methods import MethodsReport, write_methods_report
from tasks.reporting.methods.files import CELLS
from tasks.reporting.methods.images import ticks
from tests.reporting.invented_methods import PAPERS, level, report_of, the_papers_own, variants
from tests.reporting.test_page import HOSTILE, Elements, figures, without_library

TABLES = {f"table{number}" for number in range(1, 11)} | {"claims", "forgetting"}
OTHERS = ("de", "ja", "fr")  # no task of the paper was asked in these alone
ASKED = {"nemotron-stem": ("en",), "mmmlu": OTHERS, "opus-100": OTHERS, "mhotpotqa": OTHERS}


@cache
def whole() -> MethodsReport:
    """Two students, two seeds, two rounds, all tasks."""
    students = ("q7", "l8")
    found = variants(["base", "untrained", "hotfixr", "format-only"], students, (0, 1), 2)
    rows = []
    for place, one in enumerate(found):
        for benchmark, languages in ASKED.items():
            for target in ("mean", *languages):
                value, given = 40.0 + place, {"target": target, "source": None}
                rows.append(level(one.label, benchmark, value, low=0.3, high=0.7, **given))
                if one.method == "hotfixr" and one.round == 2:
                    first = one.label.replace("r2", "r1")
                    rows.append(level(one.label, benchmark, -1.0, baseline=first, **given))
    repeats = {
        (one.label, benchmark, language): (0.4, 0.5, 0.6)
        for one in found
        for benchmark, languages in ASKED.items()
        for language in languages
    }
    return report_of(rows, found, repeats=repeats, notes=["2 items missing in de"])


def written(report: MethodsReport, folder: Path) -> str:
    write_methods_report(report, folder)
    return (folder / "methods.html").read_text(encoding="utf-8")


def test_every_table_and_figure_is_there_in_every_form(tmp_path: Path) -> None:
    written(whole(), tmp_path)
    names = {file.name for file in tmp_path.iterdir()}
    for table in TABLES | {"figure1", "figure8", "figure9", "figure10", "figure11", "figure12"}:
        assert {f"{table}.parquet", f"{table}.csv"} <= names, table
        found = pq.read_table(tmp_path / f"{table}.parquet")
        assert found.schema.equals(CELLS)
        with (tmp_path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            assert len(list(csv.reader(file))) == found.num_rows + 1
    for number in (1, *range(4, 13)):
        assert f"figure{number}.svg" in names


def test_the_page_loads_nothing_and_links_to_its_files_only(tmp_path: Path) -> None:
    page = written(whole(), tmp_path)
    for tag, given in Elements(page).found:
        assert given.get("src") is None, tag
        link = given.get("href") or ""
        if tag == "a" and not link.startswith("#"):
            assert link == "index.html" or (tmp_path / link).is_file(), link
    for figure in figures(page):
        go.Figure(figure)
    assert page.count("std_eval") > 8 and "2 items missing in de" in page


def test_equal_reports_give_equal_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
        written(whole(), folder)
    for file in folders[0].iterdir():
        assert file.read_bytes() == (folders[1] / file.name).read_bytes(), file.name


def test_ours_stand_beside_the_papers_and_what_differs_is_said(tmp_path: Path) -> None:
    page = without_library(written(whole(), tmp_path))
    cells = re.findall(r"<td>.*?</td>", page.split('id="table10"')[1], re.DOTALL)
    nemotron, factual, translation = cells[:3]
    assert "paper 52.3" in nemotron and "≠" not in nemotron
    assert "40.0" in factual and "paper 67.0" in factual
    assert "MMMLU in fr, de, ja" in factual
    assert "≠" in translation and "judge" in translation
    assert "The paper&#39;s other students" in page or "The paper's other students" in page


def test_a_simulated_run_says_so_and_another_does_not(tmp_path: Path) -> None:
    assert "Simulated models" in written(replace(whole(), simulated=True), tmp_path)
    assert "simulated models" in (tmp_path / "figure5.svg").read_text()
    assert "Simulated models" not in written(whole(), tmp_path)
    assert "simulated models" not in (tmp_path / "figure5.svg").read_text()


def test_names_of_strangers_are_harmless(tmp_path: Path) -> None:
    found = [replace(one, student=HOSTILE) for one in variants(["base", "hotfixr"])]
    rows = [
        level(one.label, benchmark, None if target == "fr" else 50.0, target=target,
              note=f"={HOSTILE}")
        for one in found
        for benchmark in ("mmmlu", HOSTILE)
        for target in ("mean", "de", "fr", HOSTILE)
    ]  # fmt: skip
    report = report_of(rows, found, {HOSTILE: HOSTILE}, notes=[HOSTILE])
    page = written(report, tmp_path)
    found_elements = Elements(page)
    ordinary = Elements(written(whole(), tmp_path))
    assert found_elements.count("img") == 0
    assert not any("onerror" in given for _, given in found_elements.found)
    kinds = {tag for tag, _ in found_elements.found}
    assert kinds <= {tag for tag, _ in ordinary.found} | {"ul", "li"}
    assert "\u202e" not in page and "\x1b" not in page


def test_cells_and_images_of_strangers_are_harmless(tmp_path: Path) -> None:
    found = [replace(one, student=HOSTILE) for one in variants(["base", "hotfixr"])]
    rows = [
        level(
            one.label, "mmmlu", None if one.method == "base" else 50.0, target=target, note="=1+1"
        )
        for one in found
        for target in ("mean", "de")
    ]
    written(report_of(rows, found, {HOSTILE: "x"}), tmp_path)
    with (tmp_path / "table10.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.DictReader(file) for cell in row.values()]
    assert "'=1+1" in cells and "=1+1" not in cells
    assert not any("\n" in cell or "\x1b" in cell or "\u202e" in cell for cell in cells)
    svg = ElementTree.parse(tmp_path / "figure5.svg")
    names = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert names <= {"svg", "title", "desc", "rect", "text", "path", "circle", "g", "tspan"}


def test_values_that_differ_in_their_last_digits_only_are_drawn(tmp_path: Path) -> None:
    found = variants(["base", "eng-reason"])
    rows = [
        level(one.label, "mmmlu", 100 / 3 + place * 1e-13, target=target)
        for place, one in enumerate(found)
        for target in ("mean", "de")
    ]
    written(report_of(rows, found, {"q7": "bundled:tiny-random"}), tmp_path)
    assert (tmp_path / "figure5.svg").read_text().count("<rect") > 2


def test_a_line_begins_with_a_plus_sign_and_is_no_formula(tmp_path: Path) -> None:
    written(whole(), tmp_path)
    with (tmp_path / "table5.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["row"] for row in csv.DictReader(file)}
    assert rows == {"Format", "'+ LAI", "'+ LSI", "HOTFIXR"}


def test_the_papers_own_table_is_marked_as_nothing_else(tmp_path: Path) -> None:
    written(the_papers_own(), tmp_path)
    table = pq.read_table(tmp_path / "table10.parquet").to_pylist()
    assert {row["student"] for row in table} == set(PAPERS)
    shown = [row for row in table if row["value"] is not None]
    assert len(shown) == 3 * 9 * 4
    assert all(row["value"] == pytest.approx(row["published"]) for row in shown)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 100.0, [0, 20, 40, 60, 80, 100]),
        (37.2, 81.0, [40, 50, 60, 70, 80]),
        (-0.04, 0.04, [-0.04, -0.02, 0, 0.02, 0.04]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected
