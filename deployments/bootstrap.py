"""Make the server ready for our flows: work pools with their limits, then the deployments.

Everything may be run again; what is there is brought up to date.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker

from tasks.errors import HotfixrError

PREFECT_YAML = Path(__file__).parent / "prefect.yaml"


class Pool(NamedTuple):
    """A work pool; `limit` is how many runs it may have at once, None: any number."""

    name: str
    limit: int | None
    description: str


POOLS = (
    Pool("control", None, "Parents: they start steps and wait, and need no device."),
    Pool("cpu", 2, "Steps that need no device: data, scores, reports, simulated engines."),
    Pool("gpu", 1, "Steps that hold a model: one at a time for each device."),
)


def make_pools() -> None:
    """Create or update every work pool."""
    with get_client(sync_client=True) as client:
        for pool in POOLS:
            _make_pool(client, pool)


def _make_pool(client: SyncPrefectClient, pool: Pool) -> None:
    try:
        client.read_work_pool(pool.name)
    except ObjectNotFound:
        template = ProcessWorker.get_default_base_job_template()
        client.create_work_pool(
            WorkPoolCreate(
                name=pool.name,
                type="process",
                description=pool.description,
                base_job_template=template,
                concurrency_limit=pool.limit,
            )
        )
    else:
        client.update_work_pool(
            pool.name, WorkPoolUpdate(description=pool.description, concurrency_limit=pool.limit)
        )


def deploy_all() -> None:
    """Apply prefect.yaml. Raises HotfixrError with Prefect's last line if it refuses."""
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(
        [*command, "--prefect-file", str(PREFECT_YAML)],
        cwd=PREFECT_YAML.parent,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        raise HotfixrError(f"prefect deploy failed: {lines[-1].strip(' │')}")
