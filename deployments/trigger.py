"""Start the big deployment from the command line and follow it, as a person does in the UI."""

from __future__ import annotations

import time
from collections.abc import Callable

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment

from tasks.errors import StepFailed

POLL = 2.0  # seconds


def trigger_and_wait(flow: str, recipe: str, force: list[str], say: Callable[[str], None]) -> str:
    """Start, print each step run's states as they change, return the parent's name (the run).

    Raises StepFailed with the parent's message unless it completes.
    """
    started = run_deployment(
        f"{flow}/control", parameters={"recipe": recipe, "force": force}, timeout=0
    )
    assert isinstance(started, FlowRun)
    seen: dict[str, str] = {}
    with get_client(sync_client=True) as client:
        while True:
            parent = client.read_flow_run(started.id)
            tags = FlowRunFilter(tags=FlowRunFilterTags(all_=[f"run:{parent.name}"]))
            for run in [parent, *client.read_flow_runs(flow_run_filter=tags)]:
                state = run.state_name or "?"
                if seen.get(str(run.id)) != state:
                    seen[str(run.id)] = state
                    say(f"{time.strftime('%H:%M:%S')}  {run.name}: {state}")
            if parent.state is not None and parent.state.is_final():
                break
            time.sleep(POLL)
    if not parent.state.is_completed():
        raise StepFailed(f"run {parent.name}: {parent.state_name}: {parent.state.message}")
    return parent.name
