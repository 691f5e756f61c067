"""One step of one run, from its spec to its manifest; with or without Prefect around it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from tasks.artifacts.claims import new_holder, release_all
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.compute.child import run_child
from tasks.compute.specs import SpecFile, read_spec
from tasks.compute.step import Events, Silent, Step, Work, complete, find_manifest
from tasks.errors import HotfixrError, StepFailed, StoreError
from tasks.steps import STEPS

logger = logging.getLogger(__name__)


def reuse(store: Store, step_name: str, spec: str) -> Manifest | None:
    """What the spec came to already, whoever made it; None where something is missing."""
    step = STEPS[step_name]
    return find_manifest(store, step, read_spec(store, step, spec).spec)


def parts_done(store: Store, step_name: str, spec: str) -> tuple[int, int]:
    """How many parts of a spec are there, of how many that can be named today."""
    step = STEPS[step_name]
    work = Work(store, step, Silent())
    work.resolve(read_spec(store, step, spec).spec)
    return len(work.done), len(work.done) + len(work.missing)


def compute(
    store: Store,
    step_name: str,
    spec: str,
    events: Events,
    force: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
) -> Manifest:
    """Compute what is missing (with `force`: everything) and return the manifest."""
    step = STEPS[step_name]
    file = read_spec(store, step, spec)
    try:
        if not step.in_child:
            return complete(Work(store, step, events, force), file.spec)
        holder = new_holder(file.label)
        try:
            run_child(step_name, spec, store.uri, events, holder, force, should_stop)
        except BaseException:
            # The child is gone by now; what it had claimed must not wait for anybody's patience.
            _release(store, step, file, holder)
            raise
    except HotfixrError as error:
        raise type(error)(_with_run(str(error), file.run)) from error
    manifest = find_manifest(store, step, file.spec)
    if manifest is None:
        raise StepFailed(f"{file.label} ended well but parts of it are missing; run it again")
    return manifest


def _release(store: Store, step: Step, file: SpecFile, holder: str) -> None:  # type: ignore[type-arg]
    work = Work(store, step, Silent())
    try:
        work.resolve(file.spec)
        # Under force, claims lie on parts that were there before, too.
        there = [part.digest for part in work.done.values()]
        release_all(store, holder, step.name, [*work.missing.values(), *there])
    except StoreError as error:
        # What ended the child is what people must hear of; claims end by others' patience.
        logger.warning("claims of %s not given back: %s", holder, error)


def _with_run(message: str, run: str) -> str:
    """Commands in a message name this run, so that they can be copied."""
    return message.replace("--run RUN", f"--run {run}")
