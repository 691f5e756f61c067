"""From the form of a deployment to its report, as a person does it who has never seen the code."""

from __future__ import annotations

import secrets
from uuid import UUID

import httpx
import pytest

from tasks.runs import read_run
from tests.flows.running import client, store
from tests.ui.person import Person
from tests.waiting import wait_for

ITEMS = 6
pytestmark = [pytest.mark.timeout(600), pytest.mark.browser]
FIELDS = (
    "recipe", "name", "student", "languages", "samples", "items", "seed", "settings", "force",
    "approve",
)  # fmt: skip


@pytest.fixture(scope="module")
def started(person: Person) -> UUID:
    """A run that was started from the form, of another recipe and with values of its own."""
    browser = person.browser
    person.open_form("hotfixr/control")
    # For the pictures every step; otherwise the few that need no model.
    person.choose("quickstart", "smoke" if person.pictures else "simulated")
    browser.fill("items", str(ITEMS))
    browser.fill("seed", str(secrets.randbelow(10**6)))  # nothing of it was ever computed
    browser.size(1700)
    person.picture("form")
    browser.size(1000)
    return person.submit("hotfixr/control")


def name_of(run: UUID) -> str:
    with client() as api:
        return api.read_flow_run(run).name


@pytest.mark.parametrize(
    ("deployment", "own"), [("hotfixr/control", "student"), ("benchmark-models/control", "models")]
)
def test_a_form_is_flat_described_and_in_order(person: Person, deployment: str, own: str) -> None:
    person.open_form(deployment)
    shown = person.browser.text().split(" (Optional)\n")
    fields = [before.split("\n")[-1] for before in shown[:-1]]
    assert fields == [own if field == "student" else field for field in FIELDS]
    assert all(len(after.strip().split("\n")[0]) > 20 for after in shown[1:])  # its description


def test_a_recipe_is_chosen_from_a_menu_or_written_as_an_address(person: Person) -> None:
    browser = person.browser
    person.open_form("hotfixr/control")
    browser.click("quickstart", "button")
    for name in ("mgsm", "simulated", "smoke"):
        browser.sees(name)
    browser.click("smoke")
    browser.click("path or URI", "button")
    browser.sees("path or URI")
    browser.click_at("textarea")
    browser.type("s3://hotfixr/recipes/none-such.yaml")
    run = person.submit("hotfixr/control")

    def refused() -> str:
        with client() as api:
            state = api.read_flow_run(run).state
        return str(state.message) if state is not None and state.is_failed() else ""

    assert "no recipe at s3://hotfixr/recipes/none-such.yaml" in wait_for(refused, "a refusal", 90)


def test_a_run_is_followed_to_its_end(person: Person, started: UUID) -> None:
    browser = person.browser
    wait_for(lambda: name_of(started).startswith("20"), "the run's name", 120)
    person.open_run(started)
    browser.sees("Running", 120)

    def bar_moves() -> bool:
        person.open_run(started)  # the page shows an artifact as it was when it was opened
        browser.click("Artifacts", "[role=tab]")
        return browser.sees_soon("steps, ", 5)

    wait_for(bar_moves, "the bar to move", 120)
    browser.sees("Completed", 500)
    assert read_run(store(), name_of(started)).recipe["benchmarks"][0]["items"] == ITEMS


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("summary", "mean over targets"),
        ("scores", "source_accuracy"),
        ("report", "Open the report"),
    ],
)
def test_its_artifacts_open(person: Person, started: UUID, key: str, shown: str) -> None:
    browser = person.browser
    person.open_run(started)
    browser.sees("Completed", 60)
    browser.click("Artifacts", "[role=tab]")
    browser.sees("Means over target languages")
    if key == "summary":
        person.picture("run")
    browser.click_text_within(f"{key}-", "a")
    browser.sees(shown)
    browser.sees(name_of(started))
    if key == "scores":
        person.picture("scores")


def test_the_report_is_served_with_its_figures(person: Person, started: UUID) -> None:
    browser = person.browser
    person.open_run(started)
    browser.sees("Completed", 60)
    browser.click("Artifacts", "[role=tab]")
    browser.click_text_within("report-", "a")
    browser.sees("Open the report")
    link = browser.evaluate("[...document.links].find(a => a.innerText == 'Open the report').href")
    assert str(link).startswith(person.stack.reports)
    browser.problems.clear()  # Prefect's own pages have some; ours must have none
    browser.open(str(link))
    browser.sees("target", 60)
    wait_for(lambda: browser.evaluate("document.querySelectorAll('svg').length") > 0, "a figure")
    assert browser.problems == []


def test_nobody_comes_in_without_the_string(person: Person) -> None:
    asked = f"{person.stack.ui}/api/flow_runs/filter"
    assert httpx.post(asked, json={}).status_code == 401
    assert httpx.post(asked, json={}, auth=("hotfixr", "wrong")).status_code == 401
