"""The smoke recipe through a real server and real workers."""

import pytest
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import StateType

from deployments.stack import Stack
from tasks.runs import report_path
from tests.flows.running import ParentRun, attempts, client, recipe, store

pytestmark = pytest.mark.timeout(600)
STEPS = {
    "prepare-data", "prepare-models", "evaluate-base", "train-generator", "generate-questions",
    "label-questions", "train-student", "evaluate-student", "score", "report",
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> tuple[ParentRun, str]:
    """A completed run of the smoke recipe, and the recipe's path."""
    path = recipe(tmp_path_factory.mktemp("recipes"), "smoke", name="dispatched", seed=1)
    parent = ParentRun(path)
    parent.wait()
    return parent, path


def test_every_step_is_one_named_and_tagged_run(finished: tuple[ParentRun, str]) -> None:
    parent, _ = finished
    children = parent.children()
    assert {child.name.split(" of ")[0] for child in children} == STEPS
    assert len(children) == len(STEPS)
    for child in children:
        assert {f"run:{parent.run}", "student:bundled:tiny-random", "seed:1"} <= set(child.tags)
        assert child.state_type == StateType.COMPLETED


def test_a_step_run_shows_resolve_compute_publish(finished: tuple[ParentRun, str]) -> None:
    parent, _ = finished
    child = parent.child("train-student")
    assert child is not None
    only = FlowRunFilter(id=FlowRunFilterId(any_=[child.id]))
    with client() as api:
        tasks = api.read_task_runs(flow_run_filter=only)
    assert {task.name.split("-")[0] for task in tasks} == {"resolve", "compute", "publish"}


def test_the_report_lies_where_people_look(finished: tuple[ParentRun, str]) -> None:
    parent, _ = finished
    page = store().get(report_path(store(), parent.run))
    assert page is not None and b"<html" in page.data[:500].lower()


def test_the_same_recipe_again_dispatches_nothing(finished: tuple[ParentRun, str]) -> None:
    first, path = finished
    again = ParentRun(path)
    again.wait()
    assert again.run != first.run
    assert again.children() == []
    for step, role in [("evaluate", "student"), ("train-student", "main"), ("report", "main")]:
        assert attempts(again.run, step, role) == attempts(first.run, step, role)


def test_force_recomputes_the_step_and_exactly_what_reads_it(
    finished: tuple[ParentRun, str],
) -> None:
    first, path = finished
    forced = ParentRun(path, force=["train-student"])
    forced.wait()
    done = {child.name.split(" of ")[0] for child in forced.children()}
    assert done == {"train-student", "evaluate-student", "score", "report"}
    assert attempts(forced.run, "train-student") != attempts(first.run, "train-student")
    for step, role in [("evaluate", "base"), ("train-generator", "main")]:
        assert attempts(forced.run, step, role) == attempts(first.run, step, role)
