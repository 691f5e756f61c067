"""A run that stops until a person has seen its plan, and later its questions."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import StateType
from prefect.states import Cancelling

from tests.flows.running import ParentRun, client, processes, recipe
from tests.ui.person import Person
from tests.waiting import wait_for

pytestmark = [pytest.mark.timeout(600), pytest.mark.browser]


def stopped(parent: ParentRun, what: str) -> None:
    """Wait until the run is suspended for this: it holds no process and no slot of a worker."""
    wait_for(
        lambda: parent.read().state_name == "Suspended" and f"approve the {what}" in bar(parent),
        f"the stop before the {what}",
        300,
    )
    wait_for(lambda: not processes("prefect.engine", str(parent.id)), "the end of its process")


def test_a_plan_and_its_questions_are_approved_before_more_is_spent(
    person: Person, tmp_path: Path
) -> None:
    unseen = secrets.randbelow(10**6)
    path = recipe(tmp_path, "smoke", name="approved", seed=unseen)
    parent = ParentRun(path, approve="both")
    stopped(parent, "plan")
    assert parent.children() == []
    resume(person, parent, "Go on past the plan?", "evaluate-base")
    stopped(parent, "questions")
    begun = {child.name.split(" of ")[0] for child in parent.children()}
    assert "generate-questions" in begun and "evaluate-base" in begun
    assert not begun & {"label-questions", "train-student", "evaluate-student"}
    assert all(child.state_type == StateType.COMPLETED for child in parent.children())
    resume(person, parent, "Go on past the questions?", "label-questions")
    wait_for(lambda: parent.child("label-questions"), "the step that was waiting", 120)
    assert {child.run_count for child in parent.children() if "label" not in child.name} == {1}

    # Cancelled with its children and retried, it asks nobody again and revives nothing.
    with client() as api:
        api.set_flow_run_state(parent.id, Cancelling())
    parent.wait("CANCELLED")
    parent.retry(parent.id)
    parent.wait("FAILED")
    state = parent.read().state
    assert state is not None and "label-questions" in str(state.message)
    assert "a person cancelled it" in str(state.message)


def resume(person: Person, parent: ParentRun, title: str, shown: str) -> None:
    """Read what there is to approve, then press Resume."""
    browser = person.browser
    person.open_run(parent.id)
    browser.sees("Suspended")
    browser.click("Artifacts", "[role=tab]")
    browser.sees("What a person is asked to approve")
    person.menu("Resume")
    browser.sees(title)
    assert shown in browser.text() and "tokens" in browser.text()
    person.picture(title.split(" ")[-1].strip("?"))
    person.press("Resume", "Provide input to resume")


def bar(parent: ParentRun) -> str:
    """What stands beside the progress bar of a run, which has one only; empty before that."""
    only = FlowRunFilter(id=FlowRunFilterId(any_=[parent.id]))
    with client() as api:
        found = api.read_artifacts(flow_run_filter=only)
    bars = [one for one in found if one.type == "progress"]
    assert len(bars) <= 1
    return str(bars[0].description) if bars else ""
