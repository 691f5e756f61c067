"""What may be wrong with a machine, seen from the machine itself; how to mend it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import httpx
from pydantic import BaseModel, ConfigDict

from tasks.artifacts.store import Store, configured_store
from tasks.compute.driver import look_at_driver
from tasks.errors import BucketMissing, HotfixrError, StoreRefused, StoreUnreachable
from tasks.models.cache import cache_root
from tasks.models.endpoint_address import address, known_endpoints, variable

ANSWER = 10.0  # seconds
GIB = 2**30
PURPOSES = {"torch": "training", "trl": "training", "vllm": "engine: vllm"}
MENDS = {
    BucketMissing: "hotfixr deploy makes it, or name another in HOTFIXR_STORE",
    StoreRefused: "give this process the store's own key: hotfixr up writes it to stack.json in "
    "HOTFIXR_HOME, else ask who runs the store",
    StoreUnreachable: "hotfixr up starts the local one; check AWS_ENDPOINT_URL for any other",
}


class Finding(BaseModel):
    """One thing looked at. A note is no fault, but good to know."""

    model_config = ConfigDict(frozen=True)

    what: str
    level: Literal["ok", "note", "BAD"]
    found: str
    mend: str = ""


def finding(what: str, ok: bool, found: str, mend: str) -> Finding:
    """Good, or bad with what mends it."""
    return Finding(what=what, level="ok" if ok else "BAD", found=found, mend="" if ok else mend)


def look_at_machine(needs_models: bool) -> Iterator[Finding]:
    """Store, space, endpoints, packages and driver of this machine.

    Where it `needs_models`, as a worker of the pool gpu does, absent packages are a fault.
    """
    yield _store()
    yield from _spaces()
    for name in known_endpoints():
        yield _endpoint(name)
    for name, purpose in PURPOSES.items():
        has = importlib.util.find_spec(name) is not None
        found = "installed" if has else f"not installed, so no {purpose} on this machine"
        level = "ok" if has else "BAD" if needs_models else "note"
        mend = "" if has else "bash infra/install.sh"
        yield Finding(what=f"package {name}", level=level, found=found, mend=mend)
    driver = look_at_driver()
    yield finding("GPU driver", driver.mend == "", driver.found, driver.mend)


def _store() -> Finding:
    what = "artifact store"
    try:
        store = configured_store(ANSWER)
        why = _unconditional(store)
    except (HotfixrError, OSError) as error:
        mends = [mend for kind, mend in MENDS.items() if isinstance(error, kind)]
        mend = mends[0] if mends else "mend what it says, then try again"
        return Finding(what=what, level="BAD", found=str(error), mend=mend)
    good = f"{store.uri} can be written and read"
    return finding(what, why == "", why or good, "use a store that keeps conditions of writes")


def _unconditional(store: Store) -> str:
    """What the store does not do that parts rest on; empty: it does all."""
    list(store.list("doctor"))  # some stores make an absent bucket when something is written
    probe = f"doctor/{uuid.uuid4().hex}"
    first = store.create(probe, b"written by hotfixr doctor")
    try:
        if first is None or store.create(probe, b"again") is not None:
            return f"{store.uri} overwrites where it was asked not to (If-None-Match)"
        if store.replace(probe, b"again", f'"{"0" * 32}"') is not None:
            return f"{store.uri} overwrites other bytes than the named ones (If-Match)"
    finally:
        store.delete(probe)
    return ""


class Place(NamedTuple):
    """A disk that has to have room."""

    what: str
    folder: Path
    needed: float  # GiB
    variable: str


def _spaces() -> Iterator[Finding]:
    places = [
        Place("disk for models", cache_root(), 10, "HOTFIXR_CACHE"),
        Place("disk for scratch", Path(tempfile.gettempdir()), 2, "TMPDIR"),
    ]
    uri = os.environ.get("HOTFIXR_STORE", "")
    if uri.startswith("file://"):
        folder = Path(uri.removeprefix("file://"))
        places.append(Place("disk of the store", folder, 2, "HOTFIXR_STORE"))
    for place in places:
        yield _space(place)


def _space(place: Place) -> Finding:
    folder = place.folder
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / GIB
    mend = f"free some space below {folder}, or set {place.variable} to a larger disk"
    found = f"{free:.1f} GiB free below {folder}, {place.needed:g} are needed"
    return finding(place.what, free > place.needed, found, mend)


def _endpoint(name: str) -> Finding:
    """Whether it answers; the list of models is what every server has and none charges for."""
    what = f"endpoint {name}"
    try:
        at = address(name)
    except HotfixrError as error:
        return Finding(what=what, level="BAD", found=str(error), mend="mend what it says")
    try:
        reply = httpx.get(
            f"{at.url}/models", headers={"Authorization": f"Bearer {at.key}"}, timeout=ANSWER
        )
    except httpx.HTTPError as error:
        return finding(what, False, type(error).__name__, f"check {variable(name, 'URL')}")
    if reply.status_code in {401, 403}:
        return finding(what, False, "it refuses the key", f"check {variable(name, 'KEY')}")
    # A proxy may offer no list, and still answer questions.
    found = f"it answers (status {reply.status_code})"
    return finding(what, reply.status_code < 500, found, "ask who runs it")
