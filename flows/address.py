"""Addresses that travel between flow runs: always whole URIs, so that a worker needs no more."""

from __future__ import annotations

from tasks.errors import BadInput

RUNS = "/runs/"


def split_spec(uri: str) -> tuple[str, str]:
    """`s3://bucket/prefix/runs/...` as the store's URI and the path within it."""
    root, found, rest = uri.partition(RUNS)
    if not found or "://" not in root:
        raise BadInput(
            f"{uri!r} is not the URI of a spec; it looks like "
            "s3://BUCKET/PREFIX/runs/RUN/specs/STEP-ROLE.json"
        )
    return root, f"runs/{rest}"
