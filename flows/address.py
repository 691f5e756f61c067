"""Addresses that travel between flow runs: always whole URIs, so that a worker needs no more."""

from __future__ import annotations

import os

from tasks.artifacts.roots import require_root
from tasks.errors import BadInput

RUNS = "/runs/"


def split_spec(uri: str) -> tuple[str, str]:
    """`s3://bucket/prefix/runs/...` as the store's URI and the path within it.

    Raises BadInput for what is no spec, and for a store that this worker was not given.
    """
    root, found, rest = uri.partition(RUNS)
    if not found or "://" not in root or ".." in rest.split("/"):
        raise BadInput(
            f"{uri!r} is not the URI of a spec; it looks like "
            "s3://BUCKET/PREFIX/runs/RUN/specs/STEP-ROLE.json"
        )
    if root != os.environ.get("HOTFIXR_STORE", "").rstrip("/"):
        require_root("the store of the spec", root)
    return root, f"runs/{rest}"
