"""Everything here breaks things on purpose, for minutes: its own marker, script and budget."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deployments.stack import Stack
from tasks.models.simulated import PACE
from tests.faults.proxy import FaultyProxy

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.faults)


@contextmanager
def paced() -> Iterator[None]:
    """Workers that are started in here play models slowly enough to be hit in the middle."""
    os.environ[PACE] = "200"
    try:
        yield
    finally:
        del os.environ[PACE]


@pytest.fixture(scope="session")
def stack(s3_stack: Stack) -> Stack:
    """The whole stack, with slow simulated models."""
    with paced():
        s3_stack.up()
    return s3_stack


@pytest.fixture
def proxy(s3_stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """The S3 server behind a network that does what the test says; ours for this test."""
    with FaultyProxy(int(s3_stack.settings["s3"])) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        yield proxy
