"""Where published files may lie: folders, S3, and data sets of the hub at a revision."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, revision
from tasks.benchmarks.folders import open_folder, open_folders
from tasks.errors import BadInput
from tests.benchmarks.hub import COMMIT, URI, serve
from tests.benchmarks.written import parquet, prox_row

TEN = [f"number {n}" for n in range(10)]


def prox(folder: Path) -> Path:
    (folder / "en").mkdir(parents=True)
    rows = [prox_row(n, f"Question {n}?", TEN, "C") for n in range(3)]
    (folder / "en" / "test-00000-of-00001.parquet").write_bytes(parquet(rows))
    (folder / "README.md").write_text("Words.")
    return folder


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code that talks to a hub: its client reads its address once, when it is imported."""
    code = f"from tasks.benchmarks import load_items, revision\nfrom tasks.errors import *\n{code}"
    hub = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    everything = os.environ | hub | environment
    return subprocess.run(
        [sys.executable, "-c", code], env=everything, capture_output=True, text=True, check=False
    )


def test_a_data_set_of_the_hub_reads_like_a_folder(tmp_path: Path) -> None:
    folder = prox(tmp_path / "words")
    code = (
        f"items = load_items('mmlu-prox', {URI!r}, 'en').items\n"
        f"print(items['question'].to_pylist(), revision('mmlu-prox', {URI!r}))"
    )
    with serve(folder) as address:
        done = in_a_process(code, HF_ENDPOINT=address, HF_HOME=str(tmp_path / "cache"))
    local = load_items("mmlu-prox", folder.as_uri(), "en").items["question"].to_pylist()
    assert done.stdout.strip() == f"{local} {revision('mmlu-prox', folder.as_uri())}", done.stderr


def test_small_files_of_the_hub_have_the_same_revision_as_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "mgsm_en.tsv").write_text("What is 2 and 3?\t5\n")
    code = f"print(len(load_items('mgsm', {URI!r}, 'en').items), revision('mgsm', {URI!r}))"
    with serve(tmp_path / "words") as address:
        done = in_a_process(code, HF_ENDPOINT=address, HF_HOME=str(tmp_path / "cache"))
    assert done.stdout.strip() == f"1 {revision('mgsm', (tmp_path / 'words').as_uri())}", (
        done.stderr
    )


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        (f"hf://datasets/lab/sentences@{COMMIT}", "is not on the hub, or not visible"),
        ("hf://datasets/lab/words@v2", "is not on the hub, or not visible"),
        (f"{URI}/more", "holds no <language>/test-*.parquet"),
    ],
)
def test_what_the_hub_does_not_have_is_said(tmp_path: Path, uri: str, said: str) -> None:
    code = (
        f"try:\n    load_items('mmlu-prox', {uri!r}, 'en')\n"
        "except BadInput as error:\n    print(type(error).__name__, error)"
    )
    with serve(prox(tmp_path / "words")) as address:
        done = in_a_process(code, HF_ENDPOINT=address, HF_HOME=str(tmp_path / "cache"))
    assert done.stdout.startswith("BadInput"), done.stderr
    assert said in done.stdout and uri in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "offline", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}]
)
def test_a_hub_that_is_not_reached_is_one_sentence(offline: dict[str, str]) -> None:
    code = (
        f"try:\n    load_items('mmlu-prox', {URI!r}, 'en')\n"
        "except WrongWorker as error:\n    print(error)"
    )
    done = in_a_process(code, **offline)
    assert done.stdout.startswith(f"the hub did not deliver {URI} ("), done.stderr
    assert "copy the files to a folder" in done.stdout and done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "uri",
    [
        "hf://datasets/lab/words",
        "hf://lab/words@v1",
        "hf://datasets/words@v1",
        "hf://datasets/a/b@",
    ],
)
def test_a_data_set_without_a_revision_is_refused(uri: str) -> None:
    with pytest.raises(BadInput, match="write hf://datasets/ORG/NAME@REVISION, with the revision"):
        load_items("mmlu-prox", uri, "en")


@pytest.mark.parametrize("uri", ["elsewhere", "ftp://x/y", "file://x", ""])
def test_other_sources_are_refused_with_the_forms(uri: str) -> None:
    with pytest.raises(BadInput, match="give a URI: file:///FOLDER, s3://BUCKET/FOLDER or hf://"):
        open_folder("benchmark 'x'", uri)


def test_a_source_may_be_several_folders_and_the_first_that_has_a_file_counts(
    tmp_path: Path, s3_store: Store
) -> None:
    (tmp_path / "mgsm_en.tsv").write_text("Here?\t1\n")
    s3_store.put("set/mgsm_en.tsv", b"There?\t2\n")
    s3_store.put("set/mgsm_de.tsv", b"Dort?\t2\n")
    source = f"{tmp_path.as_uri()} {s3_store.uri}/set"
    assert [folder.uri for folder in open_folders("x", source)] == source.split(" ")
    questions = [
        load_items("mgsm", source, code).items["question"][0].as_py() for code in ("en", "de")
    ]
    assert questions == ["Here?", "Dort?"]
