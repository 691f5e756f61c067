"""Models behind an endpoint through whole runs: recipe, compute process, journal, scores."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest

from deployments.doctor import examine
from flows.here import run_here
from flows.pipeline import pipeline
from tasks.artifacts.parts import publish_table, read_table
from tasks.artifacts.records import Manifest
from tasks.artifacts.schemas import QUESTIONS
from tasks.artifacts.store import Store
from tasks.compute.environment import child_environment
from tasks.compute.step import Silent as Quiet
from tasks.compute.step import Work, complete
from tasks.errors import BadInput, BudgetSpent, ComputeCrashed, WrongWorker
from tasks.read_recipe import asked_on, read_recipe
from tasks.recipe import Recipe
from tasks.runs import read_run, recorded_step
from tasks.steps import STEPS
from tests.models.endpoint_server import KEY, Server, question, said, serving
from tests.silent import Silent
from tests.waiting import wait_for

LANGUAGES = ["en", "de"]
RECIPE: dict[str, Any] = {
    "student": "endpoint:lab/org/model",
    "methods": ["base"],
    "form": "chat",
    "languages": LANGUAGES,
    "benchmarks": [{"name": "facts", "items": 5}],
    "evaluation.samples": 2,
    "machine.engine": "endpoint",
}
ASKED = 2 * 5 * len(LANGUAGES)


def recipe(**changes: Any) -> Recipe:
    return read_recipe("simulated", RECIPE | {k.replace("__", "."): v for k, v in changes.items()})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving() as server:
        server.answer = lambda body: said("A", reasoning_content="B or not B")
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def answers(store: Store, run: str) -> list[dict[str, Any]]:
    found = recorded_step(store, run, "evaluate", "base")
    assert found is not None
    parts = [f"answers/facts/{code}" for code in LANGUAGES]
    return [
        row for name in parts for row in read_table(store, found.manifest.parts[name]).to_pylist()
    ]


def test_an_evaluation_runs_to_its_scores_and_again_asks_nothing(
    server: Server, file_store: Store
) -> None:
    run = run_here(file_store, recipe(), Silent())
    rows = answers(file_store, run)
    assert len(rows) == ASKED == len(server.bodies)
    assert {row["text"] for row in rows} == {"<think>B or not B</think>A"}
    assert all(row["reasoning_tokens"] == 5 for row in rows)
    found = recorded_step(file_store, run, "evaluate", "base")
    assert found is not None
    part = found.manifest.parts["answers/facts/de"]
    assert (part.facts["engine"], part.facts["device"]) == ("endpoint", "lab serving served-1")
    grades = read_table(file_store, found.manifest.parts["grades/facts/de"]).to_pylist()
    assert {row["status"] for row in grades} == {"right", "wrong"}  # all say A; options are moved
    again = run_here(file_store, recipe(), Silent())
    assert len(server.bodies) == ASKED
    assert {recorded_step(file_store, one, "score", "main") is None for one in (run, again)} == {
        False
    }
    assert not [path for path in file_store.list("parts") if "/journal/" in path]


def test_neither_key_nor_address_is_in_the_store_or_the_errors(
    server: Server, file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_here(file_store, recipe(), Silent())
    wrong = "sk-not-the-key-at-all"
    monkeypatch.setenv("HOTFIXR_ENDPOINT_LAB_KEY", wrong)
    with pytest.raises(WrongWorker, match="set HOTFIXR_ENDPOINT_LAB_KEY") as caught:
        run_here(file_store, recipe(evaluation__samples=3), Silent())
    assert wrong not in str(caught.value)
    root = Path(file_store.uri.removeprefix("file://"))
    for file in (file for file in root.rglob("*") if file.is_file()):
        data = file.read_bytes()
        for secret in (KEY, wrong, server.url):
            assert secret.encode() not in data, file


def test_a_spent_budget_ends_the_step_and_a_raised_one_asks_what_is_missing(
    server: Server, file_store: Store
) -> None:
    pinned = {"machine__endpoint": {"budget_tokens": 90, "asked": "2026-01-31", "concurrency": 2}}
    with pytest.raises(BudgetSpent, match=r"machine\.endpoint\.asked=2026-01-31"):
        run_here(file_store, recipe(**pinned), Silent())
    assert 6 <= len(server.bodies) <= 7
    raised = {"machine__endpoint": {"asked": "2026-01-31", "concurrency": 4, "timeout": 30}}
    run = run_here(file_store, recipe(**raised), Silent())
    assert len(server.bodies) == ASKED, "none is asked twice"
    assert len(answers(file_store, run)) == ASKED


def test_a_killed_process_costs_one_piece_at_most(server: Server, file_store: Store) -> None:
    server.seconds = 0.02
    many = recipe(evaluation__samples=20, machine__endpoint={"concurrency": 2})
    failed: list[Exception] = []

    def run() -> None:
        try:
            run_here(file_store, many, Silent())
        except ComputeCrashed as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: len(server.bodies) > 80, "some answers")
    [child] = [
        process
        for process in psutil.Process().children()
        if "evaluate" in process.cmdline() and file_store.uri in process.cmdline()
    ]
    os.kill(child.pid, signal.SIGKILL)
    thread.join(60)
    assert failed
    run_here(file_store, many, Silent())
    assert 200 <= len(server.bodies) <= 200 + 64 + 4


def test_another_day_is_another_model_and_a_run_keeps_its_day(
    server: Server, file_store: Store
) -> None:
    run = run_here(file_store, recipe(), Silent())
    day = read_run(file_store, run).recipe["machine"]["endpoint"]["asked"]
    assert run.startswith(day.replace("-", ""))
    assert asked_on(recipe(), "2026-12-01").machine.endpoint.asked == "2026-12-01"
    kept = Recipe.model_validate(read_run(file_store, run).recipe)
    assert asked_on(kept, "2031-01-01") == kept
    run_here(file_store, asked_on(recipe(), "2026-12-24"), Silent())
    assert len(server.bodies) == 2 * ASKED
    without = read_recipe("simulated")
    assert asked_on(without, "2026-12-01") == without


def test_thinking_is_asked_for_in_every_request_and_makes_other_parts(
    server: Server, file_store: Store
) -> None:
    plain = recipe(student="endpoint:lab/qwen3-4b")
    assert "thinking" not in plain.evaluation.shape, "older digests stay"
    run_here(file_store, plain, Silent())
    short = recipe(student="endpoint:lab/qwen3-4b", evaluation__thinking=False)
    long = recipe(student="endpoint:lab/qwen3-4b", evaluation__thinking=300)
    run_here(file_store, short, Silent())
    run_here(file_store, long, Silent())
    first, second, third = (server.bodies[at] for at in (0, ASKED, 2 * ASKED))
    assert "chat_template_kwargs" not in first and len(server.bodies) == 3 * ASKED
    assert second["chat_template_kwargs"] == {"enable_thinking": False}
    assert third["thinking_token_budget"] == 300
    assert third["max_tokens"] == second["max_tokens"] + 300 == first["max_tokens"] + 300


def test_reasoning_makes_other_parts_which_say_how_they_were_asked_and_what_was_cut(
    server: Server, file_store: Store
) -> None:
    plain, reasoned = recipe(), recipe(evaluation__reasoning="english")
    assert "reasoning" not in plain.evaluation.shape, "older digests stay"
    run_here(file_store, plain, Silent())
    server.answer = lambda body: said("B is not it, and A may be", finish="length")
    run = run_here(file_store, reasoned, Silent())
    direct, asked = server.bodies[0], server.bodies[ASKED]
    assert asked["max_tokens"] == direct["max_tokens"] + 1024
    assert "First reason step by step in English." in asked["messages"][0]["content"]
    found = recorded_step(file_store, run, "evaluate", "base")
    assert found is not None
    part = found.manifest.parts["grades/facts/de"]
    rows = read_table(file_store, part).to_pylist()
    assert {row["form"] for row in rows} == {"chat, 3 examples, reasoning english"}
    assert {row["status"] for row in rows} == {"truncated"} and part.facts["truncated"] == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"evaluation.reasoning": "french"}, "evaluation.reasoning"),
        ({"evaluation.thinking": "deep"}, "evaluation.thinking"),
        ({"evaluation.thinking": 512, "form": "completion"}, "thinking 512 needs form: chat"),
        ({"form": "completion"}, "answers messages only; set evaluation.form: chat"),
        ({"methods": ["base", "hotfixr"]}, "has no weights to train"),
        ({"student": "hf:a/b"}, "machine.engine is endpoint, but hf:a/b is not behind one"),
        ({"machine.endpoint": {"budget_money": 3}}, "budget_money needs price_input"),
        ({"machine.endpoint": {"asked": "yesterday"}}, "asked"),
        ({"machine.endpoint": {"url": "http://x"}}, "url is no setting"),
        ({"machine.endpoint": {"concurrency": 0}}, "concurrency is 0"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_recipe("simulated", RECIPE | changes)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_teacher_behind_an_endpoint_needs_no_mirror_and_no_gpu() -> None:
    taught = {
        "teacher": "endpoint:lab/big", "labels.form": "chat", "machine.device": "cuda",
        "machine.engine": "vllm",
    }  # fmt: skip
    nodes = {node.label: node for node in pipeline(read_recipe("smoke", taught))}
    assert nodes["label-questions"].pool == "cpu" and nodes["evaluate-base"].pool == "gpu"
    assert "prepare-models" not in {node.step for node in pipeline(recipe())}
    assert {node.pool for node in pipeline(recipe()) if node.step == "evaluate"} == {"cpu"}


def test_a_teacher_behind_an_endpoint_labels_and_is_asked_nothing_twice(
    server: Server, file_store: Store
) -> None:
    def teach(body: dict[str, Any]) -> dict[str, Any]:
        return said(f"It is so because it is: {question(body)[-20:]}\n<answer>12</answer>")

    server.answer = teach
    rows = [
        {"question_id": f"en-{n}", "language": "en", "domain": "math", "reasoning": "so",
         "question": f"What is {n} and {12 - n}?", "answer": "12", "kept": True}
        for n in range(12)
    ]  # fmt: skip
    questions = publish_table(
        file_store,
        "generate-questions",
        "questions",
        "d",
        pa.Table.from_pylist(rows, QUESTIONS),
        {},
    )

    def label(**endpoint: Any) -> list[dict[str, Any]]:
        changes = {"teacher": "endpoint:lab/big", "labels.form": "chat"}
        asked = read_recipe(
            "smoke", changes | {"machine.endpoint": {"asked": "2026-12-01"} | endpoint}
        )
        [node] = [one for one in pipeline(asked) if one.step == "label-questions"]
        done = Manifest(step="generate-questions", spec="s", parts={"questions": questions})
        spec = node.spec({"generate-questions": done})
        found = complete(Work(file_store, STEPS["label-questions"], Quiet()), spec)
        labels: list[dict[str, Any]] = read_table(file_store, found.parts["labels"]).to_pylist()
        return labels

    with pytest.raises(BudgetSpent):
        label(budget_tokens=300, concurrency=1)
    assert len(server.bodies) == 20
    labels = label()
    assert [row["answer"] for row in labels] == ["12"] * 12 and all(row["kept"] for row in labels)
    assert len(server.bodies) == 4 * 12 and {body["model"] for body in server.bodies} == {"big"}


def test_the_compute_process_gets_addresses_and_keys_and_nothing_like_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = {
        "HOTFIXR_ENDPOINT_MY_LAB_URL": True, "HOTFIXR_ENDPOINT_MY_LAB_KEY": True,
        "HOTFIXR_ENDPOINT_MY_LAB_OLD": False, "HOTFIXR_ENDPOINT_LAB_KEY_FILE": False,
        "HOTFIXR_CACHE": True, "OPENAI_API_KEY": False, "PREFECT_API_KEY": False,
    }  # fmt: skip
    for name in given:
        monkeypatch.setenv(name, "x")
    handed = child_environment()
    assert {name: name in handed for name in given} == given


def test_the_doctor_says_whether_each_endpoint_answers(
    server: Server, file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setenv("HOTFIXR_STORE", file_store.uri)
    gone = {"HOTFIXR_ENDPOINT_GONE_URL": "http://127.0.0.1:9", "HOTFIXR_ENDPOINT_GONE_KEY": "k"}
    half = {"HOTFIXR_ENDPOINT_HALF_URL": server.url}
    for variable, value in (server.environment("WRONG", key="k") | gone | half).items():
        monkeypatch.setenv(variable, value)
    found = {one.what: one for one in examine() if one.what.startswith("endpoint")}
    assert {name: one.level for name, one in found.items()} == {
        "endpoint lab": "ok", "endpoint wrong": "BAD", "endpoint gone": "BAD",
        "endpoint half": "BAD",
    }  # fmt: skip
    assert "HOTFIXR_ENDPOINT_WRONG_KEY" in found["endpoint wrong"].mend
    assert "HOTFIXR_ENDPOINT_HALF_KEY" in found["endpoint half"].found
    assert KEY not in str(found)
