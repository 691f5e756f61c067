"""Artifacts in a folder: exclusive creation by hard link, conditional writes under a file lock."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tasks.artifacts.store import Entry, Tagged
from tasks.errors import StoreRefused

SCRATCH = ".scratch"
NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


class LocalStore:
    """Objects as files below `file:///folder`; all processes must see the same file system."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")
        self._root = Path(self.uri.removeprefix("file://"))

    def get(self, path: str) -> Tagged | None:
        """The object, or None where there is none."""
        try:
            data = (self._root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Tagged(data, _etag(data))

    def put(self, path: str, data: bytes) -> None:
        """Write whatever is there."""
        with self._written(data) as written:
            os.replace(written, self._target(path))

    def create(self, path: str, data: bytes) -> str | None:
        """Write only where nothing is; the new entity tag, or None where something was."""
        with self._written(data) as written:
            try:
                os.link(written, self._target(path))
            except FileExistsError:
                return None
        return _etag(data)

    def replace(self, path: str, data: bytes, etag: str) -> str | None:
        """Write only over the bytes that `etag` names; the new tag, or None if they changed."""
        with self._locked(path):
            there = self.get(path)
            if there is None or there.etag != etag:
                return None
            self.put(path, data)
        return _etag(data)

    def delete(self, path: str, etag: str | None = None) -> bool:
        """Remove it (only the bytes that `etag` names, if given); whether it was removed."""
        if etag is None:
            return self._unlink(path)
        with self._locked(path):
            there = self.get(path)
            return there is not None and there.etag == etag and self._unlink(path)

    def _unlink(self, path: str) -> bool:
        try:
            (self._root / path).unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def upload(self, local: Path, path: str) -> None:
        """Copy a finished local file in."""
        with self._scratch() as scratch:
            shutil.copyfile(local, scratch)
            os.replace(scratch, self._target(path))

    def download(self, path: str, local: Path) -> bool:
        """Copy an object out; False where there is none."""
        try:
            shutil.copyfile(self._root / path, local)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def list(self, prefix: str) -> Iterator[str]:
        """All paths below a folder, in order."""
        return (entry.path for entry in self.entries(prefix))

    def entries(self, prefix: str) -> Iterator[Entry]:
        """All objects below a folder, in order of path."""
        found = map(self._entry, (self._root / prefix).rglob("*"))
        return iter(sorted(entry for entry in found if entry is not None))

    def _entry(self, file: Path) -> Entry | None:
        try:
            facts = file.stat()
        except FileNotFoundError:  # removed since it was listed
            return None
        if not stat.S_ISREG(facts.st_mode):
            return None
        path = file.relative_to(self._root).as_posix()
        return Entry(path, facts.st_size, datetime.fromtimestamp(facts.st_mtime, UTC))

    def _target(self, path: str) -> Path:
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """A file of our own on the same file system, so that a rename or link is atomic."""
        folder = self._root / SCRATCH
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=folder)
        except OSError as error:
            raise StoreRefused(
                f"store {self.uri} cannot be written ({error.strerror}); "
                "name a folder that this user may write"
            ) from error
        os.close(handle)
        try:
            yield Path(name)
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            raise StoreRefused(
                f"store {self.uri} has no space left; free some, or name a folder on a larger disk"
            ) from error
        finally:
            Path(name).unlink(missing_ok=True)

    @contextmanager
    def _written(self, data: bytes) -> Iterator[Path]:
        with self._scratch() as scratch:
            scratch.write_bytes(data)
            yield scratch

    @contextmanager
    def _locked(self, path: str) -> Iterator[None]:
        """One lock file per object path, so that compare and write are one action."""
        lock = self._target(f"{SCRATCH}/{hashlib.sha256(path.encode()).hexdigest()[:16]}.lock")
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def _etag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
