"""What no run reaches is removed, whatever races with it; what a run reaches never is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.here import run_node, write_node
from flows.pipeline import Node, pipeline
from tasks.artifacts.checkpoints import StoredCheckpoints
from tasks.artifacts.claims import Claims
from tasks.artifacts.journal import Journal
from tasks.artifacts.parts import fetch_part, find_part, publish_part
from tasks.artifacts.records import Manifest, Part, part_folder
from tasks.artifacts.store import Store, open_store
from tasks.compute.specs import read_spec
from tasks.compute.step import Silent as Unheard
from tasks.compute.step import Work
from tasks.errors import PartMissing, StoreError
from tasks.garbage import Waste, find_garbage, remove_garbage
from tasks.read_recipe import read_recipe
from tasks.run_step import reuse
from tasks.runs import forget_run, record_step, start_run
from tasks.steps import STEPS
from tests.deployments.test_cli import hotfixr
from tests.silent import Silent
from tests.waiting import wait_for

DATA, STEP = "prepare-data", "score"


def node(languages: tuple[str, ...] = ("en", "fr")) -> Node:
    small = {"benchmarks.0.items": 3, "languages": list(languages)}
    return pipeline(read_recipe("simulated", small))[0]


def prepared(store: Store, run: str, languages: tuple[str, ...] = ("en", "fr")) -> Manifest:
    """A run that has got as far as its data."""
    start_run(store, run, run, {}, [DATA])
    one = node(languages)
    return run_node(store, run, one, write_node(store, run, one, {}), Silent(), False)


def cut(store: Store) -> datetime:
    """A moment after all that is there, and before all that will be."""
    moment = max(entry.modified for entry in store.entries("")) + timedelta(seconds=1)
    wait_for(lambda: datetime.now(UTC) > moment, "a second")
    return moment


def clean(store: Store, before: datetime) -> list[Waste]:
    return remove_garbage(store, find_garbage(store, before), before)


def kinds(wastes: list[Waste]) -> dict[str, int]:
    names = [waste.kind for waste in wastes]
    return {name: names.count(name) for name in names}


def below(store: Store, *folders: str) -> set[str]:
    return {path for folder in folders for path in store.list(folder)}


def intact(store: Store, parts: Manifest | list[Part], folder: Path) -> None:
    """Raises unless every byte of the parts is there."""
    listed = parts.parts.values() if isinstance(parts, Manifest) else parts
    for part in listed:
        fetch_part(store, part, folder / part.attempt)


def written(folder: Path, text: str) -> Path:
    made = folder / text
    made.mkdir(exist_ok=True)
    (made / "data").write_text(text)
    return made


def published(store: Store, folder: Path, text: str, replace: bool = False) -> Part:
    digest = text.rstrip("0123456789")
    return publish_part(store, STEP, "a part", digest, written(folder, text), {}, replace)


def reached_by(store: Store, run: str, *parts: Part) -> None:
    manifest = Manifest(step=STEP, spec="0", parts={part.name: part for part in parts})
    record_step(store, run, STEP, "main", "a spec", manifest)


class Interrupted:
    """A store where something else happens just before the first call that fits."""

    def __init__(self, store: Store, method: str, path: str, then: Callable[[], object]) -> None:
        self._store, self._method, self._path, self._then = store, method, path, then
        self.happened = False

    def __getattr__(self, name: str) -> Any:
        wrapped = getattr(self._store, name)
        if name != self._method:
            return wrapped

        def call(path: str, *rest: Any) -> Any:
            if self._path in path and not self.happened:
                self.happened = True
                self._then()
            return wrapped(path, *rest)

        return call


def test_what_runs_reach_stays_and_the_rest_goes(store: Store, tmp_path: Path) -> None:
    one, other = prepared(store, "one"), prepared(store, "other", ("en", "de"))
    store.put("notes/by-hand.txt", b"mine")
    before = cut(store)
    assert clean(store, before) == []
    forget_run(store, "one")
    shown = find_garbage(store, before)
    assert kinds(shown) == {"manifests": 1, "parts": 1}
    everything = below(store, "")
    intact(store, one, tmp_path / "shown")  # showing removes nothing
    assert kinds(remove_garbage(store, shown, before)) == {"manifests": 1, "parts": 1}
    gone = everything - below(store, "")
    assert gone == {path for waste in shown for path in waste.paths}
    assert len(gone) == 3
    intact(store, other, tmp_path / "other")
    assert reuse(store, DATA, write_node(store, "other", node(("en", "de")), {})) == other
    forget_run(store, "other")
    clean(store, cut(store))
    assert below(store, "") - below(store, ".scratch") == {"notes/by-hand.txt"}


def test_nothing_young_is_touched(store: Store) -> None:
    prepared(store, "one")
    forget_run(store, "one")
    assert find_garbage(store, datetime.now(UTC) - timedelta(days=7)) == []


def test_of_a_recomputed_part_only_attempts_that_a_run_names_stay(
    store: Store, tmp_path: Path
) -> None:
    first = published(store, tmp_path, "part1")
    reached_by(store, "one", first)
    second = published(store, tmp_path, "part2", replace=True)
    third = published(store, tmp_path, "part3", replace=True)
    removed = clean(store, cut(store))
    assert kinds(removed) == {"attempts": 1} and second.attempt in removed[0].paths[0]
    intact(store, [first, third], tmp_path / "back")  # the newest is what another run would reuse


def test_an_abandoned_upload_goes_and_a_claimed_one_stays(store: Store, tmp_path: Path) -> None:
    for digest in ("dead", "alive"):
        store.upload(written(tmp_path, digest) / "data", f"{part_folder(STEP, digest)}/att/data")
    dead, alive = Claims(store, "dead"), Claims(store, "alive", refresh_every=0.2)
    assert dead.try_claim(STEP, "stale")
    before = cut(store)
    assert alive.try_claim(STEP, "alive")
    try:
        assert kinds(clean(store, before)) == {"attempts": 1, "claims": 1}
    finally:
        alive.close()
        dead.close()
    assert below(store, "parts") == {f"{part_folder(STEP, 'alive')}/att/data"}


def test_what_a_part_left_on_its_way_goes_with_the_part_or_once_it_is_done(
    store: Store, tmp_path: Path
) -> None:
    start_run(store, "one", "one", {}, [DATA])
    spec = write_node(store, "one", node(), {})
    planned = prepared_digest(store, spec)
    done = published(store, tmp_path, "done")
    reached_by(store, "one", done)
    for step, digest in [(STEP, "done"), (STEP, "nobody"), (DATA, planned)]:
        Journal(store, step, digest).keep({"question": {"text": "paid for"}})
        StoredCheckpoints(store, step, digest).save(written(tmp_path, "state"), 3)
    assert kinds(clean(store, cut(store))) == {"checkpoints": 2, "journal": 2}
    assert Journal(store, DATA, planned).read() and not Journal(store, STEP, "done").read()
    intact(store, [done], tmp_path / "back")


def prepared_digest(store: Store, spec: str) -> str:
    """The digest of a part that a step plans and that nobody has made."""
    work = Work(store, STEPS[DATA], Unheard())
    work.resolve(read_spec(store, STEPS[DATA], spec).spec)
    return work.missing["items/sums/en"]


def test_a_run_that_starts_between_look_and_removal_loses_nothing(
    store: Store, tmp_path: Path
) -> None:
    prepared(store, "one")
    forget_run(store, "one")
    before = cut(store)
    found = find_garbage(store, before)
    assert kinds(found) == {"manifests": 1, "parts": 3}
    again = prepared(store, "two")
    remove_garbage(store, found, before)
    intact(store, again, tmp_path / "back")


@pytest.mark.parametrize("moment", ["steps/", "part.json"])
def test_a_run_that_looked_just_before_the_removal_gets_its_parts_back(
    store: Store, tmp_path: Path, moment: str
) -> None:
    prepared(store, "one")
    forget_run(store, "one")
    before = cut(store)
    start_run(store, "two", "two", {}, [DATA])
    looked: list[Manifest] = []

    def look() -> None:
        manifest = reuse(store, DATA, write_node(store, "two", node(), {}))
        looked.extend([] if manifest is None else [manifest])

    found = find_garbage(store, before)
    interrupted = Interrupted(store, "delete", moment, look)
    removed = remove_garbage(interrupted, found, before)  # type: ignore[arg-type]
    assert interrupted.happened and len(looked) == 1 and kinds(removed) == {"manifests": 1}
    intact(store, looked[0], tmp_path / "back")
    for part in looked[0].parts.values():
        assert find_part(store, DATA, part.digest) == part


def test_a_part_that_is_replaced_during_the_removal_stays(store: Store, tmp_path: Path) -> None:
    published(store, tmp_path, "part1")
    before = cut(store)
    newer: list[Part] = []

    def replace() -> None:
        newer.append(published(store, tmp_path, "part2", replace=True))

    found = find_garbage(store, before)
    interrupted = Interrupted(store, "delete", "part.json", replace)
    assert remove_garbage(interrupted, found, before) == []  # type: ignore[arg-type]
    intact(store, newer, tmp_path / "back")


@pytest.mark.parametrize("moment", ["put", "get", "delete"])
def test_a_publication_that_wakes_during_the_removal_names_nothing_that_is_gone(
    store: Store, tmp_path: Path, moment: str
) -> None:
    """Before its files are marked, before the look at whether it is published, and after it."""
    wake = threading.Event()
    frozen = Interrupted(store, "create", "part.json", lambda: wake.wait(60))
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(published, frozen, tmp_path, "late")  # type: ignore[arg-type]
        wait_for(lambda: frozen.happened, "the upload")
        before = cut(store)
        found = find_garbage(store, before)
        assert kinds(found) == {"attempts": 1}

        def thaw() -> None:
            wake.set()
            late.exception(60)

        path = {"put": ".abandoned", "get": "part.json", "delete": "/data"}[moment]
        interrupted = Interrupted(store, moment, path, thaw)
        removed = remove_garbage(interrupted, found, before)  # type: ignore[arg-type]
    part = find_part(store, STEP, "late")
    if late.exception() is None:
        assert (part, removed) == (late.result(), [])
        intact(store, [late.result()], tmp_path / "back")
    else:
        assert part is None and isinstance(late.exception(), PartMissing)
    assert (late.exception() is None) is (moment == "put")


def test_runs_that_come_and_go_while_it_is_cleaned_lose_nothing(
    store: Store, tmp_path: Path
) -> None:
    """Data is reused, computed and let go all the time, and hardly anything counts as young."""
    until = time.monotonic() + 12

    def run_again_and_again(name: str) -> int:
        number = 0
        while time.monotonic() < until:
            number += 1
            run, language = f"{name}{number}", ("fr", "de", "es", "ja", "ru")[number % 5]
            intact(store, prepared(store, run, ("en", language)), tmp_path / run)
            forget_run(store, run)
        return number

    def clean_again_and_again() -> int:
        removed = 0
        while time.monotonic() < until:
            removed += len(clean(store, datetime.now(UTC) - timedelta(seconds=5)))
        return removed

    with ThreadPoolExecutor(3) as pool:
        cleaning = pool.submit(clean_again_and_again)
        running = list(pool.map(run_again_and_again, ("a", "b")))
    assert min(running) >= 2 and cleaning.result() > 0


def test_what_cannot_be_read_stops_it(store: Store) -> None:
    prepared(store, "one")
    store.put("runs/one/score-main.json", b"{cut off")
    with pytest.raises(StoreError, match=r"runs/one/score-main.json is no JSON"):
        find_garbage(store, cut(store))


def test_the_command_shows_then_removes(tmp_path: Path) -> None:
    store = open_store(f"file://{tmp_path}/store")
    prepared(store, "20260101T000000Z-one-abcdef")
    old = (datetime.now(UTC) - timedelta(days=8)).timestamp()
    for path in store.list("parts"):
        os.utime(tmp_path / "store" / path, (old, old))
    for path in store.list("steps"):
        os.utime(tmp_path / "store" / path, (old, old))
    kept = below(store, "parts")
    assert "nothing to clean up" in hotfixr("gc", "--delete", "--store", store.uri).stdout
    words = ["gc", "--forget", "20260101", "--store", store.uri]
    shown = hotfixr(*words, "--list").stdout
    assert "parts                     3" in shown and "was changed; hotfixr gc --delete" in shown
    assert all(path in shown for path in kept) and below(store, "parts") == kept
    done = hotfixr(*words, "--delete")
    assert done.returncode == 0 and "was forgotten" in done.stdout
    assert below(store, "parts", "steps", "runs") == set()
    refused = hotfixr("gc", "--older-than", "0", "--store", store.uri)
    assert refused.returncode == 2 and "older-than" in refused.stderr
