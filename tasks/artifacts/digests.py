"""One name for one content: SHA-256 over canonical JSON, and over files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tasks.artifacts.records import FileRecord, Part


def canonical(value: Any) -> str:
    """JSON with sorted keys and every field; a part stands as the digest of its content."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _plain(value: Any) -> Any:
    # Where a part lies and which attempt made it must not matter, only its bytes.
    if isinstance(value, Part):
        return value.content
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def file_record(file: Path, name: str) -> FileRecord:
    """Size and SHA-256 of a local file."""
    with file.open("rb") as handle:
        sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
    return FileRecord(name=name, size=file.stat().st_size, sha256=sha256)


def content_digest(files: Iterable[FileRecord]) -> str:
    """SHA-256 over the names and checksums of a part's files, in order of name."""
    lines = sorted(f"{file.name} {file.sha256}" for file in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
