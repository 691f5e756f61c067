import threading
import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest
from pydantic import BaseModel

from tasks.artifacts.claims import Claims
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store
from tasks.compute.step import TOOK, Step, Work, complete, find_manifest
from tests.waiting import wait_for


class Squares(BaseModel):
    numbers: tuple[int, ...]
    version: int = 1


class Seen:
    """Counts what was computed, and remembers what was said."""

    def __init__(self) -> None:
        self.computed: list[str] = []
        self.said: list[str] = []

    def progress(self, done: int, total: int, what: str) -> None:
        self.said.append(what)


def squares(seen: Seen) -> Step:
    """A step of two waves: one part per number, then one part of their sum."""

    def plan(spec: Squares, done: Mapping[str, Part]) -> Mapping[str, Any]:
        parts = {f"square/{n}": {"version": spec.version, "number": n} for n in spec.numbers}
        if all(name in done for name in parts):
            return parts | {"sum": {"parts": {name: done[name] for name in parts}}}
        return parts

    def compute(spec: Squares, work: Work) -> None:
        for name in work.take(len(work.missing)):
            seen.computed.append(name)
            if name == "sum":
                parts = [work.done[f"square/{n}"] for n in spec.numbers]
                value = sum(read_table(work.store, part)["n"][0].as_py() for part in parts)
            else:
                value = int(name.split("/")[1]) ** 2
            work.publish_table(name, pa.table({"n": [value]}))

    return Step("squares", Squares, plan, compute, in_child=False)


def run(store: Store, spec: Squares, force: bool = False) -> tuple[Seen, int]:
    seen = Seen()
    manifest = complete(Work(store, squares(seen), seen, force), spec)
    return seen, read_table(store, manifest.parts["sum"])["n"][0].as_py()


def test_everything_is_computed_once(store: Store) -> None:
    seen, value = run(store, Squares(numbers=(1, 2, 3)))
    assert value == 14 and len(seen.computed) == 4
    again, value = run(store, Squares(numbers=(1, 2, 3)))
    assert value == 14 and again.computed == []


def test_a_further_part_costs_only_itself_and_what_reads_it(file_store: Store) -> None:
    run(file_store, Squares(numbers=(1, 2)))
    seen, value = run(file_store, Squares(numbers=(1, 2, 5)))
    assert value == 30 and seen.computed == ["square/5", "sum"]


def test_force_computes_everything_again(file_store: Store) -> None:
    run(file_store, Squares(numbers=(1, 2)))
    seen, value = run(file_store, Squares(numbers=(1, 2)), force=True)
    assert value == 5 and seen.computed == ["square/1", "square/2", "sum"]


def test_identical_bytes_mean_nothing_below_is_done_again(file_store: Store) -> None:
    run(file_store, Squares(numbers=(1, 2)))
    seen, _ = run(file_store, Squares(numbers=(1, 2), version=2))
    assert seen.computed == ["square/1", "square/2"]  # other digests, the same content


def test_a_manifest_of_older_code_does_not_count(file_store: Store) -> None:
    seen = Seen()
    step, spec = squares(seen), Squares(numbers=(1, 2))
    complete(Work(file_store, step, seen), spec)
    assert find_manifest(file_store, step, spec) is not None
    newer = Step(
        "squares",
        Squares,
        lambda spec, done: {name: [shape, "v2"] for name, shape in step.plan(spec, done).items()},
        step.compute,
    )
    assert find_manifest(file_store, newer, spec) is None


def test_two_workers_share_the_parts_and_do_none_twice(store: Store) -> None:
    spec = Squares(numbers=tuple(range(12)))
    workers = [Seen(), Seen()]
    barrier = threading.Barrier(2)

    def work(seen: Seen) -> None:
        step = squares(seen)

        def compute(spec: Squares, work: Work) -> None:
            # One part at a time, so that both get some.
            barrier.wait(30) if not seen.computed else None
            while names := work.take(1):
                work.missing = {name: key for name, key in work.missing.items()}
                seen.computed += names
                parts = [work.done.get(f"square/{n}") for n in spec.numbers]
                if names == ["sum"]:
                    value = sum(read_table(work.store, p)["n"][0].as_py() for p in parts if p)
                else:
                    value = int(names[0].split("/")[1]) ** 2
                work.publish_table(names[0], pa.table({"n": [value]}))

        complete(Work(store, Step("squares", Squares, step.plan, compute), seen), spec)

    threads = [threading.Thread(target=work, args=(seen,)) for seen in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    done = sorted(workers[0].computed + workers[1].computed)
    assert done == sorted({*done}) and len(done) == 13
    assert all(seen.computed for seen in workers)


def test_the_times_of_the_parts_add_up_to_the_time_of_the_step(file_store: Store) -> None:
    seen, spec = Seen(), Squares(numbers=(1, 2, 3))
    started = time.monotonic()
    manifest = complete(Work(file_store, squares(seen), seen), spec)
    took = [part.facts[TOOK] for part in manifest.parts.values()]
    assert len(took) == 4 and 0.0 <= sum(took) <= time.monotonic() - started + 0.02


def test_who_waits_says_for_what_and_for_whom(file_store: Store) -> None:
    spec, seen = Squares(numbers=(7,)), Seen()
    work = Work(file_store, squares(seen), seen)
    work.resolve(spec)
    [key] = work.missing.values()
    other = Claims(file_store, "the-other", refresh_every=0.1, patience=30)
    assert other.try_claim("squares", key)
    thread = threading.Thread(target=complete, args=(work, spec))
    thread.start()
    wait_for(lambda: seen.said, "a word about waiting")
    assert seen.said[0].startswith("waiting for square/7, claimed by the-other on ")
    assert " since 20" in seen.said[0]
    other.close()
    thread.join(30)
    assert seen.computed == ["square/7", "sum"]


def test_a_step_that_publishes_nothing_fails_loudly(file_store: Store) -> None:
    from tasks.errors import StepFailed

    seen = Seen()
    lazy = Step("squares", Squares, squares(seen).plan, lambda spec, work: work.take(1) and None)
    with pytest.raises(StepFailed, match="did not publish"):
        complete(Work(file_store, lazy, seen), Squares(numbers=(1,)))
