"""A person switches a schedule on, and nobody switches it off behind their back."""

from __future__ import annotations

import pytest

from deployments.bootstrap import deploy_all
from tests.flows.running import client
from tests.ui.person import Person
from tests.waiting import wait_for

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


def test_a_schedule_is_switched_on_and_stays_so_over_a_redeploy(person: Person) -> None:
    browser = person.browser

    def active() -> bool:
        with client() as api:
            [schedule] = api.read_deployment_by_name("hotfixr/weekly").schedules
        return schedule.active

    assert not active()
    with client() as api:
        weekly = api.read_deployment_by_name("hotfixr/weekly")
    browser.open(f"{person.stack.ui}/v2/deployments/deployment/{weekly.id}")
    browser.sees("At 02:00 AM, only on Saturday")
    browser.click_at("[role=switch]")
    wait_for(active, "the schedule to be switched on")
    deploy_all()
    assert active()
    browser.open(browser.address())
    browser.sees("At 02:00 AM, only on Saturday")
    person.picture("schedule")
    browser.click_at("[role=switch]")
    wait_for(lambda: not active(), "the schedule to be switched off")
