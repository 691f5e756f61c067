"""prepare-models: every model of the recipe into the store, once, so that workers need no hub."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.models.references import parse_reference

VERSION = 1


class Wanted(Spec):
    """A model reference, and what its bytes are: a commit, a digest, a package version."""

    reference: str
    revision: str


class PrepareModels(Spec):
    """The models to mirror."""

    models: tuple[Wanted, ...]


def plan(spec: PrepareModels, done: Mapping[str, Part]) -> Plan:
    """One part per model, named by its reference."""
    return {
        one.reference: {"version": VERSION, "reference": one.reference, "revision": one.revision}
        for one in spec.models
    }


def compute(spec: PrepareModels, work: Work) -> None:
    """Materialise each as a folder that transformers loads, and publish it."""
    from tasks.models.mirror import materialise

    revisions = {one.reference: one.revision for one in spec.models}
    while names := work.take():
        [name] = names
        reference = parse_reference(name)
        if reference.kind == "hf":
            # The commit that the recipe was resolved to, not what a branch points to by now.
            reference = replace(reference, revision=revisions[name])
        work.events.progress(len(work.done), len(spec.models), f"fetching {name}")
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            facts = materialise(reference, Path(scratch))
            work.publish(name, Path(scratch), **facts)


STEP = Step("prepare-models", PrepareModels, plan, compute)
