"""SIGKILL of the compute process, wherever it happens to be."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

import pytest

from flows.pipeline import Node
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store, open_store
from tasks.errors import ComputeCrashed
from tests.faults.mini import killed_after, mini, scores, step_by_step

pytestmark = pytest.mark.timeout(900)
KILLS = 20
IN_CHILD = {
    "prepare-models", "train-generator", "generate-questions", "label-questions",
    "train-student", "evaluate-base", "evaluate-student",
}  # fmt: skip


def timed(store: Store) -> tuple[dict[str, float], list[dict[str, object]]]:
    """Seconds of each step of an undisturbed run, and its scores."""
    seconds: dict[str, float] = {}

    def through(node: Node, call: Callable[..., Manifest]) -> Manifest:
        began = time.monotonic()
        manifest = call()
        seconds[node.label] = time.monotonic() - began
        return manifest

    run = step_by_step(store, mini(), through)
    return {label: seconds[label] for label in seconds if label in IN_CHILD}, scores(store, run)


def test_twenty_kills_at_random_moments_lose_nothing(s3_store: Store) -> None:
    seconds, expected = timed(s3_store)
    store = open_store(f"{s3_store.uri}/hurt")
    draw = random.Random(20)
    chosen = draw.choices([*seconds], [*seconds.values()], k=KILLS)
    kills = {label: [draw.random() for _ in range(n)] for label, n in Counter(chosen).items()}
    hit: Counter[str] = Counter()

    def through(node: Node, call: Callable[..., Manifest]) -> Manifest:
        force = False
        for share in kills.get(node.label, ()):
            moment = share * seconds[node.label]
            while not killed_at(moment, lambda force=force: call(force=force)):
                # It was done before: what stands is computed again, to be hit in that.
                force, moment = True, moment * 0.7
            hit[node.label] += 1
        return call()

    run = step_by_step(store, mini(), through)
    assert hit.total() == KILLS
    assert scores(store, run) == expected
    assert not [path for path in store.list("parts") if path.endswith("/claim.json")]


def killed_at(moment: float, call: Callable[[], Manifest]) -> bool:
    with killed_after(moment) as hit:
        try:
            call()
        except ComputeCrashed as error:
            assert hit and "SIGKILL" in str(error)
            return True
    return False
