from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tasks.errors import BadInput
from tasks.importers import read_grades
from tests.importers.reading import LM_EVAL, rows, scores

# Repeat by repeat, as the README beside the logs gives the answers.
SUMS = {
    ("sum-0", "en"): [1, 1, 0],
    ("sum-1", "en"): [1, 1, 1],
    ("sum-2", "en"): [1, 0, 1],
    ("sum-3", "en"): [0, 1, 0],
    ("sum-0", "de"): [1, 0, 1],
    ("sum-1", "de"): [1, 0, 1],
    ("sum-2", "de"): [0, 1, 0],
    ("sum-3", "de"): [0, 0, 1],
}


def log(task: str) -> str:
    return str(next(LM_EVAL.glob(f"samples_{task}_2026*.jsonl")))


def test_repeats_that_the_tool_scored_together_become_samples_with_their_own_scores() -> None:
    grades, notes = read_grades([log("sums_all_en"), log("sums_all_de")])
    assert scores(grades) == SUMS
    assert rows(grades.slice(11, 1), "status", "answer") == [("unparsed", None)]
    assert rows(grades.slice(18, 3), "status", "answer") == [
        ("empty", None),
        ("right", "7"),
        ("empty", None),
    ]
    assert notes == []


def test_the_run_tells_model_temperature_and_form_and_the_name_benchmark_and_language() -> None:
    grades = read_grades([log("sums_direct_de")]).grades
    assert set(
        rows(grades, "model", "benchmark", "language", "temperature", "form"),
    ) == {("acme/scripted-1", "sums_direct", "de", 0.7, "completion, 0 examples")}


def test_repeats_that_the_tool_did_not_score_are_scored_as_it_scored_the_first() -> None:
    grades, notes = read_grades([log("sums_direct_en"), log("sums_direct_de")])
    assert scores(grades) == SUMS
    assert any("16 repeats that the tool did not score were scored by its own" in n for n in notes)


def test_repeats_without_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    shutil.copy(log("sums_direct_en"), tmp_path)  # without the filters, which the results state
    grades, notes = read_grades([tmp_path])
    assert scores(grades) == {
        ("sum-0", "en"): [1],
        ("sum-1", "en"): [1],
        ("sum-2", "en"): [1],
        ("sum-3", "en"): [0],
    }
    assert any(note.startswith("lm-evaluation-harness: 8 repeats were left out") for note in notes)


def test_repeats_are_not_scored_by_a_filter_that_does_not_give_what_is_logged(
    tmp_path: Path,
) -> None:
    lines = [json.loads(line) for line in Path(log("sums_direct_en")).read_text().splitlines()]
    lines[-1]["exact_match"] = 1.0  # of 80 against 5
    name = "samples_sums_direct_en_2026-12-01T04-19-01.080066.jsonl"
    (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    shutil.copy(next(LM_EVAL.glob("results_*")), tmp_path)
    grades, notes = read_grades([tmp_path])
    assert grades.num_rows == 4
    assert any("8 repeats were left out" in note for note in notes)


def test_a_kind_has_all_repeats_graded_here() -> None:
    files = [log("sums_direct_en"), log("sums_direct_de")]
    grades, notes = read_grades(files, constants={"kind": "number"})
    assert scores(grades) == SUMS
    assert "lm-evaluation-harness: 24 answers were graded here, as --value kind asks." in notes


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, [1, 1, 1, 0]),
        ({"score": "exact_match,strict-match"}, [1, 1, 0, 0]),
        ({"score": "exact_match,flexible-extract"}, [1, 1, 1, 0]),
    ],
)
def test_the_lenient_filter_is_read_unless_another_is_named(
    asked: dict[str, str], expected: list[float]
) -> None:
    grades = read_grades([log("sums_direct_en")], columns=asked).grades
    first = [score for sample, score in rows(grades, "sample", "score") if sample == 0]
    assert first == expected


@pytest.mark.parametrize("filter_name", ["score-first", "maj@3"])
def test_a_vote_over_the_repeats_is_not_taken_for_an_answer(filter_name: str) -> None:
    columns = {"score": f"exact_match,{filter_name}"}
    files = [log("sums_vote_en"), log("sums_vote_de")]
    assert scores(read_grades(files, columns=columns).grades) == SUMS
    assert any("the filter is score-first" in note for note in read_grades(files).notes)


