"""A worker looks at its own machine: `hotfixr doctor` asks each pool, and so may a person."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version

from prefect import flow
from prefect.artifacts import create_table_artifact

from flows.specs import prepare_models
from flows.weights import weighted
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store, configured_store
from tasks.benchmarks import revision
from tasks.compute.step import Silent, Work
from tasks.errors import HotfixrError
from tasks.findings import GIB, Finding, finding, look_at_machine
from tasks.model_list import ModelsRecipe
from tasks.models.cache import cached
from tasks.models.references import Reference
from tasks.prepare_models import STEP as PREPARE_MODELS
from tasks.read_recipe import read_recipe
from tasks.recipe import Recipe

PACKAGES = ("hotfixr-flows", "prefect")  # which must be the same everywhere


@flow(name="examine-worker")
def examine_worker(recipe: str = "", models: bool = False) -> None:
    """Look at the machine that a worker of this pool runs on; the table says what was found.

    Args:
        recipe: Name or URI of a recipe whose data and models are looked for; empty for none.
        models: Whether this worker has to load models.
    """
    found = [*installed(), *look_at_machine(models)]
    if recipe:
        found += look_at_recipe(recipe)
    create_table_artifact([one.model_dump() for one in found], description=platform.node())


def installed() -> Iterator[Finding]:
    """The versions that server, workers and this process have to share."""
    for name in PACKAGES:
        yield Finding(what=name, level="ok", found=version(name))


def look_at_recipe(name: str) -> Iterator[Finding]:
    """Whether a recipe's data and models can be had on this machine."""
    try:
        recipe, store = read_recipe(name), configured_store()
    except HotfixrError as error:
        yield finding(f"recipe {name}", False, str(error), "mend what it says")
        return
    yield from _data(recipe)
    for reference in weighted(recipe):
        yield _model(store, reference)


def _data(recipe: Recipe | ModelsRecipe) -> Iterator[Finding]:
    for choice in recipe.benchmarks:
        what, mend = f"data of {choice.name}", "mend what it says, or name another source"
        try:
            revision(choice.name, choice.source)
        except HotfixrError as error:
            yield finding(what, False, str(error), mend)
        else:
            yield finding(what, True, f"{choice.source} can be read", mend)


def _model(store: Store, reference: Reference) -> Finding:
    what = f"model {reference}"
    try:
        part = _mirrored(store, reference)
    except HotfixrError as error:
        mend = "run prepare-models where it can be had; workers then take it from the store"
        return finding(what, False, str(error), mend)
    if part is None:
        mend = "the step prepare-models fetches it; run that where the hub can be reached"
        return Finding(what=what, level="note", found="not in the store yet", mend=mend)
    if cached(part):
        return Finding(what=what, level="ok", found="in the store and in this machine's cache")
    size = sum(file.size for file in part.files) / GIB
    found = f"in the store ({size:.1f} GiB), not in this machine's cache"
    return Finding(what=what, level="note", found=found, mend="the first step fetches it")


def _mirrored(store: Store, reference: Reference) -> Part | None:
    work = Work(store, PREPARE_MODELS, Silent())
    work.resolve(prepare_models([reference]))
    return work.done.get(str(reference))
