from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.artifacts.schemas import SCORES, TRAINING_LOG
from tasks.reporting.files import write_csv, write_files
from tests.reporting.invented import invented, report_of, score_row


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_is_a_formula(tmp_path: Path, text: str) -> None:
    write_csv(pa.table({"note": [text]}), tmp_path / "t.csv")
    assert cells(tmp_path / "t.csv")[0]["note"] == f"'{text}"


def test_numbers_stay_numbers_and_null_is_empty(tmp_path: Path) -> None:
    table = pa.table({"value": [-0.25, None], "n": [3, None], "note": ["it's = fine", None]})
    write_csv(table, tmp_path / "t.csv")
    assert cells(tmp_path / "t.csv") == [
        {"value": "-0.25", "n": "3", "note": "it's = fine"},
        {"value": "", "n": "", "note": ""},
    ]


def test_tables_are_written_as_they_are(tmp_path: Path) -> None:
    report = invented()
    names = write_files(report, tmp_path)
    assert sorted(names) == sorted(path.name for path in tmp_path.iterdir())
    assert pq.read_table(tmp_path / "scores.parquet", schema=SCORES).equals(report.scores)
    log = pq.read_table(tmp_path / "generator_log.parquet", schema=TRAINING_LOG)
    assert log.equals(report.generator_log)
    assert len(cells(tmp_path / "scores.csv")) == report.scores.num_rows


def test_without_training_there_are_scores_and_profiles_only(tmp_path: Path) -> None:
    names = write_files(report_of([score_row(value=0.5)]), tmp_path)
    assert names == ["scores.parquet", "scores.csv", "profiles.parquet"]
