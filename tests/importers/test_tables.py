from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import s3fs

from tasks.artifacts.schemas import GRADES
from tasks.errors import BadInput
from tasks.importers import read_grades
from tasks.scoring import score
from tests.importers.reading import rows

HEADER = "model,benchmark,item_id,language,sample,score"
LINES = ("m,b,007,en,0,1", "m,b,007,de,0,0.5", "m,b,8,en,0,true", "m,b,8,de,0,False")
EXPECTED = [("007", "en", 1.0), ("007", "de", 0.5), ("8", "en", 1.0), ("8", "de", 0.0)]


def written(path: Path, *lines: str, header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def frame(**columns: Any) -> pd.DataFrame:
    plain = {"model": "m", "benchmark": "b", "item_id": [7, 8], "language": ["en", "de"]}
    return pd.DataFrame({**plain, "sample": 0, "score": [1, 0], **columns})


def test_csv_keeps_ids_as_text_and_reads_truth_values(tmp_path: Path) -> None:
    grades, notes = read_grades([written(tmp_path / "a.csv", *LINES)])
    assert rows(grades, "item_id", "language", "score") == EXPECTED
    assert grades.column_names == ["model", "benchmark", "item_id", "language", "sample", "score"]
    assert notes == []


def test_tsv_and_jsonl_read_like_csv(tmp_path: Path) -> None:
    table = read_grades([written(tmp_path / "a.csv", *LINES)]).grades
    tabbed = [line.replace(",", "\t") for line in LINES]
    tsv = written(tmp_path / "a.tsv", *tabbed, header=HEADER.replace(",", "\t"))
    table.to_pandas().to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    for path in (tsv, tmp_path / "a.jsonl"):
        assert rows(read_grades([path]).grades, "item_id", "language", "score") == EXPECTED


def test_parquet_ids_that_are_numbers_become_text_and_booleans_scores(tmp_path: Path) -> None:
    frame(score=[True, False]).to_parquet(tmp_path / "a.parquet")
    grades = read_grades([tmp_path / "a.parquet"]).grades
    assert rows(grades, "item_id", "score") == [("7", 1.0), ("8", 0.0)]


@pytest.mark.parametrize("categories", [[3, 5], ["x", "y"], [True, False]])
def test_parquet_of_categories_is_read(tmp_path: Path, categories: list[Any]) -> None:
    frame(item_id=pd.Categorical(categories)).to_parquet(tmp_path / "a.parquet")
    grades = read_grades([tmp_path / "a.parquet"]).grades
    texts = [str(one) for one in categories]
    assert [text.casefold() for text in grades["item_id"].to_pylist()] == [
        text.casefold() for text in texts
    ]


def test_our_own_grades_come_back_as_they_were(tmp_path: Path) -> None:
    row = {
        "model": "m", "benchmark": "b", "item_id": "i", "language": "de", "source_language": "en",
        "parallel": True, "cluster": "c", "sample": 3, "status": "scored", "answer": "x",
        "score": 0.25, "n_options": 4, "completion_tokens": 12, "reasoning_tokens": 5,
        "temperature": 1.0, "form": "chat, 0 examples", "flags": ["key"],
    }  # fmt: skip
    pq.write_table(pa.Table.from_pylist([row], GRADES), tmp_path / "grades.parquet")
    grades = read_grades([tmp_path / "grades.parquet"]).grades
    assert grades.column_names == GRADES.names
    assert grades.to_pylist() == [row]
    for field in GRADES:
        if field.type != pa.string():
            assert grades.schema.field(field.name).type == field.type


def silent_about_everything_else(path: Path) -> Path:
    """Our own columns, without a value in those that a table need not have."""
    plain = frame(item_id=["1", "1"])
    columns = [
        pa.array(list(plain[f.name]) if f.name in plain else [None, None], f.type) for f in GRADES
    ]
    pq.write_table(pa.table(columns, GRADES), path)
    return path


def test_a_source_language_that_is_there_without_values_says_that_there_is_none(
    tmp_path: Path,
) -> None:
    grades = read_grades([silent_about_everything_else(tmp_path / "grades.parquet")]).grades
    assert grades.column_names == [*frame().columns[:4], "source_language", "sample", "score"]
    metrics = set(score(grades, resamples=10).scores["metric"].to_pylist())
    assert "target_accuracy" in metrics


def test_a_column_without_values_takes_the_value_that_is_given(tmp_path: Path) -> None:
    path = silent_about_everything_else(tmp_path / "grades.parquet")
    grades, notes = read_grades([path], constants={"source_language": "en", "temperature": "1"})
    assert rows(grades, "source_language", "temperature") == [("en", 1.0)] * 2
    assert notes == []


def test_other_names_and_fixed_values_fill_what_is_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "q1,1,0", "q2,2,1", header="question,try,correct")
    grades = read_grades(
        [path],
        columns={"item_id": "question", "sample": "try", "score": "correct"},
        constants={"model": "m", "benchmark": "b", "language": "de", "temperature": "0.7"},
    ).grades
    assert rows(grades, "model", "benchmark", "language", "item_id", "sample", "temperature") == [
        ("m", "b", "de", "q1", 1, 0.7),
        ("m", "b", "de", "q2", 2, 0.7),
    ]


