"""Answers of unfinished parts, kept in pieces as they come: paid for once, whatever happens.

A killed process, a spent budget or a lost network costs at most the piece that was being filled.
Once the part is published its pieces are removed.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tasks.artifacts.records import VERSION, Record, part_folder
from tasks.artifacts.store import Store

logger = logging.getLogger(__name__)


class Piece(Record):
    """Some answers, each under the digest of its question."""

    version: int = VERSION
    answers: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Journal:
    """The kept answers of one part."""

    store: Store
    step: str
    digest: str

    @property
    def _folder(self) -> str:
        return f"{part_folder(self.step, self.digest)}/journal"

    def read(self) -> dict[str, dict[str, Any]]:
        """Every answer kept so far."""
        found: dict[str, dict[str, Any]] = {}
        for path in self.store.list(self._folder):
            there = self.store.get(path)
            if there is None:
                continue
            try:
                found |= Piece.model_validate_json(there.data).answers
            except ValidationError:
                logger.warning("%s is no journal of version %d; ignored", path, VERSION)
        return found

    def keep(self, answers: Mapping[str, dict[str, Any]]) -> None:
        """Write one piece, complete or not at all."""
        piece = Piece(answers=dict(answers))
        self.store.put(f"{self._folder}/{uuid.uuid4().hex}.json", piece.to_bytes())

    def clear(self) -> None:
        """Remove all pieces: the part is published."""
        for path in self.store.list(self._folder):
            self.store.delete(path)


@dataclass(frozen=True)
class Kept:
    """What was answered before: journals of the unfinished parts, tokens of the finished ones."""

    journal: Callable[[str], Journal]  # by the part that a prompt names
    prompt_tokens: int = 0
    completion_tokens: int = 0
