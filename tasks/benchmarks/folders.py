"""Folders that published files are read from: local ones, S3, and data sets of the hub.

A source may be several URIs with blanks between, for a benchmark whose files are published in more
than one place; a file is taken from the first that has it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from tasks.artifacts.digests import file_record
from tasks.artifacts.roots import require_root
from tasks.artifacts.store import Store, open_store
from tasks.errors import BadInput, WrongWorker

T = TypeVar("T")
URIS = "file:///FOLDER, s3://BUCKET/FOLDER or hf://datasets/ORG/NAME@REVISION"
_HUB = re.compile(r"hf://datasets/[\w.-]+/[\w.-]+(?P<revision>@[\w.%-]+)?(?:/.*)?")


class Folder(Protocol):
    """A folder to read from; every method raises BadInput or StoreError."""

    @property
    def uri(self) -> str:
        """Where it is."""

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None where there is none."""

    def has(self, path: str) -> bool:
        """Whether there is this file."""

    def fetch(self, path: str, local: Path) -> None:
        """Copy a file that is there: large ones are never held in memory."""

    def names(self, prefix: str) -> Iterator[str]:
        """The paths of all files below a folder of it, in order."""

    def digest(self, path: str) -> str:
        """SHA-256 of a file that is there."""


@dataclass(frozen=True)
class StoreFolder:
    """A local folder, or one in S3."""

    store: Store

    @property
    def uri(self) -> str:
        """Where it is."""
        return self.store.uri

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None where there is none."""
        there = self.store.get(path)
        return None if there is None else there.data

    def has(self, path: str) -> bool:
        """Whether there is this file."""
        return self.read(path) is not None

    def fetch(self, path: str, local: Path) -> None:
        """Copy a file that is there."""
        self.store.download(path, local)

    def names(self, prefix: str) -> Iterator[str]:
        """The paths of all files below a folder of it, in order."""
        return self.store.list(prefix)

    def digest(self, path: str) -> str:
        """SHA-256 of a file that is there."""
        return _digest(self, path)


@dataclass(frozen=True)
class HubFolder:
    """A data set of the hub at one revision, or a folder of it."""

    uri: str

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None where there is none."""
        return self._ask(lambda files: bytes(files.cat_file(self._at(path))))

    def has(self, path: str) -> bool:
        """Whether there is this file."""
        return self._ask(lambda files: files.info(self._at(path))) is not None

    def fetch(self, path: str, local: Path) -> None:
        """Copy a file that is there."""
        self._ask(lambda files: files.get_file(self._at(path), str(local)))

    def names(self, prefix: str) -> Iterator[str]:
        """The paths of all files below a folder of it, in order."""
        found = self._ask(lambda files: files.find(self._at(prefix).rstrip("/"))) or []
        start = len(self._at(""))
        return iter(sorted(path[start:] for path in found))

    def digest(self, path: str) -> str:
        """SHA-256 of a file that is there; the hub knows it of large files."""
        known = (self._ask(lambda files: files.info(self._at(path))) or {}).get("lfs")
        return str(known["sha256"]) if known else _digest(self, path)

    def _at(self, path: str) -> str:
        return f"{self.uri.removeprefix('hf://')}/{path}"

    def _ask(self, call: Callable[[Any], T]) -> T | None:
        """What the hub says; None where it has the data set but no such file."""
        try:
            import fsspec
            import httpx
            from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

            files = fsspec.filesystem("hf")
        except ImportError as error:
            raise WrongWorker(
                f"{self.uri} cannot be read without the package huggingface_hub; install the "
                "compute packages, or copy the files to a folder and name that"
            ) from error
        try:
            return call(files)
        except FileNotFoundError as error:
            if isinstance(error.__cause__, RepositoryNotFoundError | RevisionNotFoundError):
                raise BadInput(
                    f"{self.uri} is not on the hub, or not visible to this worker; check name and "
                    "revision, and set HF_TOKEN for a data set that is private or gated"
                ) from error
            return None
        except (httpx.HTTPError, OSError) as error:
            raise WrongWorker(
                f"the hub did not deliver {self.uri} ({type(error).__name__}); run prepare-data "
                "where the hub can be reached, or copy the files to a folder and give file:///FOLDER"
                " or s3://BUCKET/FOLDER"
            ) from error


def _digest(folder: Folder, path: str) -> str:
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        local = Path(scratch, "file")
        folder.fetch(path, local)
        return file_record(local, path).sha256


class Found(NamedTuple):
    """A file in a folder."""

    folder: Folder
    path: str

    def __str__(self) -> str:
        """Its URI."""
        return f"{self.folder.uri}/{self.path}"

    def data(self) -> bytes:
        """Its bytes."""
        return self.folder.read(self.path) or b""

    def digest(self) -> str:
        """SHA-256 of its bytes."""
        return self.folder.digest(self.path)


def open_folder(what: str, uri: str) -> Folder:
    """The folder at a URI; `what` names it in the error about any other."""
    if uri.startswith("hf://"):
        return HubFolder(_pinned(what, uri.rstrip("/")))
    if not uri.startswith(("file:///", "s3://")):
        raise BadInput(f"the source of {what} is {uri!r}; give a URI: {URIS}")
    require_root(f"the source of {what}", uri)
    return StoreFolder(open_store(uri))


def open_folders(what: str, source: str) -> tuple[Folder, ...]:
    """The folders at the URIs of a source."""
    return tuple(open_folder(what, uri) for uri in re.split(r"\s+(?=\w+://)", source.strip()))


def _pinned(what: str, uri: str) -> str:
    match = _HUB.fullmatch(uri)
    if match is None or match["revision"] is None:
        raise BadInput(
            f"the source of {what} is {uri!r}; write hf://datasets/ORG/NAME@REVISION, with the "
            "revision, because what a branch holds today may differ tomorrow"
        )
    return uri
