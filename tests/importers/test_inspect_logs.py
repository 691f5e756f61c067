from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tasks.errors import BadInput
from tasks.importers import read_grades
from tasks.importers.asked import Asked, Notes
from tasks.importers.inspect_logs import read
from tasks.importers.sources import Source, find
from tasks.importers.zipped import Archive, Limits
from tests.importers.reading import DATA, rows, scores

ENGLISH, GERMAN = sorted((DATA / "inspect").glob("*_sums_*.eval"))
FRENCH = next((DATA / "inspect").glob("*.json"))


def source(path: Path) -> Source:
    return find([path])[0][0]


def unpacked(path: Path) -> dict[str, bytes]:
    with path.open("rb") as file:
        archive = Archive(file, str(path), Limits())
        return {name: archive.read(name) for name in archive.names}


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_epochs_are_samples_and_letters_are_scores() -> None:
    grades, notes = read_grades([ENGLISH, GERMAN])
    assert scores(grades) == {
        ("s-1", "en"): [1, 0, 1],
        ("s-2", "en"): [1, 1, 0],
        ("s-3", "en"): [1, 0, 0.5],
        ("s-1", "de"): [1, 0, 1],
        ("s-2", "de"): [1, 0, 0],
        ("s-3", "de"): [0, 1, 0],
    }
    assert set(rows(grades, "model", "benchmark", "temperature")) == {
        ("mockllm/model", "sums", 0.8)
    }
    assert notes == [
        "Inspect: the score is verdict; --column score=NAME takes another (closeness)."
    ]


def test_silence_a_cut_answer_and_one_without_a_number_are_told_apart() -> None:
    grades = read_grades([GERMAN]).grades
    found = {
        (item, sample): (status, answer)
        for item, sample, status, answer in rows(grades, "item_id", "sample", "status", "answer")
    }
    assert found["s-3", 0] == ("unparsed", None)
    assert found["s-2", 1] == ("empty", None)
    assert found["s-3", 2] == ("truncated", None)
    assert found["s-1", 1] == ("wrong", "11")


def test_tokens_are_those_of_the_answer() -> None:
    grades = read_grades([ENGLISH]).grades
    tokens = rows(grades, "completion_tokens", "reasoning_tokens")
    assert tokens[:1] == [(19, 4)]
    assert tokens[5] == (10, None)


def test_a_json_log_reads_like_an_archive(tmp_path: Path) -> None:
    members = unpacked(ENGLISH)
    log = json.loads(members["header.json"])
    log["samples"] = [json.loads(d) for n, d in members.items() if n.startswith("samples/")]
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert read_grades([tmp_path / "log.json"]).grades.equals(read_grades([ENGLISH]).grades)


def test_an_archive_of_an_older_version_reads_the_same(tmp_path: Path) -> None:
    older = packed(tmp_path / "older.eval", unpacked(ENGLISH))
    assert read_grades([older]).grades.equals(read_grades([ENGLISH]).grades)


def test_choices_are_counted_and_an_answer_out_of_form_is_unparsed() -> None:
    grades = read_grades([FRENCH]).grades
    assert rows(grades, "item_id", "sample", "language", "status", "answer", "n_options") == [
        ("1", 0, "fr", "right", "A", 3),
        ("2", 0, "fr", "wrong", "C", 3),
        ("1", 1, "fr", "unparsed", None, 3),
        ("2", 1, "fr", "right", "B", 3),
    ]


def test_another_scorer_and_other_fields_can_be_named() -> None:
    columns = {"score": "closeness", "benchmark": "metadata.topic", "cluster": "eval.task_id"}
    grades = read_grades([ENGLISH], columns=columns).grades
    assert grades["score"].to_pylist() == [0.25] * 5 + [0.0] + [0.25] * 3
    assert len(set(grades["cluster"].to_pylist())) == 1


@pytest.mark.parametrize(
    ("value", "columns", "message"),
    [
        ({"fluency": 1, "truth": 0}, {}, "--column score=verdict.PART, .* one of fluency, truth"),
        ("perhaps", {}, "has the score 'perhaps', which is no number"),
        (1, {"score": "judge"}, "has no scorer 'judge' .*: it has verdict, closeness"),
    ],
)
def test_a_score_that_is_not_one_number_is_refused(
    tmp_path: Path, value: object, columns: dict[str, str], message: str
) -> None:
    members = unpacked(ENGLISH)
    sample = json.loads(members["samples/s-1_epoch_1.json"])
    sample["scores"]["verdict"]["value"] = value
    members["samples/s-1_epoch_1.json"] = json.dumps(sample).encode()
    with pytest.raises(BadInput, match=message):
        read_grades([packed(tmp_path / "log.eval", members)], columns=columns)


def test_part_of_a_score_can_be_named(tmp_path: Path) -> None:
    members = {n: d for n, d in unpacked(ENGLISH).items() if "samples/" not in n}
    sample = json.loads(unpacked(ENGLISH)["samples/s-1_epoch_1.json"])
    sample["scores"]["verdict"]["value"] = {"fluency": True, "truth": 0.25}
    members["samples/s-1_epoch_1.json"] = json.dumps(sample).encode()
    path = packed(tmp_path / "log.eval", members)
    grades = read_grades([path], columns={"score": "verdict.truth"}).grades
    assert grades["score"].to_pylist() == [0.25]


def test_a_run_that_did_not_end_is_read_and_said_so(tmp_path: Path) -> None:
    members = {n: d for n, d in unpacked(ENGLISH).items() if n != "header.json"}
    sample = json.loads(members["samples/s-1_epoch_1.json"])
    members["samples/s-1_epoch_1.json"] = json.dumps(sample | {"scores": None}).encode()
    grades, notes = read_grades([packed(tmp_path / "log.eval", members)])
    assert grades.num_rows == 8
    assert "1 samples of Inspect logs were not scored and were left out." in notes
    assert any("samples may be absent" in note for note in notes)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(total=50_000), "unpacks to [0-9,]+ bytes, and at most 50,000"),
        (Limits(member=7_000), "'samples/.*' unpacks to [0-9,]+ bytes, and at most 7,000"),
        (Limits(ratio=2, small=1_000), "unpacks from [0-9,]+ to [0-9,]+ bytes"),
    ],
)
def test_an_archive_beyond_a_limit_is_refused(limits: Limits, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read(source(ENGLISH), Asked(), Notes(), limits)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    members = unpacked(ENGLISH) | {"samples/s-9_epoch_1.json": b" " * (32 << 20)}
    with pytest.raises(BadInput, match=r"'samples/s-9_epoch_1.json' unpacks from"):
        read_grades([packed(tmp_path / "log.eval", members)])


def test_an_archive_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    data = ENGLISH.read_bytes()
    size = len(unpacked(ENGLISH)["header.json"]).to_bytes(4, "little")
    path = tmp_path / "log.eval"
    path.write_bytes(data.replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(BadInput, match=r"damaged: 'header.json' is not what its directory says"):
        read_grades([path])


@pytest.mark.parametrize("cut", [30, 5_000, -40])
def test_an_archive_that_was_cut_off_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(ENGLISH.read_bytes()[:cut])
    with pytest.raises(BadInput, match="is damaged: it is no whole zip archive"):
        read_grades([path])
