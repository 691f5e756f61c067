"""A step that is ended by others leaves nothing claimed, so that nobody has to wait for it."""

from __future__ import annotations

import pytest

from flows.here import run_here
from tasks.artifacts.store import Store
from tasks.errors import StepCancelled
from tasks.models.simulated import PACE
from tasks.read_recipe import read_recipe
from tasks.run_step import compute
from tasks.runs import recorded_step
from tests.silent import Silent

pytestmark = pytest.mark.timeout(200)
SMALL = {
    "languages": ["en", "de"],
    "benchmarks": [{"name": "sums", "items": 10}],
    "scoring": {"resamples": 20},
}


def test_an_ended_step_gives_back_even_the_claims_of_parts_that_force_makes_anew(
    file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_here(file_store, read_recipe("simulated", SMALL), Silent())
    before = recorded_step(file_store, run, "evaluate", "base")
    assert before is not None

    def claimed() -> list[str]:
        return [path for path in file_store.list("parts/evaluate") if path.endswith("claim.json")]

    assert not claimed()
    monkeypatch.setenv(PACE, "1")  # it would take minutes
    with pytest.raises(StepCancelled):
        compute(
            file_store, "evaluate", before.spec, Silent(), force=True,
            should_stop=lambda: bool(claimed()),
        )  # fmt: skip
    assert not claimed()
    monkeypatch.delenv(PACE)
    again = compute(file_store, "evaluate", before.spec, Silent(), force=True)
    for name, part in again.parts.items():
        assert part.attempt != before.manifest.parts[name].attempt
