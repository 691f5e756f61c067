"""A step that fails for good ends its parent, however often the parent is retried."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments.stack import Stack
from tests.flows.running import ParentRun, recipe
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
