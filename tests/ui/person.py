"""What people do in the Prefect UI, in the words that they see there."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterId
from prefect.client.schemas.sorting import FlowRunSort

from deployments.stack import Stack
from tests.flows.running import client
from tests.ui.browser import Browser
from tests.waiting import wait_for


class Person:
    """One browser that is logged in."""

    def __init__(self, browser: Browser, stack: Stack, pictures: Path | None) -> None:
        self.browser, self.stack, self.pictures = browser, stack, pictures
        browser.size(1000)
        browser.open(stack.ui)
        self.log_in()

    def log_in(self) -> None:
        """Type the authentication string where it is asked for."""
        self.browser.sees("Login")
        self.browser.click_at("input")
        self.browser.type(self.stack.settings["prefect_auth"])
        self.browser.click("Login", "button")
        self.browser.sees("Dashboard")

    def picture(self, name: str) -> None:
        """Keep what is shown, if pictures are wanted."""
        if self.pictures is not None:
            self.browser.picture(self.pictures / f"{name}.png")

    def open_form(self, deployment: str) -> None:
        """From the list of deployments to the form of one."""
        with client() as api:
            found = api.read_deployment_by_name(deployment)
        self.browser.click("Deployments", "a")
        self.browser.sees(found.name)
        self.browser.click_at(f"a[href*='deployments/deployment/{found.id}']")
        self.browser.click("Run", "button")
        self.browser.click("Custom run", "[role=menuitem]")
        self.browser.sees("recipe (Optional)")

    def choose(self, present: str, wanted: str) -> None:
        """Another value from a menu of which one shows what is chosen."""
        self.browser.click(present, "button")
        self.browser.click(wanted)

    def submit(self, deployment: str) -> UUID:
        """Press Submit; the run that begins."""
        before = self._runs(deployment)
        self.press("Submit", "recipe (Optional)")
        return wait_for(
            lambda: next(iter(self._runs(deployment) - before), None), "a run of what was submitted"
        )

    def _runs(self, deployment: str) -> set[UUID]:
        with client() as api:
            found = api.read_deployment_by_name(deployment)
            only = DeploymentFilter(id=DeploymentFilterId(any_=[found.id]))
            runs = api.read_flow_runs(
                deployment_filter=only, sort=FlowRunSort.EXPECTED_START_TIME_DESC
            )
        return {run.id for run in runs}

    def press(self, button: str, leaving: str) -> None:
        """Press a button until what it ends has left the page.

        Prefect on SQLite refuses a change of state now and then while others write (database is
        locked), which the page does not say; people press again.
        """
        for _ in range(4):
            self.browser.click(button, "button")
            if self.browser.left(leaving, 8):
                return
        raise AssertionError(f"{button} does nothing; the page says: {self.browser.text()[:2500]}")

    def open_run(self, run: UUID) -> None:
        """The page of a run."""
        self.browser.open(f"{self.stack.ui}/v2/runs/flow-run/{run}")
        self.browser.sees("Task Runs")

    def menu(self, item: str) -> None:
        """Something from the menu of the run that is open."""
        self.browser.click("Open menu", "button")
        self.browser.click(item, "[role=menuitem]")
