"""How long a run may still take: from earlier runs, from its own pace, or unknown."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from flows.here import run_here
from flows.pipeline import pipeline
from tasks.artifacts.store import Store, open_store
from tasks.estimate import Cost, Estimate, Left, cost_of, duration, in_words
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tests.silent import Silent

SMALL: dict[str, Any] = {
    "benchmarks": [{"name": "sums", "items": 5}],
    "languages": ["en", "de"],
    "scoring.resamples": 20,
}


class Step(NamedTuple):
    label: str
    needs: tuple[str, ...] = ()
    pool: str = "cpu"
    step: str = "evaluate"
    role: str = "main"
    runs: int = 1


DIAMOND = [Step("a"), Step("b", ("a",)), Step("c", ("a",), "gpu"), Step("d", ("b", "c"))]


class Known(Estimate):
    """An estimate whose earlier costs are given."""

    def cost(self, one: Any) -> Cost:
        seconds: Mapping[str, float] = {"a": 95.0, "b": 10.0, "c": 25.0, "d": 5.0}
        return Cost(seconds.get(one.label), None)


def known(store: Store, slots: Mapping[str, int], planned: Any = DIAMOND) -> Known:
    return Known(store, "run", {}, planned, slots)


@pytest.mark.parametrize(
    ("done", "seconds"),
    [
        (set(), 100 + 30 + 10),  # the chain a, c, d, with 5 s until each begins
        ({"a"}, 30 + 10),
        ({"a", "c"}, 15 + 10),
        ({"a", "b", "c", "d"}, 0),
    ],
)
def test_what_is_left_is_the_longest_chain(
    file_store: Store, done: set[str], seconds: float
) -> None:
    assert known(file_store, {}).left(done) == Left(seconds, [])


def test_a_full_pool_takes_longer_than_any_chain(file_store: Store) -> None:
    many = [Step(label, pool="gpu") for label in "abcd"]
    assert known(file_store, {"gpu": 1}, many).left(()).seconds == 100 + 15 + 30 + 10
    assert known(file_store, {"gpu": 2}, many).left(()).seconds == 100


def test_runs_that_share_a_step_share_its_time(file_store: Store) -> None:
    shared = [Step("a", runs=4), Step("b", ("a",))]
    assert known(file_store, {}, shared).left(()).seconds == 25 + 15
    assert known(file_store, {"cpu": 2}, shared).left(()).seconds == (100 + 15) / 2


def test_a_running_step_counts_by_what_it_has_left(file_store: Store) -> None:
    estimate = known(file_store, {})
    estimate.note("a", 0.8)
    assert estimate.left(()).seconds == pytest.approx(95 * 0.2 + 30 + 10)
    assert estimate.share(()) == pytest.approx(0.8 / 4)
    assert estimate.share({"a"}) == 1 / 4


def test_the_pace_of_a_step_says_more_than_an_earlier_run(file_store: Store) -> None:
    estimate = known(file_store, {}, [Step("a"), Step("never before")])
    started = time.monotonic()
    estimate.note("a", 0.0)
    estimate.note("never before", 0.5)
    estimate.note("a", 0.5)
    left = estimate.left(())
    assert left.unknown == ["never before"]  # it has not moved since it was first seen
    assert left.seconds <= time.monotonic() - started
    estimate.note("never before", 0.75)
    assert estimate.left(()).unknown == []
    estimate.note("a", 0.0)  # it started anew
    assert estimate.left(()).seconds == 95


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (Left(0.0, []), "about 10 s left"),
        (Left(42.0, []), "about 40 s left"),
        (Left(700.0, []), "about 12 min left"),
        (Left(9000.0, ["score"]), "about 2.5 h left and score of unknown time"),
        (Left(700.0, ["score", "report"]), "about 12 min left and 2 steps of unknown time"),
        (Left(0.0, ["score"]), "time left unknown"),
    ],
)
def test_nothing_is_made_up(left: Left, said: str) -> None:
    assert in_words(left) == said


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str]:
    store = open_store(f"file://{tmp_path_factory.mktemp('earlier')}")
    return store, run_here(store, read_recipe("simulated", SMALL), Silent())


def estimate_of(store: Store, changes: Mapping[str, Any]) -> Estimate:
    recipe = read_recipe("simulated", SMALL | dict(changes))
    return Estimate(store, "next", recipe.model_dump(mode="json"), pipeline(recipe), {})


@pytest.mark.parametrize("changes", [{}, {"seed": 8}, {"description": "again"}])
def test_a_run_with_the_same_settings_is_gone_by(
    earlier: tuple[Store, str], changes: Mapping[str, Any]
) -> None:
    store, run = earlier
    evaluated = recorded_step(store, run, "evaluate", "base")
    assert evaluated is not None
    estimate = estimate_of(store, changes)
    cost = next(estimate.cost(one) for one in estimate.planned if one.step == "evaluate")
    assert cost == cost_of(evaluated.manifest) and cost.tokens is not None and cost.tokens > 0
    assert estimate.left(()).unknown == [] and estimate.left(()).seconds > 0


def test_other_settings_are_not_compared(earlier: tuple[Store, str]) -> None:
    estimate = estimate_of(earlier[0], {"evaluation.samples": 11})
    assert estimate.left(()) == Left(0.0, [one.label for one in estimate.planned])


def test_durations_are_as_people_say_them() -> None:
    assert [duration(one) for one in (0, 14, 89, 91, 3000, 5400)] == [
        "10 s", "10 s", "90 s", "2 min", "50 min", "1.5 h",
    ]  # fmt: skip
