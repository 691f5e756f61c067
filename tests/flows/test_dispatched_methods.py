"""compare-methods through a real server: two students as they are, asked in two ways."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from deployments.stack import Stack
from tests.flows.running import ParentRun, client, recipe, store

pytestmark = pytest.mark.timeout(600)
TWO = [
    {"name": "one", "model": "bundled:tiny-random"},
    {"name": "other", "model": "bundled:tiny-random"},
]


def test_a_comparison_of_methods_links_to_its_page(stack: Stack, tmp_path: Path) -> None:
    path = recipe(
        tmp_path,
        "methods",
        name="two-students",
        student="",
        students=TWO,
        methods=["base", "eng-reason"],
        benchmarks=[{"name": "facts", "items": 3}],
        languages=["en", "fr", "de"],
    )
    parent = ParentRun(path, "compare-methods/control")
    parent.wait(seconds=400)
    assert store().get(f"runs/{parent.run}/report/methods.html") is not None
    keys = ArtifactFilter(key=ArtifactFilterKey(any_=["methods-two-students"]))
    with client() as api:
        (link,) = api.read_artifacts(artifact_filter=keys)
    assert f"{parent.run}/report/methods.html" in str(link.data)
