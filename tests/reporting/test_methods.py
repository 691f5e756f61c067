"""What the tables over methods hold: exact numbers from small invented scores."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import GRADES
from tasks.methods import METHODS
from tasks.reporting.methods.against import MEAN_OF_THEM, forgetting, table_2, table_3
from tasks.reporting.methods.by_language import figure_tables
from tasks.reporting.methods.claims import claims
from tasks.reporting.methods.compared import compared
from tasks.reporting.methods.estimates import Cell, Estimate, mean, over_seeds
from tasks.reporting.methods.grids import Table
from tasks.reporting.methods.paper_metric import by_the_papers_metric
from tasks.reporting.methods.paper_tasks import MEASURED
from tasks.reporting.methods.published import paper_student, published
from tasks.reporting.methods.repetition import repetition_tables
from tasks.reporting.methods.tables import table_1, table_4, table_5, table_10
from tasks.scoring.repeats import repeat_means, spread_of
from tests.reporting.invented import score_row
from tests.reporting.invented_methods import (
    PAPERS,
    level,
    levels,
    report_of,
    the_papers_own,
    variants,
)


def cell(table: Table, title: str, column: str, student: str | None = None) -> Cell:
    """The cell of a row and column; of the first student, if none is named."""
    row = next(
        line
        for line in table.lines
        if line.title == title and (student is None or line.student == student)
    )
    return row.cells[table.columns.index(column)]


# Printed numbers are rounded, and the paper's table 10 is too: 0.1 apart is as near as it gets.
@pytest.mark.parametrize("method", ["Base", "SelectionGT", "Filtered", "DataEnvGym", "HOTFIXR"])
@pytest.mark.parametrize("column", ["ID", "OOD"])
def test_the_papers_table_10_gives_its_table_1(method: str, column: str) -> None:
    found = cell(table_1(compared(the_papers_own())), method, column)
    assert found.published is not None
    assert found.value == pytest.approx(found.published, abs=0.11)
    assert "other students" not in found.differs


@pytest.mark.parametrize(
    ("method", "wins"),
    [("Base", 3), ("EngReason", 4), ("SelectionGT", 9), ("SelectionGEN", 8), ("Filtered", 8),
     ("Untrained", 7), ("DataEnvGym", 9)],
)  # fmt: skip
def test_the_papers_table_10_gives_its_wins_and_deltas(method: str, wins: int) -> None:
    table = table_2(compared(the_papers_own()))
    assert cell(table, method, "OOD wins")[:1] == (wins,)
    assert cell(table, method, "OOD wins").published == wins
    assert cell(table, method, "OOD wins").note == "of 9"
    delta = cell(table, method, "OOD delta")
    assert delta.published is not None
    assert delta.value == pytest.approx(delta.published, abs=0.11)


def test_forgetting_avoided_is_as_published() -> None:
    rows = [
        level(one.label, "mmmlu", 10.0, target="de")
        for one in variants(["base", "hotfixr", "dataenvgym"])
    ]
    grid = compared(report_of(rows, variants(["base", "hotfixr", "dataenvgym"])))
    found = forgetting(grid, table_3(grid))
    assert cell(found, "DataEnvGym", "HOTFIXR minus it").published == pytest.approx(8.7)
    assert cell(found, MEAN_OF_THEM, "HOTFIXR minus it").published == pytest.approx(7.1, abs=0.05)
    assert [line.title for line in found.lines][-1] == MEAN_OF_THEM


def test_held_out_changes_are_means_over_the_tasks_that_have_the_language() -> None:
    found = variants(["base", "hotfixr", "untrained"])
    rows = [level("base", name, 50.0, target="de") for name in ("mmmlu", "mhotpotqa")]
    for model, german, russian in (("hotfixr", -1.0, -4.0), ("untrained", -3.0, -8.0)):
        changed = {"baseline": "base", "low": -0.1, "high": 0.05}
        rows += [level(model, "mmmlu", german, target="de", **changed),
                 level(model, "mmmlu", russian, target="ru", **changed),
                 level(model, "mhotpotqa", russian - 2, target="ru", **changed)]  # fmt: skip
    grid = compared(report_of(rows, found))
    table = table_3(grid)
    assert cell(table, "HOTFIXR", "de")[:3] == pytest.approx((-1.0, -10.0, 5.0))
    assert cell(table, "HOTFIXR", "ru").value == pytest.approx(-5.0)
    assert cell(table, "HOTFIXR", "Avg").value == pytest.approx(-3.0)
    assert cell(table, "HOTFIXR", "ja").note == "not in these scores"
    against = forgetting(grid, table)
    assert cell(against, "Untrained", "HOTFIXR minus it").value == pytest.approx(-3.0 + 6.0)


def test_std_eval_and_std_seed_are_told_apart() -> None:
    found = variants(["base", "hotfixr"], seeds=(0, 1))
    assert [one.label for one in found] == ["base", "s0", "s1"]
    levels = {"base": 50.0, "s0": 60.0, "s1": 66.0}
    repeats = {
        ("base", "mmmlu", "de"): (0.4, 0.6),
        ("s0", "mmmlu", "de"): (0.5, 0.6, 0.7),
        ("s1", "mmmlu", "de"): (0.64, 0.66, 0.68),
    }
    rows = [
        level(name, "mmmlu", value, target=target)
        for name, value in levels.items()
        for target in ("mean", "de")
    ]
    grid = compared(report_of(rows, found, repeats=repeats))
    base, hotfixr = (cell(table_10(grid), name, "Factual") for name in ("Base", "HOTFIXR"))
    assert (base.std_eval, base.n_eval) == (pytest.approx(sqrt(2) * 10), 2)
    assert (base.std_seed, base.n_seed) == (None, None)
    assert hotfixr.value == pytest.approx(63.0)
    assert (hotfixr.std_eval, hotfixr.n_eval) == (pytest.approx((10 + 2) / 2), 3)
    assert (hotfixr.std_seed, hotfixr.n_seed) == (pytest.approx(3 * sqrt(2)), 2)


def test_repetitions_are_told_by_their_smallest_and_largest_language() -> None:
    found = variants(["base", "hotfixr"], seeds=(0, 1))
    repeats = {
        (model, "mmmlu", language): values
        for model in ("base", "s0", "s1")
        for language, values in (("en", (0.5, 0.5)), ("de", (0.4, 0.6)), ("fr", (0.49, 0.51)))
    }
    rows = [
        level(name, "mmmlu", value, target=target, source="en")
        for name, value in (("base", 50), ("s0", 60), ("s1", 62))
        for target in ("de", "fr")
    ]
    rows += [level(n, "mmmlu", 70, metric="source_accuracy") for n in ("base", "s0", "s1")]
    grid = compared(report_of(rows, found, repeats=repeats))
    table = next(one for one in repetition_tables(grid) if one.name == "table8")
    low, high = (cell(table, "Base", f"std_eval {end}") for end in ("min", "max"))
    assert (low.value, high.value) == (0.0, pytest.approx(sqrt(2) * 10))
    assert (low.n_eval, low.published, high.published) == (2, 0.1, 1.5)
    assert (
        cell(table, "Base", "std_seed min").value,
        cell(table, "Base", "std_seed min").note,
    ) == (
        None,
        "not trained",
    )
    seeds = cell(table, "HOTFIXR", "std_seed max")
    assert (seeds.value, seeds.n_seed) == (pytest.approx(sqrt(2)), 2)
    assert cell(table, "HOTFIXR", "std_seed min").value == 0.0
    assert cell(table, "HOTFIXR", "std_eval max").std_seed is None
    nemotron = next(one for one in repetition_tables(grid) if one.name == "table6")
    assert cell(nemotron, "Base", "std_eval min").note == "no Nemotron asked"


def test_one_sample_and_one_seed_have_no_spread_and_say_so() -> None:
    rows = [level(name, "mmmlu", 50, target="de") for name in ("base", "student")]
    repeats = {(name, "mmmlu", "de"): (0.5,) for name in ("base", "student")}
    grid = compared(report_of(rows, variants(["base", "hotfixr"]), repeats=repeats))
    table = next(one for one in repetition_tables(grid) if one.name == "table8")
    assert cell(table, "HOTFIXR", "std_eval min").note == "only 1 sample"
    assert cell(table, "HOTFIXR", "std_seed min").note == "only 1 training seed"


def test_spreads_are_means_over_tasks_beside_what_noise_comes_to() -> None:
    rows = []
    for benchmark, iqr, floor in (("mmmlu", 8.0, 5.0), ("mhotpotqa", 12.0, 7.0)):
        rows += [level("base", benchmark, 50.0, target="de"),
                 level("base", benchmark, iqr, target="all", metric="iqr"),
                 level("base", benchmark, floor, target="all", metric="iqr_noise_floor"),
                 level("base", benchmark, 11.0, target="all", metric="cv")]  # fmt: skip
    found = table_4(compared(report_of(rows, variants(["base"]))))
    assert cell(found, "Base", "IQR").value == pytest.approx(10.0)
    assert cell(found, "Base", "IQR").note == "noise alone: 6.0"
    assert cell(found, "Base", "CV").value == pytest.approx(0.11)
    assert cell(found, "Base", "Range").note == "not in these scores"
    spread = cell(table_1(compared(report_of(rows, variants(["base"])))), "Base", "Spread")
    assert spread.value == pytest.approx(10.0)


def test_a_published_number_of_another_metric_is_marked() -> None:
    rows = [
        row for name in ("mmmlu", "mhotpotqa", "translation") for row in levels("base", name, 50.0)
    ]
    table = table_10(compared(report_of(rows, variants(["base"]))))
    same, other, bundled = (cell(table, "Base", t) for t in ("Factual", "RAG", "Translation"))
    assert (same.published, same.differs) == (67.0, "")
    assert other.published == 79.0 and "embeddings" in other.differs
    assert bundled.differs == "bundled sentences instead of OPUS-100"
    assert "over other students" in cell(table_1(compared(report_of(rows, variants(["base"])))),
                                         "Base", "OOD").differs  # fmt: skip


def test_a_published_number_over_other_languages_is_marked() -> None:
    rows = [row for name in ("mmmlu", "nemotron-stem") for row in levels("base", name, 50.0)]
    rows += [level("base", "mmmlu", 50.0, target="ru"), level("base", "mhotpotqa", 50.0),
             *(level("base", "mhotpotqa", 50.0, target=code) for code in ("en", "ru"))]  # fmt: skip
    grid = compared(report_of(rows, variants(["base"])))
    factual, rag, stem = (
        cell(table_10(grid), "Base", task) for task in ("Factual", "RAG", "Nemotron")
    )
    papers = "the paper's in en, fr, es, ar, pt, it, de, ja"
    assert factual.differs == f"MMMLU in en, fr, es, ar, pt, it, de, ja, ru, {papers}"
    assert rag.differs.endswith("; mHotpotQA in en, ru, the paper's in en, ar, ru, zh")
    assert (stem.published, stem.differs) == (52.3, "")


def test_what_differs_is_said_once() -> None:
    changed = {"baseline": "base", "target": "de"}
    rows = [*levels("base", "mmmlu", 50.0), level("hotfixr", "mmmlu", -1.0, **changed)]
    found = variants(["base", "hotfixr", "untrained"])
    average = cell(table_3(compared(report_of(rows, found))), "HOTFIXR", "Avg")
    told = average.differs.split("; ")
    assert "over other students" in told and len(set(told)) == len(told)


def test_the_papers_own_metrics_stand_in_a_table_of_their_own() -> None:
    rows = [
        level("base", name, 50.0, target=target)
        for name in ("mhotpotqa", "opus-100")
        for target in ("mean", "ar", "ru", "zh")
    ]
    rows += levels("base", "mmmlu", 50.0)
    near = {"metric": "paper_embedding", "n_items": 5, "n_samples": 20, "source": None}
    told = "cosine of hf:Qwen/Qwen3-Embedding-8B above 0.7; for published tables only"
    rows += [
        level("base", "mhotpotqa", value, target=target, note=told, **near)
        for target, value in (("ar", 70.0), ("ru", 80.0), ("zh", 75.0), ("en", 99.0))
    ]
    rows += [level("base", "opus-100", 60.0, target=t, metric="paper_judge") for t in ("ar", "ru")]
    grid = compared(report_of(rows, variants(["base"])))
    assert grid.source("mhotpotqa") == "en" and grid.languages("mhotpotqa") == [
        "en",
        "ar",
        "ru",
        "zh",
    ]
    table = by_the_papers_metric(grid)
    rag, factual, translation = (
        cell(table, "Base", task) for task in ("RAG", "Factual", "Translation")
    )
    assert (rag.value, rag.n_samples, rag.published, rag.differs) == (75.0, 60, 79.0, "")
    assert (factual.value, factual.differs) == (50.0, "")
    assert translation.value == pytest.approx(60.0) and "swapped" in translation.differs
    rows = [row | {"note": "cosine of character n-grams above 0.7; beside"} for row in rows]
    other = by_the_papers_metric(compared(report_of(rows, variants(["base"]))))
    assert cell(other, "Base", "RAG").differs == "cosine of character n-grams above 0.7"
    without = [row for row in rows if not row["metric"].startswith("paper_")]
    assert by_the_papers_metric(compared(report_of(without, variants(["base"])))).lines == []


def test_methods_and_students_that_were_not_run_have_the_papers_numbers_alone() -> None:
    rows = [level("base", "mmmlu", 50.0, target=target) for target in ("mean", "de")]
    table = table_10(compared(report_of(rows, variants(["base"]))))
    absent = cell(table, "HOTFIXR", "Factual", "q7")
    assert (absent.value, absent.published, absent.note) == (None, 64.3, "not run")
    other = cell(table, "HOTFIXR", "Factual", "Llama-3.1-8B-Instruct")
    assert (other.value, other.published, other.note) == (None, 49.3, "student not run")


def test_mcot_is_marked_as_not_the_published_one() -> None:
    rows = [level(m, "mmmlu", 50.0, target=t) for m in ("base", "student") for t in ("mean", "de")]
    found = cell(table_10(compared(report_of(rows, variants(["base", "mcot"])))), "mCOT", "Factual")
    assert found.published == 55.3
    assert "; not the published mCOT" in found.differs


def test_ablations_end_with_hotfixr() -> None:
    found = variants(["base", "hotfixr", "format-only", "format-lai", "format-lsi"])
    rows = [level(one.label, "mmmlu", 50.0, target=t) for one in found for t in ("mean", "de")]
    table = table_5(compared(report_of(rows, found)))
    ours = [line.title for line in table.lines if line.student == "q7"]
    assert ours == ["Format", "+ LAI", "+ LSI", "HOTFIXR"]
    assert [cell(table, name, "Factual").published for name in ours] == [64.0, 64.3, 63.6, 64.3]


def test_tables_are_of_the_first_round_and_figure_12_of_the_second_minus_it() -> None:
    found = variants(["base", "hotfixr"], rounds=2)
    rows = [
        level(name, "mmmlu", value, target=target)
        for name, value in (("base", 40), ("r1", 50), ("r2", 57))
        for target in ("mean", "de")
    ]
    rows += [
        level("r2", "mmmlu", 7.0, target=t, baseline="r1", low=0.01, high=0.13)
        for t in ("mean", "de")
    ]
    grid = compared(report_of(rows, found))
    assert cell(table_10(grid), "HOTFIXR", "Factual").value == pytest.approx(50.0)
    rounds = next(table for table in figure_tables(grid) if table.name == "figure12")
    for column in ("Mean", "de"):
        assert cell(rounds, "HOTFIXR, Factual", column)[:3] == pytest.approx((7.0, 1.0, 13.0))


def test_claims_are_at_equal_rows_and_split_where_the_scores_are() -> None:
    found = variants(["base", "untrained", "hotfixr"])
    changed: dict[str, Any] = {"model": "hotfixr", "baseline": "base", "benchmark": "mmmlu"}
    rows = [level(one.label, "mmmlu", 50.0, target="de") for one in found]
    rows += [level("hotfixr", "mmmlu", 3.0, baseline="untrained", low=-0.01, high=0.07)]
    rows += [score_row(**changed, target=t, metric="target_accuracy", value=v)
             for t, v in (("de", 0.04), ("ja", 0.08), ("fr", 0.1))]  # fmt: skip
    learned = {"hotfixr": 90, "untrained": 80}
    table = claims(compared(report_of(rows, found)), learned)
    between = cell(table, "HOTFIXR − Untrained, Factual", "Accuracy")
    assert between[:3] == pytest.approx((3.0, -1.0, 7.0))
    assert table.verdict(between) == "includes 0"
    assert table.verdict(between._replace(low=0.1)) == "excludes 0: higher"
    assert table.verdict(between._replace(low=None, high=None)) == ""
    said = {line.title: line.said for line in table.lines}
    assert said["HOTFIXR − Untrained, Factual"] == "90 against 80 rows, not equal"
    assert cell(table, "HOTFIXR − Base, Factual", "Held-out languages").value == pytest.approx(6.0)
    assert cell(table, "HOTFIXR − Base, Factual", "Trained languages").value == pytest.approx(10.0)
    rows.append(score_row(**changed, target="held-out", metric="gain_by_coverage", value=0.05))
    split = claims(compared(report_of(rows, found)), {})
    form = cell(split, "HOTFIXR − Base, Factual", "of it by form, held out")
    assert form.value == pytest.approx(5.0)


def test_a_mean_with_an_undefined_part_has_no_value_but_its_reason() -> None:
    assert mean([Estimate(1.0), Estimate(note="too few")]) == Estimate(note="too few")
    whole = mean([Estimate(1.0, 0.0, 4.0, 10, 20, 0.5), Estimate(3.0, 2.0, 6.0, 30, 40, 1.0)])
    assert whole[:6] == (2.0, 1.0, 5.0, 40, 60, 0.75)
    one = Estimate(1.0, n_items=10, n_samples=20)
    seeds = over_seeds([one, one._replace(value=3.0)])
    assert (seeds.n_items, seeds.n_samples) == (10, 40)


def test_repetition_means_count_what_has_no_answer_as_0() -> None:
    def row(sample: int, item: str, status: str, score: float | None) -> dict[str, Any]:
        told = {"model": "m", "benchmark": "b", "language": "de", "item_id": item}
        return dict.fromkeys(GRADES.names) | told | {
            "sample": sample, "status": status, "score": score}  # fmt: skip

    rows = [row(1, "x", "right", 1.0), row(0, "x", "right", 1.0), row(0, "y", "unparsed", None),
            row(1, "y", "scored", 0.5)]  # fmt: skip
    found = repeat_means([pa.Table.from_pylist(rows, GRADES)])
    assert found == {("m", "b", "de"): (0.5, 0.75)}
    assert spread_of((0.5, 0.75)) == pytest.approx(0.25 / sqrt(2))
    assert spread_of((0.5,)) is None


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (PAPERS["q7"], "Qwen2.5-7B-Instruct"),
        ("hf:meta-llama/Meta-Llama-3.1-8B-Instruct@1", "Llama-3.1-8B-Instruct"),
        ("hf:Qwen/Qwen2.5-7B@1", None),
        ("bundled:tiny-random", None),
        ("", None),
    ],
)
def test_a_student_is_the_papers_only_by_its_whole_name(reference: str, name: str | None) -> None:
    assert paper_student(reference) == name


def test_published_numbers_are_found_by_table_student_row_and_column() -> None:
    assert published("table10", "Qwen2.5-14B-Instruct", "HOTFIXR", "RAG") == 78.3
    assert published("table9", "Llama-3.1-8B-Instruct", "Base", "max") == 2.5
    assert published("table3", "", "HOTFIXR", "Avg") == -1.4
    assert published("table3", None, "HOTFIXR", "Avg") is None
    assert published("table99", "", "HOTFIXR", "Avg") is None


def test_every_benchmark_stands_for_one_task_at_most() -> None:
    names = [row.benchmark for row in MEASURED]
    assert len(set(names)) == len(names)
    assert {method.published for method in METHODS.values()} >= {"Base", "HOTFIXR", "mCOT"}
