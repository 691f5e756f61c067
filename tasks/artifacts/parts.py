"""Parts: what is addressed, checksummed and reused. No part.json, no part.

A part's files go under an attempt that nobody else writes to; `part.json` names the attempt and
is written last, by one conditional put. Readers verify size and SHA-256 of every file.
"""

from __future__ import annotations

import io
import logging
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from tasks.artifacts.digests import content_digest, file_record
from tasks.artifacts.records import ABANDONED, VERSION, FileRecord, Part, part_folder
from tasks.artifacts.store import Store
from tasks.errors import PartDamaged, PartMissing, StoreError

logger = logging.getLogger(__name__)
TABLE = "data.parquet"


def find_part(store: Store, step: str, digest: str) -> Part | None:
    """The published part of this digest, or None."""
    there = store.get(f"{part_folder(step, digest)}/part.json")
    return None if there is None else _read(there.data, step, digest)


def _read(data: bytes, step: str, digest: str) -> Part | None:
    try:
        return Part.model_validate_json(data)
    except ValidationError:
        # Written by another version of this package: as good as absent, and overwritten.
        logger.warning("%s %s: part.json is not of version %d; ignored", step, digest, VERSION)
        return None


def publish_part(
    store: Store,
    step: str,
    name: str,
    digest: str,
    folder: Path,
    facts: dict[str, Any],
    replace: bool = False,
) -> Part:
    """Upload a finished local folder and make it the part; the part that stands afterwards.

    Where somebody else published first, theirs stands (unless `replace`, which is `force`).
    """
    names = sorted(file.relative_to(folder).as_posix() for file in _files(folder))
    files = [file_record(folder / name, name) for name in names]
    part = Part(
        step=step,
        name=name,
        digest=digest,
        attempt=uuid.uuid4().hex[:12],
        content=content_digest(files),
        files=files,
        facts=facts,
    )
    for file in files:
        store.upload(folder / file.name, f"{part.folder}/{file.name}")
    standing = _commit(store, part, replace)
    if standing is part:
        _verify_kept(store, part)
    return standing


def _verify_kept(store: Store, part: Part) -> None:
    """Take the part back if its files are being removed as abandoned: it was published too late."""
    there = set(store.list(part.folder))
    files = {f"{part.folder}/{file.name}" for file in part.files}
    if files <= there and f"{part.folder}/{ABANDONED}" not in there:
        return
    path = f"{part_folder(part.step, part.digest)}/part.json"
    published = store.get(path)
    if published is not None and published.data == part.to_bytes():
        store.delete(path, published.etag)
    raise PartMissing(
        f"{part.folder} in {store.uri} was cleaned up while it was being published; run the step "
        "again"
    )


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _commit(store: Store, part: Part, replace: bool) -> Part:
    path, data = f"{part_folder(part.step, part.digest)}/part.json", part.to_bytes()
    for _ in range(20):
        if store.create(path, data):
            return part
        # A refusal may be our own first success, sent again by a retry below us: so, read.
        there = store.get(path)
        if there is None:
            continue
        standing = _read(there.data, part.step, part.digest)
        if standing is not None and (not replace or standing.attempt == part.attempt):
            return standing
        if store.replace(path, data, there.etag):
            return part
    raise StoreError(f"{path} in {store.uri} kept changing; run the step again")


def publish_table(
    store: Store,
    step: str,
    name: str,
    digest: str,
    table: pa.Table,
    facts: dict[str, Any],
    replace: bool = False,
) -> Part:
    """Publish one table as a part of one Parquet file."""
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        pq.write_table(table, Path(scratch) / TABLE, compression="zstd")
        facts = {"rows": table.num_rows, **facts}
        return publish_part(store, step, name, digest, Path(scratch), facts, replace)


def fetch_part(store: Store, part: Part, folder: Path) -> Path:
    """Download all files of a part below `folder`, verified; returns `folder`."""
    for file in part.files:
        fetch_file(store, part, file, folder / file.name)
    return folder


def fetch_file(store: Store, part: Part, file: FileRecord, local: Path) -> None:
    """Download one file of a part and verify it. Raises PartMissing or PartDamaged."""
    local.parent.mkdir(parents=True, exist_ok=True)
    where = f"{part.folder}/{file.name}"
    if not store.download(where, local):
        raise PartMissing(f"{where} is not in {store.uri}; {_mend(part)}")
    found = file_record(local, file.name)
    if found != file:
        raise PartDamaged(
            f"{where} in {store.uri} is damaged: {found.size} bytes with SHA-256 "
            f"{found.sha256[:12]} instead of {file.size} bytes with {file.sha256[:12]}; "
            f"{_mend(part)}"
        )


def _mend(part: Part) -> str:
    return f"rebuild it with `hotfixr step {part.step} --run RUN --force`"


def read_table(
    store: Store, part: Part, columns: Sequence[str] | None = None, file: str = TABLE
) -> pa.Table:
    """One verified Parquet file of a part; only the named columns are decoded."""
    with _fetched(store, part, file) as local:
        wanted = None if columns is None else list(columns)
        return pq.read_table(io.BytesIO(local.read_bytes()), columns=wanted)


def read_batches(store: Store, part: Part, rows: int) -> Iterator[pa.RecordBatch]:
    """The verified Parquet file of a part, at most so many rows at a time."""
    with _fetched(store, part, TABLE) as local, pq.ParquetFile(local) as table:
        yield from table.iter_batches(rows)


@contextmanager
def _fetched(store: Store, part: Part, file: str) -> Iterator[Path]:
    record = next((known for known in part.files if known.name == file), None)
    if record is None:
        raise PartMissing(f"part {part.name!r} of {part.step} has no file {file}; {_mend(part)}")
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
        local = Path(scratch) / "table"
        fetch_file(store, part, record, local)
        yield local
