"""Run the steps of a recipe through their own deployments: look first, submit, adopt, wait.

Everything whose needs are done is submitted; one loop follows what is outstanding. A child's
idempotency key is the parent's run and the step, not the attempt, so that there is one child per
parent and step for ever; a retried parent adopts what it gets. A step that may be shared is
submitted several times, and done when the first of these runs is: it ends once every part is
there, whoever made it. What waits for a person's approval is submitted once it has it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from httpx import TransportError
from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.deployments import run_deployment
from prefect.states import AwaitingRetry, Cancelled, Cancelling

from flows.approval import Approvals, What
from flows.bars import RunBar
from flows.here import resolved, write_node
from flows.models import Done
from flows.pipeline import Node
from flows.planning import Planner
from flows.summary import markdown_plan
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.errors import StepCancelled, StepFailed
from tasks.run_step import reuse
from tasks.runs import record_step

POLL = 0.5  # seconds between looks at the children
# A crash is reported twice, about 1.5 s apart: a retry in between is overwritten by the second.
SECOND_CRASH = 5.0  # seconds
ENOUGH = "the other runs of this step have done all of it"
PAGE = 200  # runs that the server gives at once
ENDED_BY_HAND = {StateType.CANCELLING, StateType.CANCELLED}
BROKEN = {StateType.FAILED, StateType.CRASHED}


@dataclass
class Child:
    """A submitted step run."""

    node: Node
    number: int  # of the runs that share the step
    run: FlowRun  # as last seen
    retried: float | None = None  # when its retry was asked for (monotonic seconds)
    asked_again: bool = False


@dataclass
class Dispatch:
    """One attempt of a parent run."""

    store: Store
    client: SyncPrefectClient
    run: str
    parent: UUID
    tags: list[str]
    bar: RunBar
    approvals: Approvals
    planned: Callable[[Done], Planner]  # what is left, given what is done
    force: tuple[str, ...] = ()
    done: dict[str, Manifest] = field(default_factory=dict)
    live: dict[str, list[Child]] = field(default_factory=dict)  # label -> its runs
    lost: dict[str, list[str]] = field(default_factory=dict)  # label -> what befell some of them
    failures: list[str] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)  # label -> spec, until it is approved
    reused: int = 0

    def follow(self, nodes: list[Node]) -> dict[str, Manifest]:
        """Run until every node is done. Raises StepFailed with the children's own sentences."""
        while len(self.done) < len(nodes):
            try:
                self._once(nodes)
            except TransportError as error:
                # The children do not need the server to go on, and neither does this loop.
                get_run_logger().warning("the Prefect server is away (%s); waiting", error)
                time.sleep(POLL)
        self.bar.show(self.done, self.reused, {})
        return self.done

    def _once(self, nodes: list[Node]) -> None:
        """One look at everything; may be broken off anywhere and done again."""
        if not self.failures:
            self._submit_ready(nodes)
        seen = self._seen()
        for child in self._children():
            if child in self.live.get(child.node.label, ()):
                self._look_at(child, seen.get(child.run.id))
        if self.failures and not self.live:
            raise StepFailed("; ".join(self.failures))
        if self.live:
            # After this run's worker has died, nobody else would notice that it was cancelled.
            if seen[self.parent].state_type in ENDED_BY_HAND:
                raise StepCancelled("this run was cancelled by a person")
            self.bar.show(self.done, self.reused, self._running())
            time.sleep(POLL)
        elif self.held:
            self._ask(nodes)

    def _submit_ready(self, nodes: list[Node]) -> None:
        progress = True
        while progress:  # a reused node may make the next one ready at once
            progress = False
            for node in nodes:
                begun = any(node.label in known for known in (self.done, self.live, self.held))
                if not begun and all(need in self.done for need in node.needs):
                    progress |= self._start(node)

    def _start(self, node: Node) -> bool:
        """Reuse the node or submit it; whether it is done now."""
        sharers = self._sharers(node)
        path = write_node(self.store, self.run, node, self.done, str(self.parent), sharers)
        manifest = self._finished(node, path)
        if manifest is not None:
            self.reused += 1
            self.done[node.label] = manifest
            get_run_logger().info("%s: reused", node.label)
            return True
        if self._unapproved(node) is not None:
            self.held[node.label] = path
            return False
        children = [
            Child(node, number, self._submit(node, path, number))
            for number in range(1, sharers + 1)
        ]
        for child in children:
            self._adopt(child)
        self.live[node.label] = children
        return False

    def _sharers(self, node: Node) -> int:
        # Under force each would compute again what the others have just made.
        return 1 if node.step in self.force else node.runs

    def _finished(self, node: Node, path: str) -> Manifest | None:
        if node.step in self.force:
            # Done for this run only once this run itself has recomputed it.
            return resolved(self.store, self.run, node)
        manifest = reuse(self.store, node.step, path)
        if manifest is not None:
            record_step(self.store, self.run, node.step, node.role, path, manifest)
        return manifest

    def _unapproved(self, node: Node) -> What | None:
        """What a person must approve before this node may start."""
        if self.approvals.missing("plan"):
            return "plan"
        trains = node.step == "label-questions"
        return "questions" if trains and self.approvals.missing("questions") else None

    def _ask(self, nodes: list[Node]) -> None:
        """Nothing else is left to do: suspend this run until a person resumes it."""
        waiting = (node for node in nodes if node.label in self.held)
        what = self._unapproved(next(waiting))
        assert what is not None
        self.bar.say(
            self.done, f"{len(self.done)} of {len(nodes)} steps, {self.reused} reused; stopped for "
            f"a person to approve the {what}: Resume goes on, Cancel ends the run"
        )  # fmt: skip
        self.approvals.ask(
            what, lambda: markdown_plan(self.planned(self.done), nodes, what, self.held)
        )
        self.held.clear()

    def _submit(self, node: Node, path: str, number: int) -> FlowRun:
        label = node.label if number == 1 else f"{node.label}, run {number},"
        run = run_deployment(
            f"{node.step}/{node.pool}",
            parameters={"spec": f"{self.store.uri}/{path}", "force": node.step in self.force},
            timeout=0,
            flow_run_name=f"{label} of {self.run}",
            tags=[*self.tags, f"step:{node.step}", f"role:{node.role}"],
            idempotency_key=f"{self.parent}-{node.label}" + (f"/{number}" if number > 1 else ""),
        )
        assert isinstance(run, FlowRun)
        return run

    def _adopt(self, child: Child) -> None:
        """Ask for the retry of a child that an earlier attempt left broken, or incomplete."""
        state = self.client.read_flow_run(child.run.id).state_type
        if state in BROKEN or state == StateType.COMPLETED:
            self._retry(child)

    def _retry(self, child: Child) -> None:
        self.client.set_flow_run_state(child.run.id, AwaitingRetry(), force=True)
        child.retried = time.monotonic()

    def _seen(self) -> dict[UUID, FlowRun]:
        """This run and all its children as the server has them, in few questions."""
        ids = [self.parent, *(child.run.id for child in self._children())]
        found: dict[UUID, FlowRun] = {}
        for first in range(0, len(ids), PAGE):
            some = FlowRunFilter(id=FlowRunFilterId(any_=ids[first : first + PAGE]))
            for run in self.client.read_flow_runs(flow_run_filter=some, limit=PAGE):
                found[run.id] = run
        return found

    def _look_at(self, child: Child, run: FlowRun | None) -> None:
        if run is None:
            return self._fail(child, "its run was deleted")
        child.run = run
        if run.state_type == StateType.COMPLETED:
            self._completed(child)
        elif run.state_type == StateType.CANCELLED:
            self._fail(child, "a person cancelled it")
        elif run.state_type in BROKEN:
            if run.state_type == StateType.CRASHED and self._undone(child):
                child.asked_again = True
                return self._retry(child)
            message = run.state.message if run.state and run.state.message else "no message"
            self._fail(child, f"{run.state_name}: {message}")

    def _undone(self, child: Child) -> bool:
        """Whether the late report of an old crash has overwritten the retry: that happens once."""
        if child.retried is None or child.asked_again:
            return False
        return time.monotonic() - child.retried < SECOND_CRASH

    def _completed(self, child: Child) -> None:
        manifest = resolved(self.store, self.run, child.node)
        if manifest is None:
            return self._fail(child, "it completed without recording its parts")
        others = self.live.pop(child.node.label)
        self.done[child.node.label] = manifest
        # What no worker has begun need not begin any more; who is at it sees that all is done.
        for other in others:
            if other.run.state_type == StateType.SCHEDULED:
                self.client.set_flow_run_state(other.run.id, Cancelled(message=ENOUGH))

    def _fail(self, child: Child, why: str) -> None:
        label = child.node.label
        lost = self.lost.setdefault(label, [])
        lost.append(f"{label} (run {child.run.id}): {why}")
        self.live[label].remove(child)
        if self.live[label]:
            get_run_logger().warning("%s; others go on with its parts", lost[-1])
        else:
            del self.live[label]
            self.failures += lost

    def _children(self) -> list[Child]:
        return [child for children in self.live.values() for child in children]

    def cancel_children(self) -> None:
        """Cancel what is outstanding: the parent itself was cancelled."""
        for child in self._children():
            self.client.set_flow_run_state(child.run.id, Cancelling())

    def cancelled(self) -> bool:
        """Whether a person cancelled the parent."""
        return self.client.read_flow_run(self.parent).state_type in ENDED_BY_HAND

    def _running(self) -> dict[str, FlowRun]:
        return {label: children[0].run for label, children in self.live.items()}
