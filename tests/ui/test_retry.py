"""A person finds the step that failed, mends what it says, and presses Retry on that run alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments.stack import Stack
from tests.flows.running import worker_that_knows
from tests.flows.test_rerun import ASKED, failed_for_want_of_an_address
from tests.models.endpoint_server import said, serving
from tests.ui.person import Person
from tests.waiting import wait_for

pytestmark = [pytest.mark.timeout(500), pytest.mark.browser]


def test_a_failed_step_is_retried_on_its_own_run_and_the_parent_goes_on(
    person: Person, stack: Stack, tmp_path: Path
) -> None:
    browser = person.browser
    parent, failed, _ = failed_for_want_of_an_address(tmp_path, "retried")
    before = {run.id: run.run_count for run in parent.children()}
    person.open_run(parent.id)
    browser.sees("evaluate-lab")
    browser.click("Subflow Runs", "[role=tab]")
    browser.sees("Failed")
    person.picture("failed-run")
    person.open_run(failed.id)
    browser.sees("HOTFIXR_ENDPOINT_LAB_URL")
    browser.click("Task Runs", "[role=tab]")
    with serving() as server, worker_that_knows(stack, server.environment()):
        server.answer = lambda body: said("A")
        person.menu("Retry")
        browser.sees("Retry Flow Run")
        person.picture("retry")
        person.press("Retry", "Retry Flow Run")
        wait_for(lambda: parent.read(failed.id).state_name != "Failed", "the retry to be taken")
        parent.wait("COMPLETED", 90, failed.id)
        wait_for(lambda: parent.read().run_count > 1, "the parent's second attempt", 120)
        parent.wait()
        assert len(server.bodies) == ASKED
    after = {run.id: run.run_count for run in parent.children()}
    assert {run: after[run] for run in before} == before | {failed.id: 2}
    person.open_run(parent.id)
    browser.sees("Completed")
    browser.click("Subflow Runs", "[role=tab]")
    browser.sees("report")
    person.picture("retried-run")
