"""A full disk of this machine, said in one sentence wherever it was met."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.errors import DiskFull

NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def space_needed(step: str) -> Iterator[None]:
    """Turn any library's complaint about a full disk into DiskFull."""
    try:
        yield
    except Exception as error:
        if not _no_space(error):
            raise
        raise DiskFull(
            f"{step}: this machine's disk has no space left (scratch folder "
            f"{tempfile.gettempdir()}); free some, or set TMPDIR and HOTFIXR_CACHE to larger "
            "disks, and run the step again"
        ) from error


def _no_space(error: Exception) -> bool:
    # Libraries that are not written in Python say it in words of their own.
    full = isinstance(error, OSError) and error.errno in NO_SPACE
    return full or "No space left on device" in str(error)
