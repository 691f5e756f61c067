"""What all commands share: how they speak, and which store they look at."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from flows.pipeline import Node
from tasks.artifacts.store import Store, configured_store, open_store
from tasks.untrusted import one_line

StoreOption = Annotated[str, typer.Option("--store", help="s3://BUCKET/PREFIX or file:///FOLDER")]
PROGRESS_EVERY = 10.0  # seconds between progress lines


def say(line: str, error: bool = False) -> None:
    """One line on the terminal; whatever names and messages hold, it stays one line of text."""
    typer.echo(one_line(line), err=error)


def chosen_store(uri: str) -> Store:
    """The store that --store names, or the configured one."""
    return open_store(uri) if uri else configured_store()


class Terminal:
    """What a run says on the terminal."""

    def __init__(self) -> None:
        self._since = self._last = time.monotonic()

    def started(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        self._since = time.monotonic()
        say(f"{node.label}: started")

    def reused(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        say(f"{node.label}: reused")

    def finished(self, node: Node) -> None:
        """See `flows.here.Watcher`."""
        say(f"{node.label}: done in {time.monotonic() - self._since:.1f} s")

    def progress(self, done: int, total: int, what: str) -> None:
        """See `flows.here.Watcher`."""
        if time.monotonic() - self._last > PROGRESS_EVERY:
            self._last = time.monotonic()
            say(f"    {done} of {total}: {what}")
