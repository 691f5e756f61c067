"""Claims: who is working on a part. They only save work; truth rests on part.json.

A claim is created where none is, holds a random token, and is rewritten every few seconds by a
thread of the working process. Whoever waits watches the entity tag: when it has not changed for
`patience` seconds of the waiter's own monotonic clock, the holder is taken for dead and the claim
is taken over by a conditional put. No two machines' clocks are ever compared. Time in which the
waiter could not look does not count: while the store was away, no holder could show that it lives.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tasks.artifacts.records import part_folder
from tasks.artifacts.store import Store, Tagged
from tasks.errors import StoreError

logger = logging.getLogger(__name__)


class Holder(NamedTuple):
    """Who works on a part, for people: no decision rests on their clock."""

    name: str
    host: str = "unknown host"
    since: str = "unknown time"  # UTC, by the holder's clock

    def __str__(self) -> str:
        return f"{self.name} on {self.host} since {self.since}"


@dataclass
class Claim:
    """A part that this process works on."""

    path: str
    etag: str
    since: str
    beats: int = 0


@dataclass
class _Seen:
    etag: str
    since: float
    last: float


@dataclass
class Claims:
    """All claims of one process, kept alive by one thread.

    `holder` names the process that answers for them; `release_all` of the same holder, from
    outside, frees what a killed process has left.
    """

    store: Store
    holder: str
    refresh_every: float = 10.0  # seconds
    patience: float = 45.0  # seconds without a change until a holder is taken for dead
    _held: dict[str, Claim] = field(default_factory=dict)
    _seen: dict[str, _Seen] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @classmethod
    def from_environment(cls, store: Store, holder: str) -> Claims:
        """Claims with the patience that HOTFIXR_CLAIM_SECONDS names; a worker's setting."""
        patience = float(os.environ.get("HOTFIXR_CLAIM_SECONDS", cls.patience))
        return cls(store, holder, refresh_every=patience / 4.5, patience=patience)

    def try_claim(self, step: str, digest: str) -> bool:
        """Whether this part is now ours; False while another holder is alive."""
        path = f"{part_folder(step, digest)}/claim.json"
        with self._lock:
            if path in self._held:
                return True
            since = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
            body = self._body(since)
            etag = self.store.create(path, body) or self._take_over(path, body)
            if etag is None:
                return False
            self._held[path] = Claim(path, etag, since)
        self._keep_alive()
        return True

    def _take_over(self, path: str, body: bytes) -> str | None:
        there = self.store.get(path)
        if there is None:
            return self.store.create(path, body)
        # Ours already: a put whose answer was lost is sent again and then refused.
        if _holder(there).name == self.holder:
            return there.etag
        now = time.monotonic()
        seen = self._seen.get(path)
        if seen is None or seen.etag != there.etag or now - seen.last > self.patience / 2:
            self._seen[path] = _Seen(there.etag, now, now)
            return None
        seen.last = now
        if now - seen.since < self.patience:
            return None
        logger.warning("taking over %s: no sign of %s", path, _holder(there))
        return self.store.replace(path, body, there.etag)

    def waiting_for(self, step: str, digest: str) -> Holder | None:
        """Who holds a part, for people who wonder; None where nobody does."""
        there = self.store.get(f"{part_folder(step, digest)}/claim.json")
        return None if there is None else _holder(there)

    def release(self, step: str, digest: str) -> None:
        """Give a part back, done or not."""
        with self._lock:
            claim = self._held.pop(f"{part_folder(step, digest)}/claim.json", None)
            if claim is not None:
                self.store.delete(claim.path, claim.etag)

    def close(self) -> None:
        """Stop the thread and give everything back, or leave it to others' patience."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=self.refresh_every)
        with self._lock:
            try:
                for claim in self._held.values():
                    self.store.delete(claim.path, claim.etag)
            except StoreError as error:
                # Whatever ended the work is what people must hear of.
                logger.warning("claims of %s not given back: %s", self.holder, error)
            self._held.clear()

    def _keep_alive(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name="claims", daemon=True)
            self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(self.refresh_every):
            with self._lock:
                for claim in list(self._held.values()):
                    self._refresh(claim)

    def _refresh(self, claim: Claim) -> None:
        claim.beats += 1
        try:
            body = self._body(claim.since, claim.beats)
            etag = self.store.replace(claim.path, body, claim.etag)
            if etag is None:
                there = self.store.get(claim.path)
                etag = there.etag if there and _holder(there).name == self.holder else None
        except StoreError as error:
            logger.warning("claim %s not refreshed: %s", claim.path, error)
            return
        if etag is None:
            # The work goes on: whoever publishes first wins, and nothing is published twice.
            logger.warning("claim %s was taken over", claim.path)
            del self._held[claim.path]
        else:
            claim.etag = etag

    def _body(self, since: str, beats: int = 0) -> bytes:
        who = {"holder": self.holder, "host": socket.gethostname(), "pid": os.getpid()}
        return json.dumps(who | {"since": since, "beat": beats}).encode()


def new_holder(what: str) -> str:
    """A holder's name: readable, and unlike every other."""
    return f"{what}-{uuid.uuid4().hex[:12]}"


def release_all(store: Store, holder: str, step: str, digests: list[str]) -> None:
    """Free the claims that a dead process of this holder has left."""
    for digest in digests:
        path = f"{part_folder(step, digest)}/claim.json"
        there = store.get(path)
        if there is not None and _holder(there).name == holder:
            store.delete(path, there.etag)


def _holder(there: Tagged) -> Holder:
    try:
        body: Any = json.loads(there.data)
    except ValueError:
        body = None
    known = body if isinstance(body, dict) else {}
    said = {key: str(known[key]) for key in ("host", "since") if key in known}
    return Holder(str(known.get("holder", "somebody")), **said)
