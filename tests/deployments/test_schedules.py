"""Schedules: off until a person switches them on, kept over a redeploy, never two runs at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterId
from prefect.client.schemas.objects import DeploymentSchedule, FlowRun
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule
from prefect.deployments import run_deployment

from deployments.bootstrap import deploy_all
from deployments.stack import Stack
from tests.flows.running import ParentRun, attempts, client
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(500)
NIGHTLY, WEEKLY = "benchmark-models/nightly", "hotfixr/weekly"
SMALL: dict[str, Any] = {
    "recipe": "simulated-models",
    "models": ["elm-2b"],
    "languages": ["en", "de"],
    "items": 8,
    "settings": ["benchmarks=[{name: sums}]", "scoring.languages=[]", "scoring.resamples=20"],
}


def deployment(name: str) -> DeploymentResponse:
    with client() as api:
        return api.read_deployment_by_name(name)


def schedule(name: str) -> DeploymentSchedule:
    [found] = deployment(name).schedules
    return found


def runs(name: str) -> list[FlowRun]:
    only = DeploymentFilter(id=DeploymentFilterId(any_=[deployment(name).id]))
    with client() as api:
        return api.read_flow_runs(deployment_filter=only)


def change(path: str, **changes: Any) -> None:
    """What the switch and the form of a schedule send."""
    with client() as api:
        api.request("PATCH", f"/deployments/{path}", json=changes)


@pytest.fixture
def small(stack: Stack) -> Iterator[DeploymentResponse]:
    """The nightly deployment with defaults that take seconds, and with its own ones afterwards."""
    before = deployment(NIGHTLY)
    with client() as api:
        api.update_deployment(before.id, DeploymentUpdate(parameters=SMALL))
        yield before
        api.update_deployment(before.id, DeploymentUpdate(parameters=before.parameters))


@pytest.mark.parametrize(("name", "slug"), [(WEEKLY, "weekly"), (NIGHTLY, "nightly")])
def test_a_schedule_is_off_at_first_and_allows_one_run(stack: Stack, name: str, slug: str) -> None:
    found, its = deployment(name), schedule(name)
    assert (its.slug, its.active) == (slug, False)
    assert isinstance(its.schedule, CronSchedule) and its.schedule.timezone == "Etc/UTC"
    assert found.global_concurrency_limit is not None and found.global_concurrency_limit.limit == 1
    assert found.concurrency_options is not None
    assert found.concurrency_options.collision_strategy == "CANCEL_NEW"
    assert runs(name) == []


def test_what_a_person_chose_survives_a_redeploy(stack: Stack) -> None:
    found, its = deployment(WEEKLY), schedule(WEEKLY)
    at_noon = {"cron": "0 12 * * 6", "timezone": "Europe/Berlin"}
    change(f"{found.id}/schedules/{its.id}", active=True, schedule=at_noon)
    mine = {"recipe": "smoke", "name": "of mine"}
    with client() as api:
        api.update_deployment(found.id, DeploymentUpdate(parameters=mine, concurrency_limit=2))
        own = DeploymentScheduleCreate(schedule=CronSchedule(cron="0 3 1 * *"), active=False)
        api.create_deployment_schedules(found.id, [(own.schedule, False)])
    try:
        deploy_all()
        after = deployment(WEEKLY)
        ours = next(one for one in after.schedules if one.slug == "weekly")
        assert ours.id == its.id and ours.active
        assert isinstance(ours.schedule, CronSchedule)
        assert (ours.schedule.cron, ours.schedule.timezone) == ("0 12 * * 6", "Europe/Berlin")
        assert len(after.schedules) == 2  # one that a person made stays, too
        assert after.parameters == mine
        assert after.global_concurrency_limit is not None
        assert after.global_concurrency_limit.limit == 2
    finally:
        with client() as api:
            api.delete_deployment(found.id)
        deploy_all()
    assert not schedule(WEEKLY).active and deployment(WEEKLY).parameters == found.parameters


def test_what_is_due_while_another_runs_is_cancelled_and_loses_nothing(
    small: DeploymentResponse,
) -> None:
    due = [ParentRun.of(run_deployment(NIGHTLY, timeout=0)) for _ in range(3)]

    def settled() -> list[FlowRun]:
        now = [one.read() for one in due]
        return now if all(run.state is not None and run.state.is_final() for run in now) else []

    # Which of three that are due at once begins is the worker's choice; that one does is not.
    ends = wait_for(settled, "one completed run and two cancelled ones", 400)
    states = sorted((run.state for run in ends if run.state), key=lambda state: state.type.value)
    assert [state.type.value for state in states] == ["CANCELLED", "CANCELLED", "COMPLETED"]
    for state in states[:2]:
        assert "concurrency limit" in str(state.message).lower()


def test_a_short_interval_gives_a_second_run_that_reuses_the_first(
    small: DeploymentResponse,
) -> None:
    with client() as api:
        every = IntervalSchedule(
            interval=timedelta(seconds=60), anchor_date=datetime.now(UTC) + timedelta(seconds=5)
        )
        [made] = api.create_deployment_schedules(small.id, [(every, True)])
    known = {run.id for run in runs(NIGHTLY)}

    def completed() -> list[FlowRun]:
        new = [run for run in runs(NIGHTLY) if run.id not in known]
        done = [run for run in new if run.state_name == "Completed"]
        return sorted(done, key=lambda run: str(run.start_time)) if len(done) >= 2 else []

    try:
        first, second = map(ParentRun.of, wait_for(completed, "two runs", 400)[:2])
    finally:
        with client() as api:
            api.delete_deployment_schedule(small.id, made.id)
    assert second.children() == []
    for step, role in [("prepare-data", "main"), ("evaluate", "elm-2b"), ("report", "main")]:
        assert attempts(second.run, step, role) == attempts(first.run, step, role) != {}
    # Switched off, it leaves nothing that would still begin.
    wait_for(lambda: not [run for run in runs(NIGHTLY) if run.auto_scheduled and run.state_type
                          and run.state_type.value == "SCHEDULED"], "an empty agenda")  # fmt: skip
