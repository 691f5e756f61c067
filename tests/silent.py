"""A watcher that says nothing."""

from __future__ import annotations

from flows.pipeline import Node


class Silent:
    def __init__(self) -> None:
        self.computed: list[str] = []
        self.kept: list[str] = []

    def started(self, node: Node) -> None:
        self.computed.append(node.label)

    def reused(self, node: Node) -> None:
        self.kept.append(node.label)

    def finished(self, node: Node) -> None:
        pass

    def progress(self, done: int, total: int, what: str) -> None:
        pass
