"""hotfixr gc: what no run reaches, shown and removed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from deployments.terminal import StoreOption, chosen_store, say
from tasks.garbage import Waste, find_garbage, remove_garbage
from tasks.runs import forget_run, read_run


def gc(
    delete: Annotated[bool, typer.Option("--delete", help="Remove it; else it is shown")] = False,
    older_than: Annotated[
        float, typer.Option(min=1.0, help="Days: nothing younger is touched")
    ] = 7.0,
    forget: Annotated[list[str], typer.Option(help="Run to remove with what it alone used")] = [],  # noqa: B006
    each: Annotated[bool, typer.Option("--list", help="Every object by its path")] = False,
    store: StoreOption = "",
) -> None:
    """Clean up: parts that no run reaches, copies, claims and checkpoints that were left behind."""
    artifacts = chosen_store(store)
    before = datetime.now(UTC) - timedelta(days=older_than)
    runs = [read_run(artifacts, name).run for name in forget]
    wastes = find_garbage(artifacts, before, runs)
    if delete:
        for run in runs:
            forget_run(artifacts, run)
        wastes = remove_garbage(artifacts, wastes, before)
    _tell(wastes, each)
    for run in runs:
        say(f"run {run} {'was' if delete else 'would be'} forgotten")
    if not delete:
        say(f"nothing in {artifacts.uri} was changed; hotfixr gc --delete removes this")


def _tell(wastes: list[Waste], each: bool) -> None:
    kinds = list(dict.fromkeys(waste.kind for waste in wastes))
    for kind in kinds:
        found = [waste for waste in wastes if waste.kind == kind]
        say(f"{kind:18} {len(found):8} {_size(sum(waste.size for waste in found)):>12}")
        for path in (path for waste in found for path in waste.paths if each):
            say(f"    {path}")
    if not kinds:
        say("nothing to clean up")


def _size(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
