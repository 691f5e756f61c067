"""Ask one worker of each pool to look at its machine, by a run like any other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    ArtifactFilter,
    ArtifactFilterFlowRunId,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType

from tasks.findings import Finding

PATIENCE = 60.0  # seconds until a run must have been taken and done
POLL = 0.5


class Examination(NamedTuple):
    """What a worker of a pool found."""

    pool: str
    host: str
    findings: list[Finding]


def examinations(
    client: SyncPrefectClient, pools: Sequence[str], recipe: str, patience: float = PATIENCE
) -> Iterator[Examination]:
    """Start a run in each pool, and wait for all; one that nobody takes is a finding as well."""
    runs = {pool: _start(client, pool, recipe) for pool in pools}
    until = time.monotonic() + patience
    for pool, run in runs.items():
        while not (state := client.read_flow_run(run).state) or not state.is_final():
            if time.monotonic() > until:
                break
            time.sleep(POLL)
        if state and state.is_completed():
            yield _answer(client, pool, run)
        else:
            why = str(state.message or state.name) if state and state.is_final() else ""
            yield Examination(pool, "?", [_untaken(client, pool, why)])
            client.delete_flow_run(run)


def _start(client: SyncPrefectClient, pool: str, recipe: str) -> UUID:
    deployment = client.read_deployment_by_name(f"examine-worker/{pool}")
    parameters = {**deployment.parameters, "recipe": recipe}
    return client.create_flow_run_from_deployment(
        deployment.id, parameters=parameters, name=f"doctor looks at {pool}"
    ).id


def _answer(client: SyncPrefectClient, pool: str, run: UUID) -> Examination:
    [table] = client.read_artifacts(
        artifact_filter=ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run]))
    )
    findings = [Finding.model_validate(row) for row in json.loads(str(table.data))]
    return Examination(pool, table.description or "?", findings)


def _untaken(client: SyncPrefectClient, pool: str, why: str) -> Finding:
    if why:
        mend = "see the worker's log; the same version of this package must be installed there"
        return Finding(what="examination", level="BAD", found=f"it failed: {why}", mend=mend)
    if _running(client, pool):
        found = "its workers are busy, so it was not examined"
        return Finding(what="examination", level="note", found=found, mend="try again later")
    mend = f"start one again: hotfixr up, or prefect worker start --pool {pool}"
    found = "no worker took a run, though one says that it is online"
    return Finding(what="examination", level="BAD", found=found, mend=mend)


def _running(client: SyncPrefectClient, pool: str) -> list[FlowRun]:
    busy = FlowRunFilterStateType(any_=[StateType.RUNNING, StateType.PENDING])
    return client.read_flow_runs(
        flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=busy)),
        work_pool_filter=WorkPoolFilter(name=WorkPoolFilterName(any_=[pool])),
    )
