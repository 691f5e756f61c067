"""Answers before a judge through whole runs: who is asked, who is not asked again, what is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.here import run_here
from flows.pipeline import pipeline
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Manifest, Part
from tasks.artifacts.store import Store
from tasks.benchmarks import BENCHMARKS
from tasks.errors import BadInput, BudgetSpent
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe
from tasks.runs import recorded_step
from tasks.score import SCORES
from tests import judges
from tests.benchmarks.written import eclektic_row, jsonl
from tests.models.endpoint_server import Server, question, said, serving
from tests.silent import Silent

LANGUAGES = ("en", "de", "ko")
ITEMS, SAMPLES = 6, 3
ANSWERS = ITEMS * len(LANGUAGES) * SAMPLES
CHECKS = (6 + 5 + 6) * len(LANGUAGES)
PINNED = {"asked": "2026-01-31"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Two models behind one address: a student that is right in German alone, and a judge."""
    with serving() as server:
        play(server, judges.good)
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def play(server: Server, judge: judges.Judge) -> None:
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        asked = question(body)
        if body["model"] == "student":
            return said(f"Sie ist {number(asked) * 7} Meter tief." if "Wie tief" in asked else "?")
        slots = (judges.slot(asked, name) for name in ("question", "reference", "response"))
        return said(judge(*slots))

    server.answer = answer


def number(asked: str) -> int:
    return int(asked.rsplit("See ")[-1].partition("?")[0])


def asked(server: Server, model: str) -> int:
    return sum(body["model"] == model for body in server.bodies)


@pytest.fixture
def published(tmp_path: Path) -> str:
    rows = [
        eclektic_row(
            at,
            "de",
            {
                "en": (f"How deep is lake {at}?", f"{at * 7} metres"),
                "de": (f"Wie tief ist der See {at}?", f"{at * 7} Meter"),
                "ko": (f"호수 {at}의 깊이는?", f"{at * 7}미터"),
            },
        )
        for at in range(1, ITEMS + 1)
    ]
    (tmp_path / "eclektic_main.jsonl").write_bytes(jsonl(rows))
    return tmp_path.as_uri()


def recipe(source: str, **changes: Any) -> Recipe:
    given: dict[str, Any] = {
        "student": "endpoint:lab/student",
        "methods": ["base"],
        "form": "chat",
        "languages": list(LANGUAGES),
        "benchmarks": [{"name": "eclektic", "source": source}],
        "evaluation.samples": SAMPLES,
        "evaluation.judge": {"model": "endpoint:lab/judge"},
        "machine.engine": "endpoint",
        "machine.endpoint": PINNED,
        "scoring.resamples": 100,
    }
    chosen = read_recipe("simulated", given | {k.replace("__", "."): v for k, v in changes.items()})
    assert isinstance(chosen, Recipe)
    return chosen


def evaluated(store: Store, run: str) -> dict[str, Part]:
    found = recorded_step(store, run, "evaluate", "base")
    assert found is not None
    return found.manifest.parts


