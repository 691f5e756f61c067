import json
import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime

from tasks.artifacts.claims import Claims, release_all
from tasks.artifacts.store import Store, open_store
from tests.waiting import wait_for


def claims(store: Store, holder: str, patience: float = 0.6) -> Claims:
    return Claims(store, holder, refresh_every=patience / 5, patience=patience)


def _name(who: Claims, digest: str) -> str:
    holder = who.waiting_for("evaluate", digest)
    assert holder is not None
    return holder.name


def test_one_holder_at_a_time(store: Store) -> None:
    first, second = claims(store, "first"), claims(store, "second")
    assert first.try_claim("evaluate", "d1")
    assert not second.try_claim("evaluate", "d1")
    assert _name(second, "d1") == "first"
    first.release("evaluate", "d1")
    assert second.try_claim("evaluate", "d1")
    first.close()
    second.close()


def test_a_claim_says_where_it_is_held_and_since_when(store: Store) -> None:
    first, second = claims(store, "first"), claims(store, "second")
    assert first.try_claim("evaluate", "d1")
    taken = second.waiting_for("evaluate", "d1")
    assert taken is not None and taken.host == socket.gethostname()
    assert datetime.fromisoformat(taken.since.replace(" UTC", "+00:00")) <= datetime.now(UTC)

    def beaten() -> bool:
        there = store.get("parts/evaluate/d1/claim.json")
        return there is not None and json.loads(there.data)["beat"] > 0

    wait_for(beaten, "a sign of life")
    assert second.waiting_for("evaluate", "d1") == taken  # a sign of life is no new claim
    first.close()


def test_a_living_holder_is_never_taken_over(store: Store) -> None:
    first, second = claims(store, "first"), claims(store, "second")
    assert first.try_claim("evaluate", "d1")
    beats = 0
    before = store.get("parts/evaluate/d1/claim.json")

    def beaten() -> bool:
        nonlocal before, beats
        assert not second.try_claim("evaluate", "d1")
        now = store.get("parts/evaluate/d1/claim.json")
        beats += now != before
        before = now
        return beats >= 10  # twice the patience of the second

    wait_for(beaten, "ten heartbeats")
    first.close()
    second.close()


HOLDER = """
import sys, time
from tasks.artifacts.claims import Claims
from tasks.artifacts.store import open_store
claims = Claims(open_store(sys.argv[1]), "doomed", refresh_every=0.1, patience=0.6)
assert claims.try_claim("evaluate", "d1")
print("claimed", flush=True)
time.sleep(60)
"""


def test_a_dead_holder_is_taken_over(store: Store) -> None:
    doomed = subprocess.Popen(
        [sys.executable, "-c", HOLDER, store.uri], stdout=subprocess.PIPE, text=True
    )
    assert doomed.stdout is not None and doomed.stdout.readline() == "claimed\n"
    heir = claims(store, "heir")
    assert not heir.try_claim("evaluate", "d1")
    os.kill(doomed.pid, signal.SIGKILL)
    doomed.wait()
    doomed.stdout.close()
    wait_for(lambda: heir.try_claim("evaluate", "d1"), "the take-over", 20)
    heir.close()


def test_a_frozen_holder_that_wakes_lets_go(store: Store) -> None:
    frozen, heir = claims(store, "frozen"), claims(store, "heir")
    frozen.refresh_every = 1000  # as if its machine slept
    assert frozen.try_claim("evaluate", "d1")
    wait_for(lambda: heir.try_claim("evaluate", "d1"), "the take-over", 20)
    frozen._refresh(frozen._held["parts/evaluate/d1/claim.json"])
    assert not frozen._held
    frozen._stop.set()
    frozen.close = lambda: None  # type: ignore[method-assign]
    assert _name(heir, "d1") == "heir"
    heir.close()


def test_what_a_killed_child_left_is_freed_by_its_caller(store: Store) -> None:
    child, other = claims(store, "child"), claims(store, "other")
    assert child.try_claim("evaluate", "d1") and other.try_claim("evaluate", "d2")
    child._stop.set()
    release_all(open_store(store.uri), "child", "evaluate", ["d1", "d2", "d3"])
    assert other.waiting_for("evaluate", "d1") is None
    assert _name(other, "d2") == "other"
    other.close()