def test_a_column_of_the_table_stands_against_a_fixed_value_and_a_note_says_so(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "a.csv", *LINES)
    grades, notes = read_grades([path], constants={"model": "other"})
    assert set(grades["model"].to_pylist()) == {"m"}
    assert notes == ["--value model was not used where a table has its own model."]


@pytest.mark.parametrize(
    ("header", "line", "columns", "message"),
    [
        ("model,item_id,language,sample,score", "m,1,en,0,1", {},
         "no column 'benchmark' .it has model, item_id, .* --column benchmark=THEIRS, or .* "
         "--value benchmark=VALUE"),
        (HEADER, LINES[0], {"score": "mark"},
         "no column 'mark' for --column score=mark: it has model, benchmark"),
        (HEADER, "m,b,1,en,0,good", {},
         "1 rows of .* have a score that is not a number from 0 to 1 .row 1: 'good'."),
        (HEADER, "m,b,1,en,0.5,1", {}, "1 rows of .* a sample that is not a whole .*row 1: '0.5'."),
        (HEADER, "m,b,1,en,40000,1", {}, "not a whole number below 32,768 .row 1: '40000'."),
        (HEADER, "m,b,1,en,0", {}, "cannot be read as a table: .* columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, header: str, line: str, columns: dict[str, str], message: str
) -> None:
    path = written(tmp_path / "a.csv", line, header=header)
    with pytest.raises(BadInput, match=message) as raised:
        read_grades([path], columns=columns)
    assert str(raised.value).count("\n") == 0


def test_bad_rows_are_counted_and_the_first_are_shown(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", LINES[0], *(f"m,b,{i},en,0,?" for i in range(5)))
    with pytest.raises(BadInput, match=r"5 rows .*row 2: '\?', row 3: '\?', row 4: '\?' and more"):
        read_grades([path])


@pytest.mark.parametrize("column", ["model", "language", "item_id", "sample"])
def test_rows_without_a_needed_value_are_counted(tmp_path: Path, column: str) -> None:
    fields = dict(zip(HEADER.split(","), LINES[0].split(","), strict=True)) | {column: ""}
    path = written(tmp_path / "a.csv", LINES[1], ",".join(fields.values()))
    with pytest.raises(BadInput, match=f"1 rows of .* have no {column} .row 2"):
        read_grades([path])


def test_rows_without_a_score_count_as_unparsed_and_a_note_says_how_many(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", *LINES, "m,b,9,en,0,")
    grades, notes = read_grades([path])
    assert grades.num_rows == 5
    assert notes == ["1 rows of tables have no score and no status: they count as unparsed."]


@pytest.mark.parametrize(
    ("columns", "constants", "message"),
    [
        (
            {"points": "score"},
            {},
            "--column points=score names no column of the grades: use one of",
        ),
        ({}, {"kin": "number"}, "--value kin=number names no column"),
        ({"model": "m"}, {"model": "m"}, "'model' is given by --column and by --value"),
        ({}, {"temperature": "warm"}, "--value temperature=warm is not a value of type double"),
        ({}, {"parallel": "perhaps"}, "--value parallel=perhaps is not a value of type bool"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    tmp_path: Path, columns: dict[str, str], constants: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read_grades([written(tmp_path / "a.csv", *LINES)], columns=columns, constants=constants)


def test_flags_of_a_csv_are_split_at_semicolons(tmp_path: Path) -> None:
    lines = [f"{LINES[0]},key;text", f"{LINES[1]},"]
    path = written(tmp_path / "a.csv", *lines, header=f"{HEADER},flags")
    assert read_grades([path]).grades["flags"].to_pylist() == [["key", "text"], None]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("first", ["", "\ufeff"])
def test_csv_may_be_separated_as_spreadsheets_do(mark: str, first: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text(first + "\n".join([HEADER, *LINES]).replace(",", mark), encoding="utf-8")
    assert rows(read_grades([path]).grades, "item_id", "language", "score") == EXPECTED


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", "\n".join([HEADER, *LINES]).encode("utf-16"), "is not UTF-8"),
        ("t.csv", f"{HEADER},score\n".encode(), "more than one column 'score'"),
        ("t.jsonl", b"", "does not begin with a JSON object"),
        ("t.jsonl", b"[{}]", "does not begin with a JSON object"),
        ("t.csv", f"{HEADER}\nm,b,q,en,0,50%\n".encode(), "score that is not a number from 0 to 1"),
        ("t.csv", f"{HEADER}\nm,b,q,en,0.5,1\n".encode(), "not a whole number below 32,768"),
        ("t.csv", f"{HEADER}\nm,b,q,en,99999,1\n".encode(), "row 1: '99999'"),
    ],
)
def test_tables_that_cannot_be_read_say_why(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BadInput, match=said):
        read_grades([path])


@pytest.mark.parametrize("uri", ["http://localhost:1/x.csv", "gs://bucket/x.csv"])
def test_only_files_and_s3_are_opened(uri: str) -> None:
    with pytest.raises(BadInput, match="give a file, file:// or s3://"):
        read_grades([uri])


def test_a_bucket_that_cannot_be_reached_ends_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(BadInput, match="cannot be reached: Unable to locate credentials"):
        read_grades(["s3://bucket/x.csv"])
