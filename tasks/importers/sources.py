"""Files, folders and globs, here or behind a URI, and what a file looks like at its beginning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, Any

import botocore.exceptions
import fsspec
from fsspec.implementations.local import LocalFileSystem

from tasks.errors import BadInput

_HEAD = 1 << 20  # bytes that tell formats apart: a first record of a log may be long
_WILD = set("*?[")
UNREACHABLE = (OSError, botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError)


@dataclass(frozen=True)
class Source:
    """One file."""

    system: Any  # an fsspec file system
    path: str

    @property
    def name(self) -> str:
        """The file's own name."""
        return PurePosixPath(self.path).name

    @property
    def folder(self) -> PurePosixPath:
        """The folder that it lies in."""
        return PurePosixPath(self.path).parent

    @property
    def local(self) -> bool:
        """Whether it is a file of this machine."""
        return isinstance(self.system, LocalFileSystem)

    def __str__(self) -> str:
        return self.path if self.local else str(self.system.unstrip_protocol(self.path))

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Its bytes, seekable; raises BadInput where they cannot be had."""
        try:
            with self.system.open(self.path, "rb") as file:
                yield file
        except UNREACHABLE as error:
            raise BadInput(f"{self} cannot be read: {error}") from error

    def beside(self, pattern: str) -> list[Source]:
        """Files in the same folder whose names match."""
        return [
            Source(self.system, path)
            for path in sorted(self.system.glob(f"{self.folder}/{pattern}"))
        ]

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        with self.open() as file:
            return file.read(_HEAD)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first line as a JSON object; empty where it is none."""
        line = self.head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
        return _object(line)

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Line numbers and JSON objects of a JSONL file; raises BadInput for any other line."""
        with self.open() as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                found = _object(line.removeprefix(b"\xef\xbb\xbf"))
                if not found:
                    raise BadInput(
                        f"line {number} of {self} is not a JSON object: mend or remove that line."
                    )
                yield number, found

    def document(self) -> dict[str, Any]:
        """The whole file as one JSON object; raises BadInput."""
        with self.open() as file:
            found = _object(file.read())
        if not found:
            raise BadInput(f"{self} is not one whole JSON object: it may be cut off.")
        return found


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def find(files: Sequence[str | Path]) -> list[tuple[Source, bool]]:
    """Files in the order given, and whether each was named itself rather than found in a folder.

    Raises:
        BadInput: nothing is there, or a URI of a kind that cannot be read.
    """
    found: dict[tuple[str, str], tuple[Source, bool]] = {}
    for given in files:
        for source, named in _expanded(str(given)):
            found.setdefault((str(source.system.protocol), source.path), (source, named))
    return list(found.values())


def _expanded(given: str) -> Iterator[tuple[Source, bool]]:
    if "://" in given and not given.startswith(("file://", "s3://")):
        raise BadInput(f"{given!r} cannot be opened: give a file, file:// or s3://.")
    try:
        yield from _there(given)
    except UNREACHABLE as error:
        raise BadInput(f"{given!r} cannot be reached: {error}") from error


def _there(given: str) -> Iterator[tuple[Source, bool]]:
    system, path = fsspec.core.url_to_fs(given)
    if system.isfile(path):
        yield Source(system, path), True
    elif system.isdir(path):
        yield from ((Source(system, inner), False) for inner in sorted(system.find(path)))
    elif _WILD & set(path) and (matches := sorted(system.glob(path))):
        for match in matches:
            yield from _expanded(system.unstrip_protocol(match))
    else:
        raise BadInput(f"there is no file, folder or match for {given!r}: check the path.")