def grades(store: Store, run: str, code: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(
        store, evaluated(store, run)[f"grades/eclektic/{code}"]
    ).to_pylist()
    return rows


def notes(store: Store, run: str) -> list[str]:
    found = recorded_step(store, run, "score", "main")
    assert found is not None
    manifest: Manifest = found.manifest
    return [note for note in manifest.parts["scores"].facts["notes"] if "judge" in note]


def test_a_judge_grades_and_is_never_asked_the_same_again(
    server: Server, file_store: Store, published: str
) -> None:
    run = run_here(file_store, recipe(published), Silent())
    assert {row["status"] for row in grades(file_store, run, "de")} == {"right"}
    assert {row["status"] for row in grades(file_store, run, "ko")} == {"wrong"}
    assert {row["form"] for row in grades(file_store, run, "de")} == {
        "chat, 3 examples, judged by endpoint:lab/judge"
    }
    assert asked(server, "student") == ANSWERS
    assert asked(server, "judge") == ITEMS * len(LANGUAGES) + CHECKS, "equal answers once"
    assert notes(file_store, run) == [
        "eclektic: judged by endpoint:lab/judge (yes-no), which accepts 0 of 15 blanks, 0 of 18 "
        "other items' golds, 18 of 18 golds"
    ]
    assert not [path for path in file_store.list("parts") if "/journal/" in path]
    before = len(server.bodies)
    again = run_here(file_store, recipe(published), Silent())
    assert len(server.bodies) == before
    assert notes(file_store, again) == notes(file_store, run)


def test_another_judge_asks_no_student(server: Server, file_store: Store, published: str) -> None:
    first = run_here(file_store, recipe(published), Silent())
    play(server, judges.lenient)
    other = recipe(published, evaluation__judge={"model": "endpoint:lab/other"})
    second = run_here(file_store, other, Silent())
    assert asked(server, "student") == ANSWERS
    assert asked(server, "other") == asked(server, "judge")
    for code in LANGUAGES:
        name = f"answers/eclektic/{code}"
        assert evaluated(file_store, first)[name] == evaluated(file_store, second)[name]
    told, *doubts = notes(file_store, second)
    assert "accepts 15 of 15 blanks" in told
    assert len(doubts) == 2 and all("is no sound judge in all languages" in one for one in doubts)
    without = run_here(file_store, recipe(published, evaluation__judge=None), Silent())
    assert asked(server, "student") == ANSWERS
    assert notes(file_store, without) == []
    assert {row["form"] for row in grades(file_store, without, "de")} == {"chat, 3 examples"}


def test_unreadable_verdicts_lower_the_coverage_and_are_told(
    server: Server, file_store: Store, published: str
) -> None:
    play(server, judges.rambling)
    run = run_here(file_store, recipe(published), Silent())
    assert {row["status"] for row in grades(file_store, run, "de")} == {"unparsed"}
    told, gold, unread = notes(file_store, run)
    assert "0 of 18 golds" in told and "it accepts 0 of 18 golds" in gold
    assert "could not be read for 54 of 54 answers" in unread


def test_a_judge_whose_budget_is_spent_goes_on_where_it_stopped(
    server: Server, file_store: Store, published: str
) -> None:
    judge = {
        "model": "endpoint:lab/judge",
        "machine": recipe(published).machine.model_dump()
        | {"endpoint": PINNED | {"budget_tokens": 300, "concurrency": 2}},
    }
    with pytest.raises(BudgetSpent):
        run_here(file_store, recipe(published, evaluation__judge=judge), Silent())
    assert 0 < asked(server, "judge") < 25
    run_here(file_store, recipe(published), Silent())
    assert asked(server, "student") == ANSWERS
    assert asked(server, "judge") == ITEMS * len(LANGUAGES) + CHECKS


def compared(store: Store, run: str) -> dict[str, dict[str, Any]]:
    """Metric -> language -> its row, of the scores for published tables only."""
    found = recorded_step(store, run, "score", "main")
    assert found is not None
    rows = read_table(store, found.manifest.parts["scores"], file=SCORES).to_pylist()
    own: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["metric"].startswith("paper_"):
            own.setdefault(row["metric"], {})[row["target"]] = row
    return own


def test_scores_for_published_tables_are_made_where_asked_for_and_move_no_other(
    server: Server, file_store: Store, published: str
) -> None:
    plain = run_here(file_store, recipe(published), Silent())
    assert compared(file_store, plain) == {}
    rate = lambda q, reference, response: "5" if reference[:2] in response else "2"  # noqa: E731
    play(server, rate)
    wanted = recipe(published, evaluation__paper_compat={"ratings": True})
    run = run_here(file_store, wanted, Silent())
    assert asked(server, "student") == ANSWERS
    found = compared(file_store, run)
    assert {code: row["value"] for code, row in found["paper_judge"].items()}["de"] == 1.0
    near = found["paper_embedding"]["de"]
    assert near["note"] == "cosine of character n-grams above 0.7; for published tables only"
    assert (near["low"], near["n_items"], near["n_samples"]) == (None, ITEMS, ITEMS * SAMPLES)
    assert "accepts 0 of 15 blanks" in notes(file_store, run)[1]
    for code in LANGUAGES:
        assert grades(file_store, plain, code) == grades(file_store, run, code)


def test_a_model_embeds_the_answers(server: Server, file_store: Store, published: str) -> None:
    changes = {"evaluation__paper_compat": {"embedding": "bundled:tiny-random"}}
    run = run_here(file_store, recipe(published, **changes), Silent())
    note = compared(file_store, run)["paper_embedding"]["de"]["note"]
    assert note.startswith("cosine of bundled:tiny-random above 0.7")
    rows = read_table(file_store, evaluated(file_store, run)["paper-compat/eclektic/de"])
    assert all(-1 <= row["similarity"] <= 1 for row in rows.to_pylist())
    nodes = {node.label: node for node in pipeline(recipe(published, **changes))}
    assert nodes["evaluate-base"].pool == "gpu" and "prepare-models" in nodes


def test_ratings_need_a_judge(published: str) -> None:
    with pytest.raises(BadInput, match=r"name one: evaluation.judge.model"):
        recipe(published, evaluation__judge=None, evaluation__paper_compat={"ratings": True})


def test_a_judge_with_weights_is_mirrored_and_runs_where_there_is_a_device(
    published: str,
) -> None:
    local = {"engine": "transformers", "dtype": "float32", "device": "cpu"}
    judge = {"model": "bundled:tiny-random", "machine": local}
    nodes = {node.label: node for node in pipeline(recipe(published, evaluation__judge=judge))}
    assert "prepare-models" in nodes and "prepare-models" in nodes["evaluate-base"].needs
    assert nodes["evaluate-base"].pool == "gpu"
    plain = {node.label: node for node in pipeline(recipe(published))}
    assert "prepare-models" not in plain and plain["evaluate-base"].pool == "cpu"


def test_what_only_a_judge_can_grade_is_refused_without_one(
    published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    essays = replace(BENCHMARKS["eclektic"], name="essays", kind="judge", free=False)
    monkeypatch.setitem(BENCHMARKS, "essays", essays)
    chosen = {"benchmarks": [{"name": "essays", "source": published}]}
    with pytest.raises(BadInput, match="only a judge can grade essays; name one"):
        recipe(published, evaluation__judge=None, **chosen)
    assert recipe(published, **chosen).evaluation.judge is not None


@pytest.mark.parametrize(
    ("judge", "said_so"),
    [
        ({"model": "gpt"}, "'gpt' does not name a model"),
        ({"model": "step:train-student"}, "cannot be used"),
        ({"model": "bundled:tiny-random"}, "is not behind one"),
        ({"model": "endpoint:lab/judge", "votes": 3}, "at temperature 0 are all the same"),
        ({}, "model"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_refused_with_the_recipe(
    published: str, judge: dict[str, Any], said_so: str
) -> None:
    with pytest.raises(BadInput, match=said_so):
        recipe(published, evaluation__judge=judge)
