"""Everything here breaks things on purpose, for minutes: its own marker, script and budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployments.stack import Stack
from tests.faults.proxy import FaultyProxy

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.faults)


@pytest.fixture
def proxy(s3_stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """The S3 server behind a network that does what the test says; ours for this test."""
    with FaultyProxy(int(s3_stack.settings["s3"])) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        yield proxy
