"""What the store's small JSON objects hold: parts, manifests, run objects."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

VERSION = 1
ABANDONED = ".abandoned"  # in an attempt: its files are being removed


class Record(BaseModel):
    """A frozen JSON object; unknown fields are an error, not a surprise later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_bytes(self) -> bytes:
        """Indented JSON, for people who look into the bucket."""
        return self.model_dump_json(indent=2).encode()


class FileRecord(Record):
    """A data file of a part: its name below the attempt, size in bytes and SHA-256 (hex)."""

    name: str
    size: int
    sha256: str


class Part(Record):
    """A finished unit of work: which attempt made it, and the files that it consists of."""

    version: int = VERSION
    step: str
    name: str  # within its step: "answers/base/facts/de"
    digest: str  # of what shapes it
    attempt: str
    content: str  # digest of its bytes
    files: list[FileRecord]
    facts: dict[str, Any] = {}  # rows, seeds, versions, engine, device, timings, token counts

    @property
    def folder(self) -> str:
        """Where this attempt's files lie in the store."""
        return f"{part_folder(self.step, self.digest)}/{self.attempt}"


class Manifest(Record):
    """Everything that one spec of a step came to."""

    version: int = VERSION
    step: str
    spec: str  # digest of the spec
    parts: dict[str, Part]


class RunObject(Record):
    """What one run resolved one step to; one object per step, so that nobody shares a file."""

    version: int = VERSION
    run: str
    step: str
    label: str
    spec: str  # path of the spec that the run wrote
    manifest: Manifest
    package: str  # version of this package
    finished: str  # UTC, ISO 8601


def part_folder(step: str, digest: str) -> str:
    """Where all attempts of a part, its part.json and its claim lie."""
    return f"parts/{step}/{digest}"


def manifest_path(step: str, spec: str) -> str:
    """Where the manifest of a step's spec lies."""
    return f"steps/{step}/{spec}.json"


def run_object_path(run: str, step: str, label: str) -> str:
    """Where a run says what one of its steps resolved to."""
    return f"runs/{run}/{step}-{label}.json"
