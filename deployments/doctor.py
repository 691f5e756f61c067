"""What may be wrong with the server, its pools, their workers and this machine; how to mend it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib.metadata import version

import httpx
import prefect
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import WorkerStatus, WorkPool
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError
from prefect.settings import PREFECT_API_URL

from deployments.bootstrap import POOLS, QUEUES, deployed_names, loose
from deployments.examinations import Examination, examinations
from deployments.stack import Stack, home
from flows.examine import look_at_recipe
from tasks.findings import ANSWER, Finding, finding, look_at_machine

FOREIGN = "http://foreign.example"


def examine(recipe: str = "", workers: bool = True) -> Iterator[Finding]:
    """Look at everything; nothing is changed but one probe object in the store.

    With a `recipe` at its data and models, too. `workers` are asked to look at their machines.
    """
    yield from _server(recipe, workers)
    yield from look_at_machine(needs_models=False)
    if recipe:
        yield from look_at_recipe(recipe)


def _server(recipe: str, workers: bool) -> Iterator[Finding]:
    url, what = PREFECT_API_URL.value(), "Prefect server"
    if not url:
        yield finding(what, False, "none is set", "hotfixr up, or set PREFECT_API_URL")
        return
    try:
        with get_client(sync_client=True) as client:
            found = client.api_version()
            told = f"{url} runs {found}, this process {prefect.__version__}"
            mend = "install the same Prefect version on both"
            yield finding(what, found == prefect.__version__, told, mend)
            yield from _access(url)
            ready = []
            for pool in POOLS:
                if (yield from _pool(client, pool.name)):
                    ready.append(pool.name)
            yield from _deployments(client)
            if workers:
                for one in examinations(client, ready, recipe):
                    yield from _examined(one)
    except PrefectHTTPStatusError as error:
        refused = error.response.status_code in {401, 403}
        mend = "set PREFECT_API_AUTH_STRING (hotfixr status shows it)" if refused else "see its log"
        yield finding(what, False, f"{url}: {error.response.status_code}", mend)
    except (httpx.HTTPError, RuntimeError) as error:
        yield finding(what, False, f"{url}: {type(error).__name__}", _restart())


def _restart() -> str:
    return "start it again: hotfixr up" if Stack(home()).known else "check PREFECT_API_URL"


def _access(url: str) -> Iterator[Finding]:
    """Whoever reaches the API can run commands on its workers."""
    at = f"{url}/flows/filter"
    stranger = httpx.post(at, json={}, timeout=ANSWER).status_code
    yield finding(
        "authentication",
        stranger in {401, 403},
        f"a call without the string gets {stranger}",
        "set PREFECT_SERVER_API_AUTH_STRING where the server runs",
    )
    headers = {"Origin": FOREIGN, "Access-Control-Request-Method": "POST"}
    asked = httpx.options(at, headers=headers, timeout=ANSWER)
    allowed = asked.headers.get("access-control-allow-origin")
    yield finding(
        "allowed origins",
        allowed not in {"*", FOREIGN},
        f"pages of {'any' if allowed else 'no other'} site may call it",
        "set PREFECT_SERVER_CORS_ALLOWED_ORIGINS to the UI's own address where the server runs",
    )


def _pool(client: SyncPrefectClient, name: str) -> Generator[Finding, None, bool]:
    """Findings about a pool; whether its workers can be asked to look at themselves."""
    what = f"work pool {name}"
    try:
        pool = client.read_work_pool(name)
    except ObjectNotFound:
        yield finding(what, False, "missing", "hotfixr deploy")
        return False
    wrong = [*_settings(client, pool)]
    workers = client.read_workers_for_work_pool(name)
    online = sum(worker.status == WorkerStatus.ONLINE for worker in workers)
    if not online:
        start = f"hotfixr up, or on another machine: prefect worker start --pool {name} --limit 1"
        wrong.append(finding(what, False, "no worker is online", start))
    yield from wrong or [finding(what, True, f"{online} workers online", "")]
    return not wrong


def _settings(client: SyncPrefectClient, pool: WorkPool) -> Iterator[Finding]:
    what = f"work pool {pool.name}"
    if pool.is_paused:
        yield finding(what, False, "paused", f"prefect work-pool resume {pool.name}")
    offered = loose(pool)
    if offered:
        found = f"whoever starts a run may give its {', '.join(offered)}"
        yield finding(what, False, found, "hotfixr deploy takes that out of its template")
    queues = {queue.name: queue for queue in client.read_work_queues(pool.name)}
    for name in [queue.name for queue in QUEUES if queue.pool == pool.name]:
        if name not in queues:
            yield finding(f"queue {name} of {pool.name}", False, "missing", "hotfixr deploy")
    for queue in queues.values():
        if queue.is_paused:
            mend = f"prefect work-queue resume {queue.name} --pool {pool.name}"
            yield finding(f"queue {queue.name} of {pool.name}", False, "paused", mend)


def _deployments(client: SyncPrefectClient) -> Iterator[Finding]:
    flows = {flow.id: flow.name for flow in client.read_flows()}
    there = {f"{flows[one.flow_id]}/{one.name}" for one in client.read_deployments()}
    missing = [name for name in deployed_names() if name not in there]
    found = f"{', '.join(missing)} missing" if missing else "all of them are there"
    yield finding("deployments", not missing, found, "hotfixr deploy")


def _examined(one: Examination) -> Iterator[Finding]:
    """What a worker found on its machine, and whether it runs what this process runs."""
    for found in one.findings:
        what = f"{one.pool} worker on {one.host}: {found.what}"
        if found.what in ("hotfixr-flows", "prefect"):
            here = version(found.what)
            told = f"{found.found}, here {here}"
            yield finding(what, found.found == here, told, "install the same version on both")
        else:
            yield found.model_copy(update={"what": what})