def test_a_vote_that_cannot_be_taken_apart_is_said_to_be_one(tmp_path: Path) -> None:
    shutil.copy(log("sums_vote_en"), tmp_path)
    grades, notes = read_grades([tmp_path], columns={"score": "exact_match,maj@3"})
    assert grades.num_rows == 4
    assert any("4 scores are of a vote over the repeats" in note for note in notes)


@pytest.mark.parametrize(
    ("metric", "expected"), [(None, [1, 0, 0]), ("acc_norm", [1, 0, 0]), ("acc", [1, 0, 0])]
)
def test_choices_have_their_number_of_options(metric: str | None, expected: list[float]) -> None:
    columns = {"score": metric} if metric else {}
    grades = read_grades([log("capitals_deu_Latn")], columns=columns).grades
    assert rows(grades, "item_id", "language", "score", "n_options") == [
        (str(i), "de", score, 4) for i, score in enumerate(expected)
    ]


def test_chrf_is_scored_per_sentence_in_0_to_1_from_the_pair_that_is_logged() -> None:
    grades = read_grades([log("sayings_fr")]).grades
    assert grades["score"].to_pylist() == pytest.approx([1, 0.36969], abs=1e-5)
    assert grades["status"].to_pylist() == ["right", "scored"]


@pytest.mark.parametrize(
    ("values", "expected", "note"),
    [
        ([25.0, 100.0], [0.25, 1.0], "chrf was divided by 100"),
        ([0.25, 1.0], [0.25, 1.0], "chrf is taken as it is"),
    ],
)
def test_a_logged_chrf_is_divided_only_where_it_runs_to_100(
    tmp_path: Path, values: list[float], expected: list[float], note: str
) -> None:
    lines = [json.loads(line) for line in Path(log("sayings_fr")).read_text().splitlines()]
    path = tmp_path / "samples_sayings_fr.jsonl"
    with path.open("w") as file:
        for line, value in zip(lines, values, strict=True):
            file.write(json.dumps(line | {"chrf": value}) + "\n")
    grades, notes = read_grades([path])
    assert grades["score"].to_pylist() == expected
    assert any(note in said for said in notes)


def test_without_a_results_file_the_folder_names_the_model_and_a_note_says_so(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "acme__other"
    folder.mkdir()
    shutil.copy(log("sums_once_de"), folder)
    grades, notes = read_grades([folder])
    assert set(grades["model"].to_pylist()) == {"acme__other"}
    assert any("the folder's name, 'acme__other'" in note for note in notes)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": "rouge"}, "has no 'rouge' for --column score=rouge: it has doc_id, doc"),
        ({"score": "exact_match,lenient"}, "has no filter 'lenient'"),
        ({"language": "doc.lang"}, "its doc has id, question, answer"),
        ({"score": "doc.question"}, "which is no number"),
    ],
)
def test_a_name_that_is_not_there_lists_what_is(columns: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_grades([log("sums_direct_en")], columns=columns)


def test_a_language_comes_from_the_document_where_the_name_has_none(tmp_path: Path) -> None:
    path = tmp_path / "samples_cities_2026-12-01T04-19-01.080066.jsonl"
    shutil.copy(log("capitals_deu_Latn"), path)
    grades = read_grades([path], constants={"model": "m"}).grades
    assert set(rows(grades, "benchmark", "language")) == {("cities", "de")}


def test_a_missing_language_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "samples_sums_2026-12-01T04-19-01.080066.jsonl"
    shutil.copy(log("sums_once_de"), path)
    with pytest.raises(BadInput, match=r"does not say the language .* --value language=VALUE"):
        read_grades([path])
    grades = read_grades([path], constants={"language": "de"}).grades
    assert set(grades["language"].to_pylist()) == {"de"}


def test_subsets_of_one_benchmark_keep_their_items_apart(tmp_path: Path) -> None:
    for subset in ("law", "history"):
        shutil.copy(log("capitals_deu_Latn"), tmp_path / f"samples_quiz_de_{subset}.jsonl")
    apart = read_grades([tmp_path]).grades
    assert set(apart["benchmark"].to_pylist()) == {"quiz_law", "quiz_history"}
    joined = read_grades([tmp_path], constants={"benchmark": "quiz"}).grades
    assert set(joined["item_id"].to_pylist()) == {
        f"{subset}/{i}" for subset in ("law", "history") for i in range(3)
    }


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "samples_sums_de.jsonl"
    path.write_text(Path(log("sums_once_de")).read_text() + '{"doc_id": 4, "do')
    with pytest.raises(BadInput, match=r"line 5 of .* is not a JSON object"):
        read_grades([path])
