"""Progress artifacts: one bar for each run, which a later attempt goes on with."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    ArtifactFilter,
    ArtifactFilterFlowRunId,
    ArtifactFilterType,
)
from prefect.client.schemas.objects import Artifact, FlowRun, StateType
from prefect.client.schemas.sorting import ArtifactSort

from tasks.estimate import Estimate, in_words
from tasks.untrusted import in_markdown

LOOK_EVERY = 2.0  # seconds between looks at the children's bars
QUEUED = {StateType.SCHEDULED, StateType.PENDING}


def bar_of(client: SyncPrefectClient, run: UUID) -> UUID:
    """The bar of the present run: that of an earlier attempt, or a new one."""
    there = _bars(client, [run]).get(run)
    if there is not None:
        assert there.id is not None
        return there.id
    made = create_progress_artifact(progress=0.0, description="starting")
    assert isinstance(made, UUID)
    return made


def _bars(client: SyncPrefectClient, runs: list[UUID]) -> dict[UUID, Artifact]:
    """The bar of each of these runs that has one, in one question."""
    wanted = ArtifactFilter(
        flow_run_id=ArtifactFilterFlowRunId(any_=runs), type=ArtifactFilterType(any_=["progress"])
    )
    found = client.read_artifacts(artifact_filter=wanted, sort=ArtifactSort.CREATED_DESC)
    return {one.flow_run_id: one for one in reversed(found) if one.flow_run_id is not None}


@dataclass
class RunBar:
    """The bar of a parent: how far it is, how long it may take, and what each child says."""

    client: SyncPrefectClient
    artifact: UUID
    estimate: Estimate
    _words: dict[str, str] = field(default_factory=dict)  # label -> what its bar says
    _looked: float = 0.0
    _shown: str = ""

    def show(self, done: Collection[str], reused: int, live: Mapping[str, FlowRun]) -> None:
        """Say how it stands now; the children are asked now and then only."""
        now = time.monotonic()
        if now - self._looked >= LOOK_EVERY and live:
            self._looked = now
            self._ask({run.id: label for label, run in live.items()})
        lines = [f"{label} ({self._said(label, run)})" for label, run in live.items()]
        running = f" Running: {', '.join(lines)}." if lines else ""
        self.say(done, f"{self._head(done, reused)}.{running}")

    def say(self, done: Collection[str], words: str) -> None:
        """Put these words beside the bar, unless they stand there already."""
        if words != self._shown:
            self._shown = words
            share = 100.0 * self.estimate.share(done)
            update_progress_artifact(
                artifact_id=self.artifact,
                progress=min(share, 100.0),
                description=in_markdown(words),
            )

    def _head(self, done: Collection[str], reused: int) -> str:
        total = len(self.estimate.planned)
        head = f"{len(done)} of {total} steps, {reused} reused"
        return f"{head}; {in_words(self.estimate.left(done))}" if len(done) < total else head

    def _ask(self, labels: Mapping[UUID, str]) -> None:
        for run, bar in _bars(self.client, list(labels)).items():
            self._words[labels[run]] = bar.description or ""
            if isinstance(bar.data, int | float):
                self.estimate.note(labels[run], bar.data / 100.0)

    def _said(self, label: str, run: FlowRun) -> str:
        if run.state_type in QUEUED:
            return f"{run.state_name}: no worker of pool {run.work_pool_name} has taken it yet"
        return self._words.get(label) or "starting"
