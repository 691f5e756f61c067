"""Members of a zip archive, one at a time and never larger than what is allowed.

Inspect compresses with Zstandard, which Python's zipfile reads from 3.14 on; pyarrow does here.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import IO, NamedTuple

import pyarrow as pa

from tasks.errors import BadInput

_ZSTANDARD = 93  # the method's number in the zip format
_LOCAL_HEADER = 30  # bytes, followed by the name and the extra field


class Limits(NamedTuple):
    """What an archive may hold, in bytes when unpacked, and how far it may be compressed."""

    total: int = 16 << 30
    member: int = 256 << 20
    ratio: int = 300  # text of logs reaches 50; a bomb 1,000 and more
    small: int = 1 << 20  # a member that is no larger may have any ratio


class Archive:
    """An open zip file. Raises BadInput where it is damaged or beyond the limits."""

    def __init__(self, file: IO[bytes], where: str, limits: Limits) -> None:
        self._file, self._where = file, where
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise self._damaged("it is no whole zip archive") from error
        self._check(self._zip.infolist(), limits)

    @property
    def names(self) -> list[str]:
        """All members, in the order in which they were written."""
        return self._zip.namelist()

    def _check(self, members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
        total = sum(member.file_size for member in members)
        if total > limits.total:
            raise self._beyond(f"it unpacks to {total:,} bytes", limits.total)
        for member in members:
            size, packed = member.file_size, member.compress_size
            if size > limits.member:
                raise self._beyond(f"{member.filename!r} unpacks to {size:,} bytes", limits.member)
            if size > limits.small and size > limits.ratio * packed:
                raise self._beyond(
                    f"{member.filename!r} unpacks from {packed:,} to {size:,} bytes",
                    limits.ratio * packed,
                )

    def read(self, name: str) -> bytes:
        """One member, checked against its length and checksum."""
        member = self._zip.getinfo(name)
        try:
            data = (
                self._zstandard(member)
                if member.compress_type == _ZSTANDARD
                else self._zip.read(member)
            )
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise self._damaged(f"{name!r} cannot be unpacked") from error
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise self._damaged(f"{name!r} is not what its directory says")
        return data

    def _zstandard(self, member: zipfile.ZipInfo) -> bytes:
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile(member.filename)
        name, extra = struct.unpack("<HH", header[26:])
        self._file.seek(name + extra, 1)
        packed = pa.BufferReader(self._file.read(member.compress_size))
        with pa.CompressedInputStream(packed, "zstd") as stream:
            # One byte more than stated shows an archive that lies about its sizes.
            return bytes(stream.read(member.file_size + 1))

    def _beyond(self, what: str, limit: int) -> BadInput:
        return BadInput(
            f"{self._where} is too large to read: {what}, and at most {limit:,} are read; "
            "split the log, or convert it to tables."
        )

    def _damaged(self, what: str) -> BadInput:
        return BadInput(f"{self._where} is damaged: {what}; copy it again.")
