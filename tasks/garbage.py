"""What no run reaches: found, and removed so that runs and publications that race lose nothing.

Nothing is touched that is younger than the limit, or whose part somebody is working on. The order
makes it safe. A run writes its spec before it looks for parts, and a part's data goes only after
its part.json: whoever saw a part.json that is being removed has a spec, which the second look at
the runs finds, and gets it back before any data is gone. A publication so slow that its files seem
abandoned is found out by their mark, by itself or here, and fails instead of naming what is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from tasks.artifacts.records import ABANDONED, part_folder
from tasks.artifacts.store import Entry, Store, Tagged
from tasks.reached import AttemptKey, PartKey, Reached, find_reached, named_attempts, parsed

POINTER, CLAIM = "part.json", "claim.json"
ON_THE_WAY = ("checkpoints", "journal")  # what is kept of a part until it is published
SCRATCH = ".scratch"  # of a store in a folder


class Pointer(NamedTuple):
    """A JSON object that goes first, and only if its bytes are still these."""

    path: str
    there: Tagged


@dataclass(frozen=True)
class Waste:
    """Objects that are removed together."""

    kind: str
    data: tuple[Entry, ...] = ()
    pointer: Pointer | None = None
    unless: PartKey | None = None  # it stays once a run reaches this part
    attempt: AttemptKey | None = None  # it stays once this attempt is published

    @property
    def size(self) -> int:
        """Bytes of its data."""
        return sum(entry.size for entry in self.data)

    @property
    def paths(self) -> list[str]:
        """Of all its objects."""
        pointer = [] if self.pointer is None else [self.pointer.path]
        return [*pointer, *(entry.path for entry in self.data)]


def find_garbage(store: Store, before: datetime, forgotten: Collection[str] = ()) -> list[Waste]:
    """Everything older than `before` that no run reaches; `forgotten` runs reach nothing."""
    reached = find_reached(store, before, forgotten)
    wastes: list[Waste] = []
    for key, entries in groupby(store.entries("parts"), _part_of):
        if key is not None:
            wastes += _Folder(store, key, list(entries), before, reached).wastes()
    doomed = {waste.attempt for waste in wastes if waste.attempt is not None}
    temporary = (entry for entry in store.entries(SCRATCH) if not entry.path.endswith(".lock"))
    old = tuple(entry for entry in temporary if entry.modified < before)
    return [
        *_manifests(store, before, doomed),
        *wastes,
        *([Waste("unfinished copies", old)] if old else []),
    ]


def _part_of(entry: Entry) -> PartKey | None:
    folders = entry.path.split("/")
    return PartKey(folders[1], folders[2]) if len(folders) > 3 else None


def _manifests(store: Store, before: datetime, doomed: set[AttemptKey]) -> Iterator[Waste]:
    """Old manifests that name an attempt which is about to go."""
    for entry in store.entries("steps"):
        there = store.get(entry.path) if entry.modified < before else None
        if there is not None and doomed & set(named_attempts(parsed(entry.path, there.data))):
            yield Waste("manifests", pointer=Pointer(entry.path, there))


class _Folder:
    """What lies in the folder of one part."""

    def __init__(
        self, store: Store, key: PartKey, entries: list[Entry], before: datetime, reached: Reached
    ) -> None:
        self._store, self._key, self._before, self._reached = store, key, before, reached
        self._inner = {
            name: tuple(group) for name, group in groupby(entries, lambda one: _inner(one.path))
        }

    def wastes(self) -> Iterator[Waste]:
        """What may go. A claim that is refreshed protects the whole folder."""
        claim = self._inner.pop(CLAIM, ())
        if claim and not self._old(claim):
            return
        yield from self._claim(claim)
        standing = self._inner.pop(POINTER, ())
        pointer = self._pointer(standing[0].path) if standing else None
        named = _named(pointer)
        young = not self._old([*standing, *self._inner.get(named, ())])
        held = self._reached.holds(self._key) or young
        for name, entries in self._inner.items():
            if self._old(entries) and self._may_go(name, named, held):
                yield self._waste(name, entries, finished=pointer is not None)
        if pointer is not None and not held:
            data = self._inner.get(named, ())
            yield Waste("parts", data, pointer, self._key, self._attempt(named))

    def _may_go(self, name: str, named: str, held: bool) -> bool:
        if name in ON_THE_WAY:
            return bool(named) or not held
        return name != named and self._attempt(name) not in self._reached.attempts

    def _waste(self, name: str, entries: tuple[Entry, ...], finished: bool) -> Waste:
        if name in ON_THE_WAY:
            return Waste(name, entries, unless=None if finished else self._key)
        return Waste("attempts", entries, attempt=self._attempt(name))

    def _claim(self, claim: tuple[Entry, ...]) -> Iterator[Waste]:
        """One that nobody has refreshed for so long."""
        pointer = self._pointer(claim[0].path) if claim else None
        if pointer is not None:
            yield Waste("claims", pointer=pointer)

    def _pointer(self, path: str) -> Pointer | None:
        there = self._store.get(path)
        return None if there is None else Pointer(path, there)

    def _attempt(self, name: str) -> AttemptKey:
        return AttemptKey(self._key, name)

    def _old(self, entries: Iterable[Entry]) -> bool:
        return all(entry.modified < self._before for entry in entries)


def _inner(path: str) -> str:
    return path.split("/")[3]


def _named(pointer: Pointer | None) -> str:
    """The attempt that a part.json names, whatever its version."""
    raw = None if pointer is None else parsed(pointer.path, pointer.there.data)
    return next((key.attempt for key in named_attempts(raw)), "")


def remove_garbage(
    store: Store, wastes: Iterable[Waste], before: datetime, forgotten: Collection[str] = ()
) -> list[Waste]:
    """Remove what was found, but for what has been reached or changed since; what is gone."""
    left = [waste for waste in wastes if _pointer_removed(store, waste)]
    left, reached = _given_back(store, left, before, forgotten)
    return [waste for waste in left if _data_removed(store, waste, reached)]


def _pointer_removed(store: Store, waste: Waste) -> bool:
    pointer = waste.pointer
    return pointer is None or store.delete(pointer.path, pointer.there.etag)


def _given_back(
    store: Store, wastes: list[Waste], before: datetime, forgotten: Collection[str]
) -> tuple[list[Waste], Reached]:
    """Put back each part.json that a run reaches by now; then others may be reached through it."""
    while True:
        reached = find_reached(store, before, forgotten)
        back = [one for one in wastes if one.unless is not None and reached.holds(one.unless)]
        if not back:
            return wastes, reached
        for waste in back:
            if waste.pointer is not None:
                store.create(waste.pointer.path, waste.pointer.there.data)
        wastes = [waste for waste in wastes if waste not in back]


def _data_removed(store: Store, waste: Waste, reached: Reached) -> bool:
    """Whether it was removed; attempts that were published meanwhile stay."""
    if waste.attempt is None:
        _delete(store, waste)
        return True
    if waste.attempt in reached.attempts:
        return False
    # The mark comes before the look: who publishes after the look finds mark or gap, and gives up.
    mark = f"{part_folder(*waste.attempt.part)}/{waste.attempt.attempt}/{ABANDONED}"
    store.put(mark, b"")
    removed = not _is_published(store, waste.attempt)
    if removed:
        _delete(store, waste)
    store.delete(mark)
    return removed


def _delete(store: Store, waste: Waste) -> None:
    for entry in waste.data:
        store.delete(entry.path)


def _is_published(store: Store, attempt: AttemptKey) -> bool:
    path = f"{part_folder(*attempt.part)}/{POINTER}"
    there = store.get(path)
    return there is not None and _named(Pointer(path, there)) == attempt.attempt
