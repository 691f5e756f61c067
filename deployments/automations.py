"""What the server does by itself: end runs that have fallen silent, tell people of failed ones.

A run's own process says every three minutes that it lives. When machine and worker die with it,
nobody tells the server, and the run would stay Running and hold its pool's slot for ever.
"""

from __future__ import annotations

import os
from datetime import timedelta
from uuid import UUID

from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import StateType
from prefect.events.actions import CallWebhook, ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.types import SecretDict
from pydantic import SecretStr

NOTIFY = "HOTFIXR_NOTIFY_URL"  # the address is a credential: it is stored encrypted, never logged
BLOCK = "hotfixr-notify"
# Three missed signs of life; less makes crashes of runs that live.
SILENCE = timedelta(seconds=540)
RUNS = {"prefect.resource.id": "prefect.flow-run.*"}
MESSAGE = (
    "{{ flow.name }} {{ flow_run.name }}: {{ flow_run.state.name }}. {{ flow_run.state.message }} "
    "{{ flow_run | ui_url }}"
)


def make_automations() -> None:
    """Create or update each automation; one that a person switched off stays off."""
    wanted = [
        silent_run("silent run", "heartbeat", StateType.CRASHED),
        silent_run("silent cancellation", "Cancelling", StateType.CANCELLED),
    ]
    if url := os.environ.get(NOTIFY):
        wanted.append(_notification(url))
    with get_client(sync_client=True) as client:
        for automation in wanted:
            make_automation(client, automation)


def silent_run(
    name: str, after: str, state: StateType, silence: timedelta = SILENCE
) -> AutomationCore:
    """Put a run into `state` when nothing more is heard of it after an event of this kind."""
    return AutomationCore(
        name=f"hotfixr: {name}",
        description=f"No sign of life for {silence.seconds} s after {after}: {state.value}.",
        trigger=EventTrigger(
            match=RUNS,
            for_each={"prefect.resource.id"},
            after={f"prefect.flow-run.{after}"},
            expect={"prefect.flow-run.*"},
            posture=Posture.Proactive,
            threshold=1,
            within=silence,
        ),
        actions=[
            ChangeFlowRunState(
                state=state,
                message=f"No sign of life for {silence.seconds} s: its process, its worker or its "
                "machine is gone. What it finished is kept; retry it.",
            )
        ],
    )


def _notification(url: str) -> AutomationCore:
    """Post `{"text": ...}`, as chat programs take it, when a run of the control pool fails."""
    return AutomationCore(
        name="hotfixr: failed run",
        description="Tell of a run of the control pool that failed or crashed.",
        trigger=EventTrigger(
            match=RUNS,
            match_related={
                "prefect.resource.role": "work-pool",
                "prefect.resource.name": "control",
            },
            for_each={"prefect.resource.id"},
            expect={"prefect.flow-run.Failed", "prefect.flow-run.Crashed"},
            posture=Posture.Reactive,
            threshold=1,
            # Prefect reports a crash twice.
            within=timedelta(seconds=30),
        ),
        actions=[
            CallWebhook(
                block_document_id=_webhook(url),
                payload='{"text": {% set text %}' + MESSAGE + "{% endset %}{{ text | tojson }}}",
            )
        ],
    )


def _webhook(url: str) -> UUID:
    """The id of the block that holds the address; it is written only where the address is new."""
    known = _stored()
    if known is None or known.url.get_secret_value() != url:
        known = Webhook(
            url=SecretStr(url), headers=SecretDict({"Content-Type": "application/json"})
        )
        known.save(BLOCK, overwrite=True)
    assert known._block_document_id is not None
    return known._block_document_id


def _stored() -> Webhook | None:
    try:
        block = Webhook.load(BLOCK)
    except ValueError:  # there is none
        return None
    assert isinstance(block, Webhook)
    return block


def make_automation(client: SyncPrefectClient, wanted: AutomationCore) -> None:
    """Create it, or update the one of this name unless it is the same."""
    present = client.read_automations_by_name(wanted.name)
    if not present:
        client.create_automation(wanted)
        return
    wanted = wanted.model_copy(update={"enabled": present[0].enabled})
    if AutomationCore.model_validate(present[0].model_dump()) != wanted:
        client.update_automation(present[0].id, wanted)
