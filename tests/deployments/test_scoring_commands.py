"""hotfixr score and grade, as people type them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from deployments.scoring_commands import read_facts
from tasks.errors import BadInput
from tests.deployments.test_cli import hotfixr
from tests.scoring.invented import grades

LOGS = Path(__file__).parents[1] / "importers" / "data"
KEYS = {"model", "benchmark", "source", "target", "metric", "value", "low", "high", "n_items",
        "n_samples", "coverage", "note"}  # fmt: skip
KINDS = ("scores", "groups", "spreads", "differences")


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    path = tmp_path / "samples.csv"
    grades({"en": 0.8, "fr": 0.6, "ja": 0.4}, items=120).to_csv(path, index=False)
    return path


def scored(*words: str | Path) -> dict[str, Any]:
    done = hotfixr("score", *map(str, words), "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def frame(found: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(found["scores"]).set_index(["model", "benchmark", "metric", "target"])


def test_json_has_every_score_unrounded(samples: Path) -> None:
    found = scored(samples, "--source", "en", "--bootstrap", "200")
    assert all(set(row) >= KEYS for row in found["scores"])
    rows = frame(found)
    table = pd.read_csv(samples).query("model == 'base'")
    means = table.pivot_table(index="item_id", columns="language", values="score")
    expected = (means.en * means.fr).sum() / (means.en**2).sum()
    hat = rows.loc[("base", "facts", "hat", "fr")]
    assert hat.value == pytest.approx(expected, abs=1e-12) and hat.low < hat.value < hat.high
    assert (hat.n_items, hat.n_samples, hat.coverage, hat.source) == (120, 480, 1.0, "en")
    for target in ("mean", "median", "pooled"):
        assert 0 < rows.loc[("base", "facts", "hat_corrected", target)].value < 1.2
    undefined = rows.loc[("base", "facts", "hat_chance_corrected", "fr")]
    assert pd.isna(undefined.value) and "options" in undefined.note


def test_the_seed_decides_the_limits(samples: Path) -> None:
    first, again, other = (
        scored(samples, "--bootstrap", "100", "--seed", seed)["scores"] for seed in "001"
    )
    assert first == again != other


def test_differences_languages_facts_and_a_report(samples: Path, tmp_path: Path) -> None:
    facts = tmp_path / "models.yaml"
    facts.write_text("- {name: base, family: Elm, parameters: 2, released: 2024-05}\n")
    out = tmp_path / "out"
    found = scored(
        samples, "--bootstrap", "100", "--compare", "student=base", "--languages", "fr=ja",
        "--models", facts, "--out", out, "--bca",
    )  # fmt: skip
    pairs = {(row["model"], row["baseline"]) for row in found["differences"]}
    assert pairs == {("student", "base"), ("student", None), ("base", None)}
    assert "fr - ja" in {row["target"] for row in found["differences"]}
    assert any(row["group"] == "1B to 4B" for row in found["analyses"])
    assert "<html" in (out / "index.html").read_text()[:300].lower()
    assert {"scores.parquet", "scores.csv"} <= {path.name for path in out.iterdir()}


def test_scores_are_of_languages_and_over_them_and_the_rest_stands_apart(samples: Path) -> None:
    found = scored(samples, "--bootstrap", "100", "--compare", "student=base")
    targets = {kind: {row["target"] for row in found[kind]} for kind in KINDS}
    assert targets["scores"] == {"fr", "ja", "mean", "median", "pooled"}
    assert targets["groups"] == {"same-script", "other-script", "trained", "held-out"}
    assert targets["spreads"] == {"all"}
    assert "other-script - same-script" in targets["differences"]
    assert all(row["note"] for row in found["scores"] if row["value"] is None)


def test_names_of_their_own_are_mapped(tmp_path: Path) -> None:
    theirs = grades({"en": 0.8, "fr": 0.6}, models=["m"]).rename(
        columns={"language": "lang", "item_id": "qid", "score": "correct"}
    )
    path = tmp_path / "theirs.jsonl"
    theirs.drop(columns="benchmark").to_json(path, orient="records", lines=True)
    mapped = ["--column", "language=lang", "--column", "item_id=qid", "--column", "score=correct"]
    rows = frame(scored(path, *mapped, "--value", "benchmark=quiz", "--bootstrap", "100"))
    assert rows.loc[("m", "quiz", "hat", "fr")].n_items == 30


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: base", "must be a list with a row"),
        ("- {name: base, parameters: 7B}", 'parameters is "7B"'),
        ("- {name: base, parameters: -7}", "greater than 0"),
        ("- {name: base, parameters: .inf}", "finite"),
        ("- {name: base, released: soon}", "match pattern"),
        ("- {name: base, released: 2024}", "match pattern"),
        ("- {name: base, thinking: lots}", "off|minimal"),
        ("- {name: base, size: 7}", "0.size"),
        ("- {name: base}\n- {name: base}", "has model 'base' more than once"),
        ("- {name: base", "cannot be read"),
    ],
)
def test_facts_that_cannot_be_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        read_facts(path)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_facts_are_read_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text("- {name: a, thinking: off, released: 2024-05}\n- {name: b, thinking: 512}\n")
    assert [(one.thinking, one.year) for one in read_facts(path)] == [("off", 2024), ("512", None)]


def test_excluded_items_stand_beside_all_of_them(samples: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.json"
    faulty.write_text('{"fr": ["i0", "i1"]}')
    rows = frame(scored(samples, "--exclude-items", faulty, "--bootstrap", "100"))
    assert rows.loc[("base", "facts", "hat", "fr")].n_items == 118
    assert rows.loc[("base", "facts with excluded items", "hat", "fr")].n_items == 120


@pytest.mark.parametrize("logs", ["lm_eval", "inspect", "simple_evals"])
def test_logs_of_other_harnesses_are_scored_as_they_are(logs: str) -> None:
    found = scored(LOGS / logs, "--bootstrap", "100")
    assert {row["metric"] for row in found["scores"]} >= {"hat", "target_accuracy"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["SAMPLES", "--source", "xx"], "'xx', the source language"),
        (["SAMPLES", "--column", "score"], "--column score must have the form A=B"),
        (["SAMPLES", "--column", "score=correct"], "correct"),
        (["SAMPLES", "--compare", "student=gpt"], "no grades of model 'gpt'"),
        (["SAMPLES", "--exclude-items", "none.json"], "there is no file none.json"),
        (["SAMPLES", "--models", "none.yaml"], "--models none.yaml cannot be read"),
        (["SAMPLES", "--compare", "base=base"], "'base' is to be compared with itself"),
        (["SAMPLES", "--out", "SAMPLES"], "cannot be a folder to write in"),
    ],
)
def test_bad_input_is_one_sentence(samples: Path, words: list[str], said: str) -> None:
    done = hotfixr("score", *[str(samples) if word == "SAMPLES" else word for word in words])
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("\n", [], "has no lines: there is nothing to grade"),
        ('{"kind": 1}\n', [], "line 1: there is no 'language'"),
        (None, [], "cannot be read: Is a directory"),
        ("\n", ["--out", "nowhere/at/all.jsonl"], "--out nowhere/at/all.jsonl cannot be written"),
    ],
)
def test_grade_ends_in_one_sentence(
    text: str | None, words: list[str], said: str, tmp_path: Path
) -> None:
    path = tmp_path if text is None else tmp_path / "answers.jsonl"
    if text is not None:
        path.write_text(text)
    done = hotfixr("grade", str(path), *words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout


def test_grade_keeps_order_and_fields_and_adds_its_own(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "kind": "number", "language": "de", "gold": "1234.5", "text": "Antwort: 1.234,5"},
        {"id": 3, "kind": "choice", "language": "en", "gold": "B", "options": ["x", "y"],
         "text": "Answer: A"},
        {"id": 5, "kind": "span", "language": "fr", "gold": ["Paris"], "text": ""},
    ]  # fmt: skip
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = hotfixr("grade", str(path))
    out = tmp_path / "graded.jsonl"
    assert hotfixr("grade", str(path), "--out", str(out)).returncode == 0
    assert out.read_text() == printed.stdout
    found = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [row["id"] for row in found] == [7, 3, 5]
    assert [row["status"] for row in found] == ["right", "wrong", "empty"]
    assert found[0]["text"] == rows[0]["text"] and found[1]["answer"] == "A"


def test_a_bad_line_is_named_and_leaves_no_half_file(tmp_path: Path) -> None:
    path, out = tmp_path / "answers.jsonl", tmp_path / "graded.jsonl"
    good = {"kind": "number", "language": "en", "gold": 1, "text": "1"}
    path.write_text(json.dumps(good) + "\n" + '{"kind": "number"}\n')
    done = hotfixr("grade", str(path), "--out", str(out))
    assert done.returncode == 2 and "line 2" in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["answers.jsonl"]


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    good = json.dumps({"kind": "number", "language": "en", "gold": 1, "text": "1"})
    path.write_text(f"{good}\n" * 20_000)
    from tests.deployments.test_cli import HOTFIXR

    done = subprocess.run(
        f"{HOTFIXR} grade {path} | head -1", shell=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.count("\n") == 1 and done.stderr == ""
