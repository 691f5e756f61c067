"""A step that fails for good ends its parent, however often the parent is retried."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.objects import State
from prefect.states import Crashed, Failed

from deployments.stack import Stack
from flows.dispatch import Child, Dispatch
from flows.pipeline import Node
from flows.steps import score
from tests.flows.running import ParentRun, client, recipe, store
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(300)
NO_DEVICE = {"engine": "transformers", "dtype": "float32", "device": "cuda"}


def test_a_retried_parent_asks_a_failing_step_once_more_and_ends(
    stack: Stack, tmp_path: Path
) -> None:
    path = recipe(tmp_path, "smoke", name="nodevice", methods=["base"], machine=NO_DEVICE)
    parent = ParentRun(path)
    parent.wait("FAILED")
    child = parent.child("evaluate-base")
    assert child is not None and child.run_count == 1
    first = parent.read()
    assert first.state is not None and "finds no GPU here" in str(first.state.message)
    parent.retry(parent.id)
    wait_for(lambda: parent.read().run_count > first.run_count, "the parent's second attempt")
    parent.wait("FAILED")
    again = parent.child("evaluate-base")
    assert again is not None and again.id == child.id and again.run_count == 2


def following(api: SyncPrefectClient) -> tuple[Dispatch, Child]:
    """A parent and its child, whose run is of no deployment: no worker takes it."""
    nothing = cast(Any, None)
    child = Child(Node("score", "main", (), lambda done: nothing), 1, api.create_flow_run(score))
    parent = Dispatch(store(), api, "late", child.run.id, [], nothing, nothing, nothing)
    parent.live[child.node.label] = [child]
    return parent, child


def after(state: State[Any], api: SyncPrefectClient, parent: Dispatch, child: Child) -> str | None:
    """How the child stands after this state and the parent's look at it."""
    api.set_flow_run_state(child.run.id, state, force=True)
    parent._look_at(child, api.read_flow_run(child.run.id))
    return api.read_flow_run(child.run.id).state_name


def test_a_late_report_of_an_old_crash_undoes_no_retry_but_a_second_one_is_believed(
    stack: Stack,
) -> None:
    with client() as api:
        parent, child = following(api)
        api.set_flow_run_state(child.run.id, Crashed(), force=True)
        parent._adopt(child)
        assert after(Crashed(), api, parent, child) == "AwaitingRetry"
        assert not parent.failures
        assert after(Crashed(message="out of memory"), api, parent, child) == "Crashed"
    assert len(parent.failures) == 1 and "out of memory" in parent.failures[0]


def test_a_retry_that_fails_at_once_is_not_asked_for_again(stack: Stack) -> None:
    with client() as api:
        parent, child = following(api)
        api.set_flow_run_state(child.run.id, Failed(message="no such bucket"), force=True)
        parent._adopt(child)
        assert after(Failed(message="no such bucket"), api, parent, child) == "Failed"
    assert len(parent.failures) == 1 and "no such bucket" in parent.failures[0]
