"""Which folders and buckets a recipe may name on this machine: HOTFIXR_ROOTS lists them.

Whoever starts a run from the UI writes addresses that a worker then reads with its own rights. With
the variable set (URIs, separated by blanks) it reads no others; without it everything that its
account and credentials can read.
"""

from __future__ import annotations

import os
import posixpath

from tasks.errors import BadInput

VARIABLE = "HOTFIXR_ROOTS"


def require_root(what: str, uri: str) -> None:
    """Refuse a file:// or s3:// address outside of the roots; `what` names it in the BadInput."""
    listed = os.environ.get(VARIABLE)
    if listed is None or any(_inside(_real(uri), _real(root)) for root in listed.split()):
        return
    roots = ", ".join(listed.split()) or "none at all"
    raise BadInput(
        f"{what} is {uri!r}, and this worker may read {roots}; copy it there, or name its folder "
        f"in {VARIABLE} where the worker starts"
    )


def _real(uri: str) -> str:
    """Without "..", and on disks without links: what is read in the end."""
    scheme, _, path = uri.partition("://")
    real = os.path.realpath(path) if scheme == "file" else posixpath.normpath(path)
    return f"{scheme}://{real.rstrip('/')}"


def _inside(uri: str, root: str) -> bool:
    return uri == root or uri.startswith(f"{root}/")
