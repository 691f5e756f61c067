"""What may be wrong with the server, the workers, the store and the machine; how to mend it."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from typing import NamedTuple

import httpx
import prefect
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import WorkerStatus
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError

from deployments.bootstrap import POOLS
from deployments.stack import Stack, home
from tasks.artifacts.store import configured_store
from tasks.errors import HotfixrError
from tasks.models.cache import cache_root
from tasks.models.endpoint_address import address, known_endpoints, variable

ANSWER = 10.0  # seconds
SPACE = 10  # GiB that models and scratch files need


class Finding(NamedTuple):
    """One thing looked at."""

    what: str
    ok: bool
    found: str
    mend: str = ""


def examine() -> list[Finding]:
    """Look at everything; nothing is changed but one probe object in the store."""
    return [*_server(), _store(), _space(), *_endpoints(), *_packages()]


def _server() -> Iterator[Finding]:
    url = os.environ.get("PREFECT_API_URL", "")
    if not url:
        yield Finding("Prefect server", False, "none is set", "hotfixr up, or set PREFECT_API_URL")
        return
    try:
        with get_client(sync_client=True) as client:
            version = client.api_version()
            yield Finding(
                "Prefect server",
                version == prefect.__version__,
                f"{url} runs {version}, this process {prefect.__version__}",
                "install the same Prefect version on both",
            )
            for pool in POOLS:
                yield _pool(client, pool.name)
    except PrefectHTTPStatusError as error:
        refused = error.response.status_code in {401, 403}
        mend = "set PREFECT_API_AUTH_STRING (hotfixr status shows it)" if refused else "see its log"
        yield Finding("Prefect server", False, f"{url}: {error.response.status_code}", mend)
    except (httpx.HTTPError, RuntimeError) as error:
        yield Finding("Prefect server", False, f"{url}: {type(error).__name__}", _restart())


def _restart() -> str:
    stack = Stack(home())
    return "start it again: hotfixr up" if stack.known else "check PREFECT_API_URL"


def _pool(client: SyncPrefectClient, name: str) -> Finding:
    what = f"work pool {name}"
    try:
        pool = client.read_work_pool(name)
    except ObjectNotFound:
        return Finding(what, False, "missing", "hotfixr deploy")
    if pool.is_paused:
        return Finding(what, False, "paused", f"prefect work-pool resume {name}")
    workers = client.read_workers_for_work_pool(name)
    online = sum(worker.status == WorkerStatus.ONLINE for worker in workers)
    start = f"hotfixr up, or on another machine: prefect worker start --pool {name} --limit 1"
    return Finding(what, online > 0, f"{online} workers online", start)


def _store() -> Finding:
    try:
        store = configured_store(ANSWER)
        store.put("doctor/probe", b"written by hotfixr doctor")
        store.delete("doctor/probe")
    except HotfixrError as error:
        return Finding("artifact store", False, str(error), "mend what it says, then try again")
    return Finding("artifact store", True, f"{store.uri} can be written and read")


def _space() -> Finding:
    folder = cache_root()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 2**30
    mend = f"free some space below {folder}, or set HOTFIXR_CACHE to a larger disk"
    return Finding("disk for models", free > SPACE, f"{free:.0f} GiB free", mend)


def _endpoints() -> Iterator[Finding]:
    for name in known_endpoints():
        try:
            yield _endpoint(name)
        except HotfixrError as error:
            yield Finding(f"endpoint {name}", False, str(error), "mend what it says")


def _endpoint(name: str) -> Finding:
    """Whether it answers; the list of models is what every server has and none charges for."""
    at = address(name)
    what = f"endpoint {name}"
    try:
        reply = httpx.get(
            f"{at.url}/models", headers={"Authorization": f"Bearer {at.key}"}, timeout=ANSWER
        )
    except httpx.HTTPError as error:
        return Finding(what, False, type(error).__name__, f"check {variable(name, 'URL')}")
    if reply.status_code in {401, 403}:
        return Finding(what, False, "it refuses the key", f"check {variable(name, 'KEY')}")
    # A proxy may offer no list, and still answer questions.
    answers = reply.status_code < 500
    return Finding(what, answers, f"it answers (status {reply.status_code})", "ask who runs it")


def _packages() -> Iterator[Finding]:
    needed: dict[str, str] = {"torch": "train", "trl": "train", "vllm": "engine vllm"}
    has: Callable[[str], bool] = lambda name: importlib.util.find_spec(name) is not None  # noqa: E731
    for name, purpose in needed.items():
        found = "installed" if has(name) else f"not installed ({purpose} cannot run here)"
        yield Finding(f"package {name}", has(name), found, "bash infra/install.sh")
