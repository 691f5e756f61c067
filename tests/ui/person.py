"""What people do in the Prefect UI, in the words that they see there."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

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
        before = {run for run, _ in self._runs(deployment)}
        self.browser.click("Submit", "button")
        return wait_for(
            lambda: next((run for run, _ in self._runs(deployment) if run not in before), None),
            "a run of what was submitted",
        )

    def _runs(self, deployment: str) -> list[tuple[UUID, str]]:
        with client() as api:
            found = api.read_deployment_by_name(deployment)
            runs = api.read_flow_runs()
        return [(run.id, run.name) for run in runs if run.deployment_id == found.id]

    def open_run(self, run: UUID) -> None:
        """The page of a run."""
        self.browser.open(f"{self.stack.ui}/v2/runs/flow-run/{run}")
        self.browser.sees("Task Runs")

    def menu(self, item: str) -> None:
        """Something from the menu of the run that is open."""
        self.browser.click("Open menu", "button")
        self.browser.click(item, "[role=menuitem]")
