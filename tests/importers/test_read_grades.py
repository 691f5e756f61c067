from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path

import fsspec
import pytest

from deployments.stack import Stack
from tasks.errors import BadInput
from tasks.importers import read_grades
from tasks.languages.codes import language_code, taken_apart
from tasks.scoring import score
from tests.importers.reading import DATA, LM_EVAL, rows, scores

NEMO = DATA / "nemo_skills" / "eval-results"
SIMPLE = next((DATA / "simple_evals").glob("*.json"))


def test_nemo_skills_seeds_are_samples_and_its_folders_benchmark_and_language() -> None:
    grades, notes = read_grades([NEMO], constants={"model": "m"})
    assert scores(grades) == {
        ("s0", "de"): [1, 0],
        ("s1", "de"): [0, 1],
        ("s2", "de"): [0, 0],
        ("s0", "en"): [1, 1],
        ("s1", "en"): [1, 0],
        ("s2", "en"): [0, 1],
    }
    assert set(grades["benchmark"].to_pylist()) == {"sums"}
    found = rows(grades, "item_id", "language", "sample", "status", "completion_tokens")
    assert ("s1", "de", 0, "unparsed", 5) in found
    assert ("s2", "de", 1, "empty", 0) in found
    assert notes == []


def test_nemo_skills_files_do_not_say_whose_they_are() -> None:
    with pytest.raises(
        BadInput, match=r"does not say the model of its rows: .* --value model=VALUE"
    ):
        read_grades([NEMO])


def test_ungraded_nemo_skills_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "output-rs0.jsonl").write_text('{"generation": "7", "expected_answer": "7"}\n')
    with pytest.raises(BadInput, match="is not graded: it has none of symbolic_correct"):
        read_grades([tmp_path])


def test_simple_evals_scores_are_read_from_the_rendered_results() -> None:
    grades, notes = read_grades([SIMPLE])
    assert rows(grades, "model", "benchmark", "item_id", "language", "score", "status") == [
        ("acme-1", "mgsm", "0", "en", 1, "right"),
        ("acme-1", "mgsm", "1", "en", 0, "wrong"),
        ("acme-1", "mgsm", "0", "fr", 1, "right"),
        ("acme-1", "mgsm", "1", "fr", 0, "unparsed"),
    ]
    assert notes == [
        "simple-evals: items without an id are numbered in the order of their prompts."
    ]


def test_languages_in_blocks_are_believed_only_if_the_stated_means_agree(tmp_path: Path) -> None:
    log = json.loads(SIMPLE.read_text())
    log["metrics"]["fr"] = 1.0
    (tmp_path / SIMPLE.name).write_text(json.dumps(log))
    with pytest.raises(BadInput, match=r"does not say the language"):
        read_grades([tmp_path])


def test_simple_evals_metadata_stand_before_the_rendered_results(tmp_path: Path) -> None:
    single = [
        {"score": 1.0, "convo": [{"role": "user", "content": "3 + 4?"},
                                 {"role": "assistant", "content": "7"}],
         "example_level_metadata": {"extracted_answer": "7", "language": "en"}},
        {"score": 0.0, "convo": [{"role": "user", "content": "3 + 4?"},
                                 {"role": "assistant", "content": "8"}],
         "example_level_metadata": {"extracted_answer": "8", "language": "en"}},
        {"score": None, "convo": [], "metrics": {"en": 0.0}},
    ]  # fmt: skip
    path = tmp_path / "sums_acme-1.json"
    path.write_text(json.dumps({"single_eval_results": single}))
    grades, notes = read_grades([path])
    assert rows(grades, "item_id", "sample", "score", "answer", "language") == [
        ("0", 0, 1, "7", "en"),
        ("0", 1, 0, "8", "en"),
    ]
    assert "1 samples of simple-evals have no score and were left out." in notes


