"""Checkpoints of a part that takes long: folders in the store, each complete or absent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tasks.artifacts.digests import file_record
from tasks.artifacts.records import FileRecord, Record, part_folder
from tasks.artifacts.store import Store

KEPT = 2  # the newest, and one before it in case the newest is damaged


class Checkpoint(Record):
    """A checkpoint's files; written last, so its presence means that all of them are there."""

    step: int
    files: list[FileRecord]


class Checkpoints(Protocol):
    """What a trainer needs of them."""

    def save(self, folder: Path, step: int) -> None:
        """Publish a checkpoint folder."""

    def latest(self, into: Path) -> Path | None:
        """The newest complete one, downloaded below `into`."""


@dataclass(frozen=True)
class StoredCheckpoints:
    """Where a training step saves its state, and finds it again after it was killed."""

    store: Store
    step: str
    digest: str

    @property
    def _folder(self) -> str:
        return f"{part_folder(self.step, self.digest)}/checkpoints"

    def save(self, folder: Path, step: int) -> None:
        """Publish a checkpoint folder; older ones but one are removed."""
        files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
        records = [file_record(file, file.relative_to(folder).as_posix()) for file in files]
        for record in records:
            self.store.upload(folder / record.name, f"{self._at(step)}/{record.name}")
        marker = Checkpoint(step=step, files=records)
        self.store.put(f"{self._at(step)}/checkpoint.json", marker.to_bytes())
        for old in self._steps()[:-KEPT]:
            self._remove(old)

    def latest(self, into: Path) -> Path | None:
        """The newest undamaged checkpoint, downloaded to `into/checkpoint-<step>`."""
        for step in reversed(self._steps()):
            if self._download(step, into / f"checkpoint-{step}"):
                return into / f"checkpoint-{step}"
        return None

    def clear(self) -> None:
        """Remove all of them: the part is published."""
        for path in self.store.list(self._folder):
            self.store.delete(path)

    def _at(self, step: int) -> str:
        return f"{self._folder}/{step:06d}"

    def _steps(self) -> list[int]:
        markers = (path for path in self.store.list(self._folder))
        return sorted(int(p.split("/")[-2]) for p in markers if p.endswith("/checkpoint.json"))

    def _download(self, step: int, folder: Path) -> bool:
        marker = self.store.get(f"{self._at(step)}/checkpoint.json")
        if marker is None:
            return False
        for record in Checkpoint.model_validate_json(marker.data).files:
            local = folder / record.name
            local.parent.mkdir(parents=True, exist_ok=True)
            if not self.store.download(f"{self._at(step)}/{record.name}", local):
                return False
            if file_record(local, record.name) != record:
                return False
        return True

    def _remove(self, step: int) -> None:
        # The marker goes first: what is half removed must not look complete.
        self.store.delete(f"{self._at(step)}/checkpoint.json")
        for path in self.store.list(self._at(step)):
            self.store.delete(path)
