"""Bootstrap against a real server: a second one changes nothing; what it makes works."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID, uuid4

import pytest
import s3fs
from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import WorkPoolUpdate
from prefect.client.schemas.objects import StateType
from prefect.states import Cancelling, Failed, Running

from deployments.automations import (
    BLOCK,
    NOTIFY,
    make_automation,
    make_automations,
    silent_run,
)
from deployments.bootstrap import make_pools, make_ready
from deployments.bucket import RULE, prepare_bucket
from deployments.stack import Stack
from tasks.compute.environment import child_environment
from tasks.errors import StoreError
from tests.flows.running import client
from tests.waiting import wait_for

SECRET = "planted-in-the-address"


class Chat:
    """A chat program's address that takes messages, and what it was told."""

    def __init__(self) -> None:
        told = self.told = list[str]()

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told.append(json.loads(body)["text"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/{SECRET}"


@pytest.fixture
def chat() -> Iterator[Chat]:
    chat = Chat()
    yield chat
    chat.server.shutdown()
    chat.server.server_close()


# What workers change by asking for work, and `prefect deploy` by deploying the same again.
MOVING = {"status", "last_polled", "updated", "version_id", "version_info"}


def everything(api: SyncPrefectClient) -> dict[str, list[dict[str, object]]]:
    """All that bootstrap makes, with its ids, without what moves."""
    kinds = ["automations", "deployments", "work_pools", "work_queues", "block_documents"]
    found = {kind: api.request("POST", f"/{kind}/filter", json={}).json() for kind in kinds}
    return {kind: sorted(map(still, rows), key=str) for kind, rows in found.items()}


def still(row: dict[str, object]) -> dict[str, object]:
    times = set() if "trigger" in row else MOVING  # an automation must not even be written again
    return {name: value for name, value in row.items() if name not in times | {"work_queue"}}


def test_a_second_bootstrap_changes_and_duplicates_nothing(
    stack: Stack, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NOTIFY, chat.url)
    with client() as api:
        make_ready()
        before = everything(api)
        make_ready()
        assert everything(api) == before
    assert sorted(str(one["name"]) for one in before["automations"]) == [
        "hotfixr: failed run",
        "hotfixr: silent cancellation",
        "hotfixr: silent run",
    ]
    assert {one["name"] for one in before["work_queues"]} == {"default", "long"}


def test_what_a_person_changed_in_the_ui_stays(stack: Stack) -> None:
    with client() as api:
        make_automations()
        silent = api.read_automations_by_name("hotfixr: silent run")[0]
        api.pause_automation(silent.id)
        api.update_work_pool("cpu", WorkPoolUpdate(concurrency_limit=7, is_paused=False))
        try:
            make_pools()
            make_automations()
            assert api.read_work_pool("cpu").concurrency_limit == 7
            assert not api.read_automations_by_name("hotfixr: silent run")[0].enabled
        finally:
            api.resume_automation(silent.id)
            api.update_work_pool("cpu", WorkPoolUpdate(concurrency_limit=2))


def test_short_steps_do_not_wait_for_long_ones(stack: Stack) -> None:
    with client() as api:
        queues = {queue.name: queue.priority for queue in api.read_work_queues("cpu")}
        assert queues["default"] < queues["long"]
        row = api.read_deployment_by_name("evaluate/cpu")
        assert row.work_queue_name == "long"
        assert api.read_deployment_by_name("score/cpu").work_queue_name == "default"


def parent_run(api: SyncPrefectClient) -> UUID:
    """A run of the control pool that no worker will take."""
    deployment = api.read_deployment_by_name("hotfixr/control")
    return api.create_flow_run_from_deployment(deployment.id, parameters={"recipe": "smoke"}).id


def test_a_failed_run_is_told_and_the_address_is_logged_nowhere(
    stack: Stack, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NOTIFY, chat.url)
    make_automations()
    with client() as api:
        api.update_work_pool("control", WorkPoolUpdate(is_paused=True))
        try:
            run = parent_run(api)
            api.set_flow_run_state(run, Failed(message='it said "no"'), force=True)
            wait_for(lambda: chat.told, "a message", 60)
        finally:
            api.update_work_pool("control", WorkPoolUpdate(is_paused=False))
        shown = api.request("POST", "/block_documents/filter", json={}).text
    assert len(chat.told) == 1
    assert 'Failed. it said "no"' in chat.told[0] and str(run) in chat.told[0]
    assert SECRET not in shown
    for log in (stack.folder / "processes").glob("*.log"):
        assert SECRET not in log.read_text(errors="replace")
    stored = Webhook.load(BLOCK)
    assert isinstance(stored, Webhook) and SECRET in stored.url.get_secret_value()


def test_the_compute_process_does_not_see_where_failures_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NOTIFY, "https://example.org/token")
    assert NOTIFY not in child_environment()


def emit(api: SyncPrefectClient, run: UUID, event: str) -> None:
    """What the run's own process tells the server."""
    body = {
        "id": str(uuid4()),
        "occurred": datetime.now(UTC).isoformat(),
        "event": event,
        "resource": {"prefect.resource.id": f"prefect.flow-run.{run}"},
    }
    api.request("POST", "/events", json=[body]).raise_for_status()


def test_runs_that_fall_silent_are_ended_and_those_that_speak_are_not(stack: Stack) -> None:
    short = timedelta(seconds=10)
    with client() as api:
        api.update_work_pool("control", WorkPoolUpdate(is_paused=True))
        rules = [
            silent_run("test of silence", "heartbeat", StateType.CRASHED, short),
            silent_run("test of cancellation", "Cancelling", StateType.CANCELLED, short),
        ]
        for rule in rules:
            make_automation(api, rule)
        try:
            silent, speaking, cancelled = (parent_run(api) for _ in range(3))
            for run in (silent, speaking, cancelled):
                api.set_flow_run_state(run, Running(), force=True)
            for run in (silent, speaking):
                emit(api, run, "prefect.flow-run.heartbeat")
            api.set_flow_run_state(cancelled, Cancelling(), force=True)

            def both_ended() -> bool:
                emit(api, speaking, "prefect.flow-run.heartbeat")
                ended = {api.read_flow_run(run).state_type for run in (silent, cancelled)}
                return ended == {StateType.CRASHED, StateType.CANCELLED}

            wait_for(both_ended, "the end of two silent runs", 60)
            assert api.read_flow_run(silent).state_type == StateType.CRASHED
            assert api.read_flow_run(speaking).state_type == StateType.RUNNING
        finally:
            for rule in rules:
                api.delete_automation(api.read_automations_by_name(rule.name)[0].id)
            for run in (silent, speaking, cancelled):
                api.delete_flow_run(run)
            api.update_work_pool("control", WorkPoolUpdate(is_paused=False))


def test_a_new_bucket_gets_the_rule_beside_the_rules_of_others(s3_stack: Stack) -> None:
    name = f"bucket-{uuid4().hex[:8]}"
    files = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)

    def rules() -> list[dict[str, object]]:
        reply = files.call_s3("get_bucket_lifecycle_configuration", Bucket=name)
        return list(reply["Rules"])

    prepare_bucket(f"s3://{name}/store")
    assert rules() == [RULE | {"ID": f"{RULE['ID']} store/"}]
    other = {"ID": "theirs", "Status": "Enabled", "Filter": {"Prefix": "x/"}} | {
        "Expiration": {"Days": 3}
    }
    files.call_s3(
        "put_bucket_lifecycle_configuration", Bucket=name, LifecycleConfiguration={"Rules": [other]}
    )
    prepare_bucket(f"s3://{name}/store")
    prepare_bucket(f"s3://{name}/store")
    assert [rule["ID"] for rule in rules()] == ["theirs", f"{RULE['ID']} store/"]


def test_a_store_that_refuses_the_rule_is_one_line_in_the_log(
    s3_stack: Stack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Something that this server answers as others answer the rule itself: not implemented.
    monkeypatch.setitem(RULE, "Transitions", [{"Days": 3, "StorageClass": "GLACIER"}])
    with caplog.at_level("WARNING", "deployments.bucket"):
        prepare_bucket("s3://hotfixr/refused")
    (line,) = caplog.messages
    assert line == (
        "the store of bucket hotfixr refuses the rule that ends unfinished uploads (NotImplemented)"
    )


def test_a_bucket_that_cannot_be_made_is_one_sentence(
    s3_stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(StoreError, match=r"bucket hotfixr-new is not there and cannot be made \("):
        prepare_bucket("s3://hotfixr-new/store")
