"""A worker's own copies of models, keyed by content digest, so that each is fetched once."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

from tasks.artifacts.parts import fetch_part
from tasks.artifacts.records import Part
from tasks.artifacts.store import Store


def cache_root() -> Path:
    """HOTFIXR_CACHE, or a folder in the user's cache."""
    return Path(os.environ.get("HOTFIXR_CACHE") or Path.home() / ".cache" / "hotfixr")


def cached(part: Part) -> bool:
    """Whether this machine has a copy already."""
    return (cache_root() / "models" / part.content).is_dir()


def model_folder(store: Store, part: Part) -> Path:
    """A verified local folder with this part's files; downloads at most once per machine."""
    models = cache_root() / "models"
    models.mkdir(parents=True, exist_ok=True)
    folder = models / part.content
    with (models / f"{part.content}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            arriving = models / f"{part.content}.arriving"
            shutil.rmtree(arriving, ignore_errors=True)
            # The rename comes last: a folder of that name is complete and verified.
            fetch_part(store, part, arriving).rename(folder)
    return folder
