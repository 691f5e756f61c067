"""A run that stops for a person: it is suspended, and holds neither a process nor a slot.

Resume in the UI lets it go on, Cancel ends it. What was approved is kept with the run, so that no
retry asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import FlowRun
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput

from tasks.artifacts.store import Store
from tasks.runs import Run, approve, approved, slug

What = Literal["plan", "questions"]
NEEDED: dict[str, tuple[What, ...]] = {
    "never": (),
    "plan": ("plan",),
    "questions": ("questions",),
    "both": ("plan", "questions"),
}


class Approval(RunInput):
    """Nothing needs to be filled in: to resume is to approve."""


@dataclass
class Approvals:
    """What a person must have seen before a run goes on."""

    store: Store
    run: Run
    parent: FlowRun
    wanted: str = "never"

    def missing(self, what: What) -> bool:
        """Whether a person has to be asked about this first."""
        return what in NEEDED[self.wanted] and not approved(self.store, self.run.run, what)

    def ask(self, what: What, shown: Callable[[], str]) -> None:
        """Suspend the run until a person resumes it; returns in the attempt after that.

        `shown` is Markdown: what there is to approve.
        """
        fired = self.parent.empirical_policy.pause_keys or set()
        text = "" if what in fired else shown()
        if text:
            create_markdown_artifact(
                text,
                key=f"{what}-{slug(self.run.name)}",
                description=f"What a person is asked to approve, of {self.run.run}",
            )
        suspend_flow_run(Approval.with_initial_data(description=text), key=what)
        approve(self.store, self.run.run, what)
