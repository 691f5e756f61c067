"""What is left of a run: going by how far its steps are, and by what they took in earlier runs.

Nothing is made up: a step that has never run with these settings, and does not say yet how far it
is, is named as unknown.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pydantic import ValidationError

from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.compute.step import TOOK
from tasks.runs import Run, recorded_step, run_ids

LOOK_BACK = 50  # earlier runs that are looked at, the newest first
START = 5.0  # seconds until a submitted step computes
ENOUGH = 0.1  # share of a step after which its own pace says more than an earlier run
TOKENS = ("prompt_tokens", "completion_tokens")
# What only chooses which steps there are, or what nothing takes longer for.
FREE = {
    "name", "description", "models", "methods", "students", "training_seeds", "rounds", "workers",
}  # fmt: skip
FREE_ANYWHERE = {"seed", "asked"}


class Planned(Protocol):
    """A step of a run, as the pipeline describes it."""

    @property
    def label(self) -> str:
        """Unique within the run."""

    @property
    def step(self) -> str:
        """One of STEPS."""

    @property
    def role(self) -> str:
        """Which of several, or "main"."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Labels of what must be done before."""

    @property
    def pool(self) -> str:
        """Where it runs."""

    @property
    def runs(self) -> int:
        """How many runs share it."""


class Cost(NamedTuple):
    """What a step took; None where its parts do not say."""

    seconds: float | None
    tokens: int | None  # that a model read and wrote


class Left(NamedTuple):
    """Seconds until a run ends, and the steps whose time nobody knows."""

    seconds: float
    unknown: list[str]


class _Pace(NamedTuple):
    """How far a running step is, and was when it was first looked at."""

    since: float  # monotonic seconds
    first: float
    share: float


@dataclass
class Estimate:
    """What is left of one run. `slots` says how many runs a limited pool has at once."""

    store: Store
    run: str
    settings: Mapping[str, Any]
    planned: Sequence[Planned]  # each behind those that it needs
    slots: Mapping[str, int]
    _paces: dict[str, _Pace] = field(default_factory=dict)
    _costs: dict[str, Cost] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    def note(self, label: str, share: float) -> None:
        """A running step says that so much of it is done (0 to 1)."""
        known = self._paces.get(label)
        if known is None or share < known.share:  # a step that started anew
            known = _Pace(time.monotonic(), share, share)
        self._paces[label] = known._replace(share=share)

    def share(self, done: Collection[str]) -> float:
        """How much of the run is done, 0 to 1; every step counts the same."""
        running = sum(pace.share for label, pace in self._paces.items() if label not in done)
        return (len(done) + running) / len(self.planned)

    def left(self, done: Collection[str]) -> Left:
        """The longest chain of what is not done, or the fullest pool where that takes longer."""
        pending = [one for one in self.planned if one.label not in done]
        seconds = {one.label: self._seconds(one) for one in pending}
        ends: dict[str, float] = {}
        loads: dict[str, float] = {}
        for one in pending:
            own = seconds[one.label] or 0.0
            begins = max((ends.get(need, 0.0) for need in one.needs), default=0.0)
            ends[one.label] = begins + own / one.runs
            loads[one.pool] = loads.get(one.pool, 0.0) + own
        queues = [load / self.slots[pool] for pool, load in loads.items() if self.slots.get(pool)]
        unknown = [label for label, known in seconds.items() if known is None]
        return Left(max([0.0, *ends.values(), *queues]), unknown)

    def cost(self, one: Planned) -> Cost:
        """What the step took in the newest run with these settings."""
        self._look_up()
        return self._costs.get(one.label, Cost(None, None))

    def _seconds(self, one: Planned) -> float | None:
        before, pace = self.cost(one).seconds, self._paces.get(one.label)
        if pace is None:
            return None if before is None else before + START
        gone = pace.share - pace.first
        if gone >= ENOUGH or (gone > 0 and before is None):
            return (time.monotonic() - pace.since) * (1.0 - pace.share) / gone
        return None if before is None else before * (1.0 - pace.share)

    def _look_up(self) -> None:
        if not self._asked:
            self._asked = {one.label for one in self.planned}
            self._costs = earlier_costs(self.store, self.run, self.settings, self.planned)


def earlier_costs(
    store: Store, run: str, settings: Mapping[str, Any], planned: Sequence[Planned]
) -> dict[str, Cost]:
    """What each step came to in the newest earlier run with such settings that did it; by label."""
    found: dict[str, Cost] = {}
    wanted = _comparable(settings)
    for earlier in reversed(run_ids(store)[-LOOK_BACK:]):
        missing = [one for one in planned if one.label not in found]
        if not missing:
            break
        if earlier == run or not _alike(store, earlier, wanted):
            continue
        for one in missing:
            known = recorded_step(store, earlier, one.step, one.role)
            if known is not None:
                found[one.label] = cost_of(known.manifest)
    return found


def cost_of(manifest: Manifest) -> Cost:
    """What all parts of a step took together, whenever each was computed."""
    facts = [part.facts for part in manifest.parts.values()]
    seconds = [one[TOOK] for one in facts if TOOK in one]
    tokens = [int(one[name]) for one in facts for name in TOKENS if name in one]
    whole = len(seconds) == len(facts)
    return Cost(float(sum(seconds)) if whole else None, sum(tokens) if tokens else None)


def _alike(store: Store, run: str, wanted: Any) -> bool:
    there = store.get(f"runs/{run}/run.json")
    try:
        return there is not None and wanted == _comparable(
            Run.model_validate_json(there.data).recipe
        )
    except ValidationError:  # of another version
        return False


def _comparable(settings: Mapping[str, Any]) -> Any:
    """The settings that time and tokens depend on."""
    return _without_seeds({key: value for key, value in settings.items() if key not in FREE})


def _without_seeds(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in FREE_ANYWHERE}
        return {key: _without_seeds(inner) for key, inner in kept.items()}
    if isinstance(value, list | tuple):
        return [_without_seeds(inner) for inner in value]
    return value


def in_words(left: Left) -> str:
    """`about 12 min left`, and how many steps nobody knows the time of."""
    some = left.unknown[0] if len(left.unknown) == 1 else f"{len(left.unknown)} steps"
    if left.seconds == 0.0 and left.unknown:
        return "time left unknown"
    known = f"about {duration(left.seconds)} left"
    return f"{known} and {some} of unknown time" if left.unknown else known


def duration(seconds: float) -> str:
    """`40 s`, `12 min` or `3.5 h`; nobody needs more."""
    if seconds < 90:
        return f"{max(10, round(seconds, -1)):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
