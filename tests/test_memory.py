"""An evaluation's memory does not grow with the number of its items."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FEW, MANY = 1_000, 8_000  # items, ten samples each, in two languages
ALLOWED = 50  # MiB: the items themselves; answers that are all held take several hundred

EVALUATE = """
import resource, sys
from tasks.artifacts.parts import publish_table
from tasks.artifacts.store import open_store
from tasks.benchmarks import load_items
from tasks.compute.step import Silent, Work, complete
from tasks.evaluate import STEP, Evaluate
from tasks.models.machine import EngineSettings
from tasks.recipe import Evaluation

count, folder = int(sys.argv[1]), sys.argv[2]
store = open_store(f"file://{folder}")
items = {
    f"sums/{code}": publish_table(
        store, "prepare-data", f"items/sums/{code}", f"{at:064}",
        load_items("sums", "bundled", code, count).items, {},
    )
    for at, code in enumerate(("en", "de"))
}
engine = EngineSettings(
    engine="simulated", dtype="float32", device="cpu", profile="base"
)
settings = Evaluation(samples=10, form="completion", few_shot=3)
spec = Evaluate(label="base", model=None, items=items, engine=engine, settings=settings)
made = complete(Work(store, STEP, Silent()), spec).parts
assert made["grades/sums/de"].facts["rows"] == 10 * count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.timeout(300)
def test_memory_does_not_grow_with_the_items(tmp_path: Path) -> None:
    peaks = {}
    for count in (FEW, MANY):
        command = [sys.executable, "-c", EVALUATE, str(count), str(tmp_path / str(count))]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks[count] = int(done.stdout)
    assert peaks[MANY] - peaks[FEW] < ALLOWED, peaks
