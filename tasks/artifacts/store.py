"""Where artifacts live: objects under one root, `s3://bucket/prefix` or `file:///folder`.

Paths are relative to the root. Small objects (JSON) are read and written whole, with the entity
tag that conditional writes need; data files go through local scratch in both directions, because
an exception inside a remote `open("wb")` publishes the truncated object.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from tasks.errors import BadInput


class Tagged(NamedTuple):
    """An object's bytes and the entity tag of exactly these bytes."""

    data: bytes
    etag: str


class Entry(NamedTuple):
    """An object in a listing: its path, size in bytes, and when it was written (UTC)."""

    path: str
    size: int
    modified: datetime


class Store(Protocol):
    """One bucket or folder; every method raises StoreUnreachable or StoreRefused."""

    uri: str

    def get(self, path: str) -> Tagged | None:
        """The object, or None where there is none."""

    def put(self, path: str, data: bytes) -> None:
        """Write whatever is there."""

    def create(self, path: str, data: bytes) -> str | None:
        """Write only where nothing is; the new entity tag, or None where something was."""

    def replace(self, path: str, data: bytes, etag: str) -> str | None:
        """Write only over the bytes that `etag` names; the new tag, or None if they changed."""

    def delete(self, path: str, etag: str | None = None) -> bool:
        """Remove it (only the bytes that `etag` names, if given); whether it was removed."""

    def upload(self, local: Path, path: str) -> None:
        """Copy a finished local file in."""

    def download(self, path: str, local: Path) -> bool:
        """Copy an object out; False where there is none."""

    def list(self, prefix: str) -> Iterator[str]:
        """All paths below a folder, in order."""

    def entries(self, prefix: str) -> Iterator[Entry]:
        """All objects below a folder, in order of path."""


PATIENCE = 120.0  # seconds that a server may be away before a step fails over it


def open_store(uri: str, patience: float | None = None) -> Store:
    """The store at a URI; nothing is contacted yet. Raises BadInput for other schemes.

    A server may be away for `patience` seconds; None: HOTFIXR_STORE_SECONDS, or two minutes.
    """
    if uri.startswith("s3://") and len(uri) > len("s3://"):
        from tasks.artifacts.s3 import S3Store

        if patience is None:
            patience = float(os.environ.get("HOTFIXR_STORE_SECONDS", PATIENCE))
        return S3Store(uri, patience)
    if uri.startswith("file://"):
        from tasks.artifacts.local import LocalStore

        return LocalStore(uri)
    raise BadInput(
        f"store {uri!r} is neither s3://BUCKET/PREFIX nor file:///FOLDER; "
        "set HOTFIXR_STORE or pass --store"
    )


def configured_store(patience: float | None = None) -> Store:
    """The store that HOTFIXR_STORE names; `patience` as in `open_store`."""
    uri = os.environ.get("HOTFIXR_STORE")
    if not uri:
        raise BadInput(
            "no artifact store is set: pass --store, or set HOTFIXR_STORE to s3://BUCKET/PREFIX "
            "or file:///FOLDER"
        )
    return open_store(uri, patience)