def test_mixed_formats_are_one_table_that_can_be_scored(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(
        "model,benchmark,item_id,language,sample,score\n"
        "m,quiz,1,en,0,1\nm,quiz,1,de,0,0\nm,quiz,2,en,0,1\nm,quiz,2,de,0,1\n"
    )
    logs = [LM_EVAL / "samples_sums_all_*.jsonl", DATA / "inspect" / "*_sums_*.eval"]
    grades, _ = read_grades([table, *logs])
    scored = score(grades, source="en", resamples=20)
    found = {
        (row["benchmark"], row["metric"]): row["value"]
        for row in scored.scores.to_pylist()
        if row["target"] == "de"
    }
    assert found["quiz", "ratio_of_means"] == pytest.approx(0.5)
    assert found["sums_all", "source_accuracy"] == pytest.approx(8 / 12)
    assert found["sums_all", "target_accuracy"] == pytest.approx(6 / 12)
    assert found["sums", "source_accuracy"] == pytest.approx(5.5 / 9)
    assert found["sums", "target_accuracy"] == pytest.approx(4 / 9)


def test_files_with_and_without_a_source_language_are_not_mixed(tmp_path: Path) -> None:
    header = "model,benchmark,item_id,language,sample,score"
    (tmp_path / "a.csv").write_text(f"{header}\nm,a,1,en,0,1\n")
    (tmp_path / "b.csv").write_text(f"{header},source_language\nm,b,1,en,0,1,en\n")
    with pytest.raises(
        BadInput, match=r"a.csv does not say the source_language .* although .*b.csv"
    ):
        read_grades([tmp_path])
    grades = read_grades([tmp_path], constants={"source_language": "en"}).grades
    assert grades["source_language"].to_pylist() == ["en", "en"]


def test_files_that_are_nothing_are_refused_by_name_and_passed_over_in_folders(
    tmp_path: Path,
) -> None:
    shutil.copytree(LM_EVAL, tmp_path / "logs")
    other = tmp_path / "logs" / "notes.txt"
    other.write_text("nothing")
    with pytest.raises(BadInput, match=r"notes.txt is of no kind that can be read: .*Inspect logs"):
        read_grades([other])
    notes = read_grades([tmp_path / "logs"]).notes
    assert any("2 files in folders were passed over" in note for note in notes)


@pytest.mark.parametrize("files", [["nowhere.csv"], ["no*.csv"]])
def test_what_is_not_there_is_named(files: list[str]) -> None:
    with pytest.raises(BadInput, match=f"no file, folder or match for '{files[0][:2]}"):
        read_grades(files)


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(BadInput, match=r"nothing to read in .*: what is read are"):
        read_grades([tmp_path])


def test_a_file_that_is_named_twice_is_read_once() -> None:
    path = LM_EVAL / "samples_sums_once_de_2026-12-01T04-19-01.080066.jsonl"
    assert (
        read_grades([path, path.as_uri(), path.parent / "samples_sums_once*"]).grades.num_rows == 4
    )


def test_a_folder_in_s3_reads_like_one_here(s3_stack: Stack) -> None:
    there = f"s3://hotfixr/tests/{uuid.uuid4().hex[:8]}"
    system = fsspec.filesystem("s3", skip_instance_cache=True)
    system.put(str(DATA), there, recursive=True)
    constants = {"model": "m"}
    here = read_grades([DATA], constants=constants)
    assert read_grades([there], constants=constants).grades.equals(here.grades)


@pytest.mark.parametrize(
    ("task", "benchmark", "language"),
    [
        ("mgsm_direct_de", "mgsm_direct", "de"),
        ("mgsm_en_cot_sw", "mgsm_en_cot", "sw"),
        ("global_mmlu_de", "global_mmlu", "de"),
        ("global_mmlu_full_de_international_law", "global_mmlu_full_international_law", "de"),
        ("mmlu_prox_lite_fr", "mmlu_prox_lite", "fr"),
        ("belebele_deu_Latn", "belebele", "de"),
        ("belebele_zho_Hant", "belebele", "zh-Hant"),
        ("belebele_hin_Latn", "belebele", "hi-Latn"),
        ("belebele_ceb_Latn", "belebele", "ceb"),
        ("xquad_ar", "xquad", "ar"),
        ("mmmlu_es_la_anatomy", "mmmlu_anatomy", "es"),
        ("include_base_44_german_stem", "include_base_44_stem", "de"),
        ("afrimgsm_direct_swa_prompt_1", "afrimgsm_direct_prompt_1", "sw"),
    ],
)
def test_task_names_are_taken_apart(task: str, benchmark: str, language: str) -> None:
    found = taken_apart(task)
    assert found is not None
    assert (found.benchmark, found.language) == (benchmark, language)


@pytest.mark.parametrize("task", ["gsm8k", "gsm8k_cot", "arc_easy", "truthfulqa_mc1", "mmlu_pro"])
def test_task_names_without_a_language_are_left_alone(task: str) -> None:
    assert taken_apart(task) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("de", "de"), ("DE-DE", "de"), ("deu", "de"), ("German", "de"), ("pt_BR", "pt"),
        ("zh-TW", "zh-Hant"), ("arb_Arab", "ar"), ("sums", None), ("", None),
    ],
)  # fmt: skip
def test_codes_and_names_are_one_code(text: str, code: str | None) -> None:
    assert language_code(text) == code
