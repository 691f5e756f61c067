"""What a step is, and how its parts come to be: resolve, compute what is missing, say what stands.

A step is a row: the model of its spec, a plan (which parts there are and what shapes each) and a
function that computes the parts it takes. What exists is reused, whoever made it and whichever
run asks; that one rule gives reruns, retries, resume and sharing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pydantic import BaseModel, ValidationError

from tasks.artifacts.checkpoints import StoredCheckpoints
from tasks.artifacts.claims import Claims, new_holder
from tasks.artifacts.digests import digest
from tasks.artifacts.journal import Journal
from tasks.artifacts.parts import find_part, publish_part, publish_table
from tasks.artifacts.records import Manifest, Part, manifest_path
from tasks.artifacts.store import Store
from tasks.compute.disk import space_needed
from tasks.compute.environment import versions
from tasks.errors import StepFailed

logger = logging.getLogger(__name__)
TURNS = 8  # in which a sharer takes its share of a step
TOOK = "took"  # the fact of a part that estimates are made from, seconds
Plan = Mapping[str, Any]  # part name -> everything that shapes the part's bytes


@dataclass(frozen=True)
class Step:
    """One row of the DAG.

    `plan(spec, done)` names the parts; parts that are shaped by other parts of the same step
    appear once those are `done`. `compute(spec, work)` computes what it takes from `work`.
    """

    name: str
    spec: type[BaseModel]
    plan: Callable[[Any, Mapping[str, Part]], Plan]
    compute: Callable[[Any, Work], None]
    # Model code runs in a process of its own: a crash becomes an error and memory is freed.
    in_child: bool = True


class Events(Protocol):
    """Where a computation says how far it is."""

    def progress(self, done: int, total: int, what: str) -> None:
        """`done` of `total`, and what is being done."""


@dataclass
class Work:
    """One process's share of a step: what is done, what is missing, what it has claimed."""

    store: Store
    step: Step
    events: Events
    force: bool = False
    holder: str = field(default_factory=lambda: new_holder("here"))
    sharers: int = 1  # processes that were started to share this step
    done: dict[str, Part] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)  # part name -> digest
    _taken: set[str] = field(default_factory=set)
    _before: dict[str, str] = field(default_factory=dict)  # digest -> attempt that force replaces
    _claims: Claims | None = None
    _since: float = field(default_factory=time.monotonic)  # the last part, or the start

    def resolve(self, spec: BaseModel) -> None:
        """Look up every planned part; parts shaped by others follow when those are done."""
        while True:
            known = len(self.done)
            plan = self.step.plan(spec, self.done)
            self.missing = {}
            for name, shape in plan.items():
                if name not in self.done:
                    self._look_up(name, part_digest(self.step, shape))
            if self.missing or len(self.done) == known:
                return

    def _look_up(self, name: str, key: str) -> None:
        part = find_part(self.store, self.step.name, key)
        if self.force and part is not None:
            # With force, only an attempt that was not there at the first look counts.
            if self._before.setdefault(key, part.attempt) == part.attempt:
                part = None
        elif self.force:
            self._before.setdefault(key, "")
        if part is None:
            self.missing[name] = key
        else:
            self.done[name] = part

    def take(
        self, at_most: int = 1, prefix: str = "", cost: Callable[[str], int] | None = None
    ) -> list[str]:
        """Claim up to so many missing parts of this prefix that nobody else works on.

        Of what several processes share each takes little at a time, ever less towards the end and
        what has the highest `cost` first, so that all of them end together.
        """
        taken: list[str] = []
        names = [name for name in self.missing if name.startswith(prefix)]
        free = [name for name in names if name not in self._taken and name not in self.done]
        if self.sharers > 1 and cost is not None:
            free.sort(key=cost, reverse=True)
        while free and len(taken) < min(at_most, self._share(len(taken) + len(free))):
            name = free.pop(0)
            if self._claimed(name, self.missing[name]):
                taken.append(name)
                self._taken.add(name)
        return taken

    def _share(self, left: int) -> int:
        return left if self.sharers == 1 else -(-left // (TURNS * self.sharers))

    def _claimed(self, name: str, key: str) -> bool:
        if self.sharers > 1 and self._done_elsewhere(name, key):
            return False  # what others did a while ago is cheaper to see than to claim
        if not self.claims.try_claim(self.step.name, key):
            return False
        # Somebody may have finished it between the look-up and the claim.
        if self._done_elsewhere(name, key):
            self.claims.release(self.step.name, key)
            return False
        return True

    def _done_elsewhere(self, name: str, key: str) -> bool:
        part = find_part(self.store, self.step.name, key)
        if part is None or part.attempt == self._before.get(key, ""):
            return False
        self.done[name] = part
        return True

    @property
    def claims(self) -> Claims:
        """This process's claims."""
        if self._claims is None:
            self._claims = Claims.from_environment(self.store, self.holder)
        return self._claims

    def publish(self, name: str, folder: Path, **facts: Any) -> None:
        """Publish a folder as the part `name` and release its claim."""
        self._published(
            publish_part(
                self.store,
                self.step.name,
                name,
                self.missing[name],
                folder,
                self._facts(facts),
                self.force,
            )
        )

    def publish_table(self, name: str, table: pa.Table, **facts: Any) -> None:
        """Publish a table as the part `name` and release its claim."""
        self._published(
            publish_table(
                self.store,
                self.step.name,
                name,
                self.missing[name],
                table,
                self._facts(facts),
                self.force,
            )
        )

    def _facts(self, facts: dict[str, Any]) -> dict[str, Any]:
        """With the seconds since the part before: over a step's parts they add up to its time."""
        before, self._since = self._since, time.monotonic()
        return versions() | {TOOK: round(self._since - before, 2)} | facts

    def _published(self, part: Part) -> None:
        self.done[part.name] = part
        self.claims.release(self.step.name, part.digest)
        self.events.progress(len(self.done), len(self.done) + self.still_missing, part.name)

    @property
    def still_missing(self) -> int:
        """How many planned parts are not done."""
        return sum(name not in self.done for name in self.missing)

    def checkpoints(self, name: str) -> StoredCheckpoints:
        """The checkpoints of a part that takes long."""
        return StoredCheckpoints(self.store, self.step.name, self.missing[name])

    def journal(self, name: str) -> Journal:
        """What was answered of a part that is paid for answer by answer."""
        return Journal(self.store, self.step.name, self.missing[name])

    def facts(self, name: str) -> int:
        """The sum of a number over the parts that are done."""
        return sum(int(part.facts.get(name, 0)) for part in self.done.values())

    def close(self) -> None:
        """Give every claim back."""
        if self._claims is not None:
            self._claims.close()


def complete(work: Work, spec: BaseModel) -> Manifest:
    """Compute, or wait for, every part of the spec; write its manifest last."""
    try:
        with space_needed(work.step.name):
            work.resolve(spec)
            while work.missing:
                before = len(work.done)
                work.step.compute(spec, work)
                if len(work.done) == before:
                    _wait_for_others(work)
                work.resolve(spec)
    finally:
        work.close()
    return _write_manifest(work, spec)


def _wait_for_others(work: Work) -> None:
    name, key = next(iter(work.missing.items()))
    holder = work.claims.waiting_for(work.step.name, key)
    if holder is not None and holder.name == work.holder:
        raise StepFailed(f"{work.step.name} took part {name!r} and did not publish it")
    total = len(work.done) + len(work.missing)
    claimed = f"claimed by {holder}" if holder else "which nobody works on any more"
    work.events.progress(len(work.done), total, f"waiting for {name}, {claimed}")
    time.sleep(min(1.0, work.claims.patience / 10))


def part_digest(step: Step, shape: Any) -> str:
    """Names a part by everything that shapes its bytes."""
    return digest({"step": step.name, "shape": shape})


def spec_digest(step: Step, spec: BaseModel) -> str:
    """Names the manifest of a spec: equal content digests of inputs give the same one."""
    return digest({"step": step.name, "spec": spec})


def find_manifest(store: Store, step: Step, spec: BaseModel) -> Manifest | None:
    """What this spec came to, if every part of today's plan is done."""
    known = _read_manifest(store, step, spec)
    if known is not None and _fits(step, spec, known.parts):
        return known
    work = Work(store, step, Silent())
    work.resolve(spec)
    return None if work.missing else _write_manifest(work, spec)


def _read_manifest(store: Store, step: Step, spec: BaseModel) -> Manifest | None:
    there = store.get(manifest_path(step.name, spec_digest(step, spec)))
    if there is None:
        return None
    try:
        return Manifest.model_validate_json(there.data)
    except ValidationError:
        logger.warning("manifest of %s is of another version; ignored", step.name)
        return None


def _fits(step: Step, spec: BaseModel, parts: Mapping[str, Part]) -> bool:
    """Whether today's code would plan these very parts: no version has moved since."""
    done: dict[str, Part] = {}
    while True:
        plan = step.plan(spec, done)
        for name, shape in plan.items():
            known = parts.get(name)
            if known is None or known.digest != part_digest(step, shape):
                return False
        if set(plan) == set(done):
            return set(done) == set(parts)
        done = {name: parts[name] for name in plan}


def _write_manifest(work: Work, spec: BaseModel) -> Manifest:
    name = spec_digest(work.step, spec)
    manifest = Manifest(step=work.step.name, spec=name, parts=work.done)
    path, data = manifest_path(work.step.name, name), manifest.to_bytes()
    there = work.store.get(path)
    if there is None or there.data != data:
        work.store.put(path, data)
    return manifest


class Silent:
    """Events that nobody listens to."""

    def progress(self, done: int, total: int, what: str) -> None:
        """Nobody listens."""
