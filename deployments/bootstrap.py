"""Make store and server ready: bucket, work pools and queues, automations, deployments.

Everything may be run again: what is missing is made, what is ours is brought up to date, and what
a person may have changed in the UI stays (limits, priorities, pauses, schedules, the defaults of
forms, a pool's kind, and its template but for what no run of a process pool may say).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.objects import WorkPool
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker

from deployments.automations import make_automations
from deployments.bucket import prepare_bucket
from deployments.choices import with_choices
from tasks.errors import HotfixrError

PREFECT_YAML = Path(__file__).parent / "prefect.yaml"


class Pool(NamedTuple):
    """A work pool; `limit` is how many runs it may have at once at first, None: any number."""

    name: str
    limit: int | None
    description: str


class Queue(NamedTuple):
    """A queue of a pool beside its default one, which has priority 1 when it is made."""

    pool: str
    name: str
    priority: int
    description: str


# With these, whoever may start a run from a form could have anything executed on a worker.
NOT_OFFERED = ("command", "env", "working_dir")
POOLS = (
    Pool("control", None, "Parents: they start steps and wait, and need no device."),
    Pool("cpu", 2, "Steps that need no device: data, scores, reports, simulated engines."),
    # No limit of the pool's own: it would count all machines together.
    Pool("gpu", None, "Steps that hold a model: start one worker for each device, --limit 1."),
)
QUEUES = (Queue("cpu", "long", 2, "Steps that may take hours: whatever is short goes first."),)


def make_ready() -> None:
    """Everything, in the order in which one needs the other. Raises HotfixrError."""
    if store := os.environ.get("HOTFIXR_STORE"):
        prepare_bucket(store)
    make_pools()
    make_automations()
    deploy_all()


def make_pools() -> None:
    """Create the pools and queues that are missing."""
    with get_client(sync_client=True) as client:
        for pool in POOLS:
            _make_pool(client, pool)
        for queue in QUEUES:
            _make_queue(client, queue)


def _make_pool(client: SyncPrefectClient, pool: Pool) -> None:
    try:
        there = client.read_work_pool(pool.name)
    except ObjectNotFound:
        client.create_work_pool(
            WorkPoolCreate(
                name=pool.name,
                type="process",
                description=pool.description,
                base_job_template=tightened(ProcessWorker.get_default_base_job_template()),
                concurrency_limit=pool.limit,
            )
        )
    else:
        if there.description != pool.description:
            client.update_work_pool(pool.name, WorkPoolUpdate(description=pool.description))
        if loose(there):
            template = tightened(there.base_job_template)
            client.update_work_pool(pool.name, WorkPoolUpdate(base_job_template=template))


def loose(pool: WorkPool) -> list[str]:
    """Which of `NOT_OFFERED` a process pool offers all the same."""
    template = pool.base_job_template
    offered = {*template.get("job_configuration", {}), *_variables(template)}
    return [name for name in NOT_OFFERED if name in offered] if pool.type == "process" else []


def tightened(template: dict[str, Any]) -> dict[str, Any]:
    """A process pool's template without what would let a run say what is executed, and with what.

    A Kubernetes pool's container needs its own; it is shipped with its manifests.
    """
    less = deepcopy(template)
    for name in NOT_OFFERED:
        less["job_configuration"].pop(name, None)
        _variables(less).pop(name, None)
    return less


def _variables(template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = template.get("variables", {}).get("properties", {})
    return found


def _make_queue(client: SyncPrefectClient, queue: Queue) -> None:
    try:
        client.read_work_queue_by_name(queue.name, work_pool_name=queue.pool)
    except ObjectNotFound:
        client.create_work_queue(
            queue.name,
            description=queue.description,
            priority=queue.priority,
            work_pool_name=queue.pool,
        )


def deploy_all() -> None:
    """Apply prefect.yaml, keeping what a person chose in the UI.

    Raises HotfixrError with Prefect's last line if it refuses.
    """
    declared = yaml.safe_load(PREFECT_YAML.read_text())
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    with get_client(sync_client=True) as client, tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / PREFECT_YAML.name
        file.write_text(yaml.safe_dump(with_choices(client, declared)))
        done = subprocess.run(
            [*command, "--prefect-file", str(file)],
            cwd=PREFECT_YAML.parent,
            env=os.environ | {"NO_COLOR": "1"},
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        raise HotfixrError(f"prefect deploy failed: {lines[-1].strip(' │')}")


def deployed_names() -> list[str]:
    """FLOW/NAME of every deployment that `deploy_all` makes."""
    rows = yaml.safe_load(PREFECT_YAML.read_text())["deployments"]
    return [f"{_flow_name(row['entrypoint'])}/{row['name']}" for row in rows]


def _flow_name(entrypoint: str) -> str:
    """Our flows are called like their functions, with dashes."""
    return entrypoint.rsplit(".", 1)[1].replace("_", "-")
