"""The endpoint engine against a real server: order, limits, faults, budgets, secrecy."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tasks.artifacts.journal import Journal, Kept
from tasks.artifacts.store import Store
from tasks.errors import BadInput, BudgetSpent, EndpointSilent, HotfixrError, WrongWorker
from tasks.grading import grade
from tasks.models.endpoint_engine import EndpointEngine
from tasks.models.endpoint_pieces import PIECE
from tasks.models.endpoint_retries import Backoff
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.machine import EndpointSettings
from tests.models.endpoint_server import KEY, Misdeed, Server, said, serving

SAMPLING = Sampling(max_tokens=40)
PROMPTS = [
    Prompt(messages=({"role": "user", "content": f"question {number}"},), seed=number, part="p")
    for number in range(12)
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def engine(store: Store, **settings: Any) -> EndpointEngine:
    kept = Kept(lambda part: Journal(store, "evaluate", part))
    chosen = EndpointSettings(**{"asked": "2026-12-01", **settings})
    return EndpointEngine("lab/some/model", chosen, kept, Backoff(first=0.05))


def ask(store: Store, prompts: list[Prompt] = PROMPTS, **settings: Any) -> list[list[Completion]]:
    return engine(store, **settings).complete(prompts, SAMPLING, 0)


def test_answers_keep_the_order_of_their_questions(server: Server, file_store: Store) -> None:
    def dawdle(body: dict[str, Any]) -> dict[str, Any]:
        number = int(body["messages"][-1]["content"].split()[1])
        time.sleep(0.05 * (number % 3))
        return said(f"answer {number}")

    server.answer = dawdle
    asked = engine(file_store, concurrency=6)
    drawn = asked.complete(PROMPTS, replace(SAMPLING, n=2), 0)
    assert [[one.text for one in row] for row in drawn] == [[f"answer {n}"] * 2 for n in range(12)]
    assert len(server.bodies) == 24 and all("n" not in body for body in server.bodies)
    assert {body["model"] for body in server.bodies} == {"some/model"}
    assert asked.device == "lab serving served-1"


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_more_are_asked_at_a_time_than_allowed(
    server: Server, file_store: Store, concurrency: int
) -> None:
    server.seconds = 0.05
    ask(file_store, concurrency=concurrency)
    assert server.most == concurrency


@pytest.mark.parametrize(
    "misdeed",
    [
        Misdeed(429),
        Misdeed(500, "oh dear"),
        Misdeed(503),
        Misdeed(cut=True, body='{"choices": [{"mess'),
        Misdeed(body='{"choices": [{"mess'),
        Misdeed(body='{"choices": []}'),
        Misdeed(body='{"error": {"message": "overloaded"}}'),
        Misdeed(seconds=1.5, body="too late"),
    ],
    ids=["429", "500", "503", "cut", "not json", "no choice", "error in a success", "silence"],
)
def test_what_may_pass_is_tried_again(server: Server, file_store: Store, misdeed: Misdeed) -> None:
    server.misdeeds = [misdeed] * 3
    drawn = ask(file_store, timeout=1.0)
    assert [one.text for [one] in drawn] == [prompt.messages[0]["content"] for prompt in PROMPTS]  # type: ignore[index]
    assert len(server.times) == 15 and len(server.bodies) == 12


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_everyone_waits_as_long_as_the_server_asks(
    server: Server, file_store: Store, form: str
) -> None:
    now = datetime(2020, 1, 1, tzinfo=UTC)  # by the server's clock, which is years behind
    until = {"seconds": "1", "date": format_datetime(now + timedelta(seconds=1), usegmt=True)}[form]
    date = {"Date": format_datetime(now, usegmt=True)} if form == "date" else {}
    server.misdeeds = [Misdeed(429, headers={"Retry-After": until, **date})]
    ask(file_store, concurrency=1)
    assert server.times[1] - server.times[0] >= 1


def test_a_server_that_never_answers_is_given_up_and_the_rest_kept(
    server: Server, file_store: Store
) -> None:
    ask(file_store, PROMPTS[:3])
    server.misdeeds = [Misdeed(500, f"key {KEY} is in my log")] * 9
    with pytest.raises(EndpointSilent, match=r"in 3 tries \(the last gave status 500: key \*\*\*"):
        ask(file_store, concurrency=1, retries=2)
    assert len(server.times) == 6
    assert EndpointSilent.retryable
    server.misdeeds = []
    ask(file_store)
    assert len(server.bodies) == 12  # none twice


def test_a_server_that_wants_hours_of_rest_is_not_waited_for(
    server: Server, file_store: Store
) -> None:
    server.misdeeds = [Misdeed(429, headers={"Retry-After": "7200"})] * 20
    with pytest.raises(EndpointSilent, match="asks for 7200 s of rest"):
        ask(file_store)


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (400, '{"error": "temperature must be 1"}', BadInput, "temperature must be 1"),
        (401, f"Incorrect key {KEY[:8]}", WrongWorker, "set HOTFIXR_ENDPOINT_LAB_KEY"),
        (403, "", WrongWorker, "refuses the key"),
        (404, "no such model", BadInput, "has no model 'some/model'"),
        (422, f"{KEY} asked for\ntoo much", BadInput, r"\*\*\* asked for too much"),
        (307, "", BadInput, "status 307"),
    ],
)
def test_a_refusal_is_one_sentence_at_once_without_the_key(
    server: Server, file_store: Store, status: int, body: str, kind: type[HotfixrError], said: str
) -> None:
    headers = {"Location": "http://127.0.0.1:9/steal"}
    server.misdeeds = [Misdeed(status, body, headers)] * 20
    with pytest.raises(kind, match=said) as caught:
        ask(file_store, concurrency=1)
    assert len(server.times) == 1
    sentence = str(caught.value)
    assert KEY[:8] not in sentence and "\n" not in sentence


def test_the_answers_on_their_way_are_kept_when_another_is_refused(
    server: Server, file_store: Store
) -> None:
    server.seconds = 0.3
    server.misdeeds = [Misdeed(400, "no")]
    with pytest.raises(BadInput):
        ask(file_store, concurrency=4)
    assert len(Journal(file_store, "evaluate", "p").read()) == 3


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        ({"budget_tokens": 60}, "budget_tokens"),
        ({"budget_money": 1.0, "price_input": 1e4, "price_output": 3e4}, "budget_money"),
    ],
)
def test_a_spent_budget_stops_cleanly_and_a_raised_one_goes_on(
    server: Server, file_store: Store, budget: dict[str, float], name: str
) -> None:
    with pytest.raises(BudgetSpent, match=rf"machine\.endpoint\.{name} is spent \(60 tokens, "):
        ask(file_store, concurrency=1, **budget)
    assert len(server.bodies) == 4
    with pytest.raises(BudgetSpent, match=r"asked=2026-12-01"):
        ask(file_store, concurrency=1, **budget)
    assert len(server.bodies) == 4, "a retry has no fresh budget"
    drawn = ask(file_store)
    assert len(drawn) == 12 and len(server.bodies) == 12
    questions = [body["messages"][-1]["content"] for body in server.bodies]
    assert len(set(questions)) == 12, "none is asked twice"


def test_what_finished_parts_cost_counts(server: Server, file_store: Store) -> None:
    kept = Kept(lambda part: Journal(file_store, "evaluate", part), 900, 100)
    spent = EndpointEngine("lab/some/model", EndpointSettings(budget_tokens=1000), kept)
    with pytest.raises(BudgetSpent):
        spent.complete(PROMPTS, SAMPLING, 0)
    assert server.times == []


def test_answers_are_kept_in_pieces_as_they_come(server: Server, file_store: Store) -> None:
    message = ({"role": "user", "content": "again and again"},)
    many = [Prompt(messages=message, seed=seed, part="p") for seed in range(2 * PIECE + 5)]
    journal = Journal(file_store, "evaluate", "p")
    seen: list[int] = []

    def watch(body: dict[str, Any]) -> dict[str, Any]:
        seen.append(len(journal.read()))
        return said("yes")

    server.answer = watch
    ask(file_store, many, concurrency=2)
    assert seen[0] == 0 and PIECE <= max(seen) < len(many)
    assert len(journal.read()) == len(many)
    assert ask(file_store, many) and len(server.bodies) == len(many)
    journal.clear()
    assert journal.read() == {}


def test_a_damaged_piece_costs_only_itself(server: Server, file_store: Store) -> None:
    ask(file_store, PROMPTS[:4])
    file_store.put("parts/evaluate/p/journal/0.json", b'{"answers": {"x"')
    ask(file_store)
    assert len(server.bodies) == 12


@pytest.mark.parametrize(
    ("reply", "text", "finish", "tokens", "status"),
    [
        (said("12"), "12", "stop", (10, 5, 0), "right"),
        (said("1", finish="length"), "1", "length", (10, 5, 0), "wrong"),
        (said(None), "", "stop", (10, 5, 0), "empty"),
        (
            said("12", reasoning_content="7? <think>no</think>"),
            "<think>7? no</think>12",
            "stop",
            (10, 5, 4),
            "right",
        ),
        (said("", reasoning="is it 12", finish="length"), "<think>is it 12", "length", (10, 5, 5),
         "truncated"),
        (said("", reasoning="is it 12"), "<think>is it 12</think>", "stop", (10, 5, 5), "empty"),
        (
            said("12", usage={"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": None}),
            "12", "stop", (3, 2, 0), "right",
        ),
        (said("<think>is it 12", finish="length"), "<think>is it 12", "length", (10, 5, 5),
         "truncated"),
        (said("<think>7 STOP</think>12 STOP 7"), "<think>7 STOP</think>12 ", "stop", (10, 5, 2),
         "right"),
        (
            said("12", usage={"prompt_tokens": 3, "completion_tokens": 9,
                              "completion_tokens_details": {"reasoning_tokens": 7}}),
            "12", "stop", (3, 9, 7), "right",
        ),
        (
            said("12", usage={"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 50}),
            "12", "stop", (3, 47, 45), "right",
        ),
        ({"choices": [{"message": {"content": "12"}}]}, "12", "stop", (4, 1, 0), "right"),
        (
            {"choices": [{"message": {"content": [{"type": "text", "text": "12"}]}}]},
            "12", "stop", (4, 1, 0), "right",
        ),
    ],
)  # fmt: skip
def test_every_form_of_reply_is_read(
    server: Server,
    file_store: Store,
    reply: dict[str, Any],
    text: str,
    finish: str,
    tokens: tuple[int, int, int],
    status: str,
) -> None:
    server.answer = lambda body: reply
    sampling = Sampling(max_tokens=5, stop=("STOP",))
    [[one]] = engine(file_store).complete(PROMPTS[:1], sampling, 0)
    assert (one.text, one.finish_reason) == (text, finish)
    assert (one.prompt_tokens, one.completion_tokens, one.reasoning_tokens) == tokens
    graded = grade("number", "en", "12", one.text, finish_reason=one.finish_reason)
    assert graded.status == status


def test_the_key_is_in_no_log(
    server: Server, file_store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.misdeeds = [Misdeed(500, KEY), Misdeed(cut=True, body=KEY)]
    asked = engine(file_store)
    asked.complete(PROMPTS, SAMPLING, 0)
    assert KEY not in caplog.text and KEY not in repr(vars(asked))
    written = [file_store.get(path) for path in file_store.list("parts")]
    assert written and all(there and KEY.encode() not in there.data for there in written)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"URL": None}, "set HOTFIXR_ENDPOINT_LAB_URL"),
        ({"KEY": None}, "set HOTFIXR_ENDPOINT_LAB_KEY"),
        ({"KEY": "two words"}, "KEY holds blanks"),
        ({"URL": "http://10.0.0.1/v1"}, "must be https"),
        ({"URL": "http://127.0.0.1.example.org/v1"}, "must be https"),
        ({"URL": "https://me:secret@host/v1"}, "must be https"),
        ({"URL": "ftp://host/v1"}, "must be https"),
        ({"URL": "https:///v1"}, "must be https"),
    ],
)
def test_a_worker_that_cannot_ask_says_what_to_set(
    server: Server,
    file_store: Store,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, str | None],
    said: str,
) -> None:
    for what, value in change.items():
        name = f"HOTFIXR_ENDPOINT_LAB_{what}"
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    with pytest.raises(WrongWorker, match=said) as caught:
        engine(file_store)
    assert "secret" not in str(caught.value) and "two words" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://host/v1", "http://localhost:1/v1", "http://[::1]/v1/"])
def test_encrypted_or_on_this_machine_is_well(
    file_store: Store, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HOTFIXR_ENDPOINT_MY_LAB_URL", url)
    monkeypatch.setenv("HOTFIXR_ENDPOINT_MY_LAB_KEY", "k")
    kept = Kept(lambda part: Journal(file_store, "evaluate", part))
    assert EndpointEngine("my-lab/m", EndpointSettings(), kept).device == "my-lab"


def test_a_text_to_continue_is_refused(server: Server, file_store: Store) -> None:
    with pytest.raises(BadInput, match="set form: chat"):
        ask(file_store, [Prompt(text="2 + 2 =")])
