"""What a person chose in the UI for a deployment, and a new `prefect deploy` would undo.

A deployment that is there keeps its schedules (on or off, when, with what), the defaults of its
form and its limit; code, pool, description and tags are brought up to date.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound
from prefect.utilities.importtools import import_object


def with_choices(client: SyncPrefectClient, declared: Mapping[str, Any]) -> dict[str, Any]:
    """prefect.yaml as it is to be applied to a server that may know some of it already."""
    rows = [_with_choices(client, row) for row in declared["deployments"]]
    return {key: value for key, value in declared.items() if key != "definitions"} | {
        "deployments": rows
    }


def _with_choices(client: SyncPrefectClient, row: Mapping[str, Any]) -> dict[str, Any]:
    flow = import_object(row["entrypoint"])
    try:
        there = client.read_deployment_by_name(f"{flow.name}/{row['name']}")
    except ObjectNotFound:
        return dict(row)
    present = {one.slug for one in there.schedules}
    new = [one for one in row.get("schedules", ()) if one["slug"] not in present]
    fields = inspect.signature(flow.fn).parameters
    defaults = {name: value for name, value in there.parameters.items() if name in fields}
    kept = {key: value for key, value in row.items() if key not in {"schedules", "parameters"}}
    # No list at all leaves the server's as it is; an empty one might empty it.
    return kept | {"parameters": defaults} | ({"schedules": new} if new else {}) | _limit(there)


def _limit(there: DeploymentResponse) -> dict[str, Any]:
    """The limit as a person left it; declared anew, it would be set back."""
    limit, options = there.global_concurrency_limit, there.concurrency_options
    if limit is None:
        return {}
    rule = {"collision_strategy": options.collision_strategy.value} if options else {}
    return {"concurrency_limit": {"limit": limit.limit} | rule}
