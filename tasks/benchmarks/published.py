"""One item as its publisher wrote it, and where the items of a benchmark come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tasks.errors import BadInput

BUNDLED = "bundled"


@dataclass(frozen=True)
class Published:
    """One item in one language, before its gold answer is checked."""

    item_id: str  # the same in every language of a parallel benchmark
    question: str
    gold: tuple[str, ...]  # accepted answers; for a choice the letter of the published order
    context: tuple[str, ...] = ()  # paragraphs to answer from
    options: tuple[str, ...] | None = None
    source_language: str | None = None  # where the items of a benchmark differ in it
    cluster: str | None = None  # names the text that several questions hang on
    flags: tuple[str, ...] = ()  # why the item is known to be faulty in this language
    refused: str | None = None  # why it cannot be asked, whatever its gold answer
    working: str | None = None  # of an example: how the answer is found, in the example's language


class Origin(Protocol):
    """Where a benchmark's items come from."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The first `items` items (None: all) in published order. Raises BadInput."""

    def revision(self, source: str) -> str:
        """A digest of everything that shapes the items, in all languages. Raises BadInput."""

    def examples(self, language: str) -> Sequence[Published]:
        """Worked items, the same ones in every language, none of which `load` gives."""


def require_bundled(benchmark: str, source: str) -> None:
    """BadInput for any other source of a benchmark that comes with the package."""
    if source != BUNDLED:
        raise BadInput(
            f"benchmark {benchmark!r} comes with the package and cannot be read from {source!r}; "
            f"write source: {BUNDLED}"
        )


def decoded(data: bytes, where: str) -> list[str]:
    """The lines of a UTF-8 file; only LF and CR LF end a line. Raises BadInput."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{where}, line {line}, is not UTF-8; save the file as UTF-8") from error
    # Not splitlines: texts hold U+2028, U+0085 and other characters that it cuts at.
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def choice_flags(options: Sequence[str], key: str, english_key: str) -> tuple[str, ...]:
    """What is known to be wrong with a question with options."""
    flags = ["key is not the English item's"] if key != english_key else []
    if len(set(options)) < len(options):
        flags.append("two options are the same")
    return tuple(flags)
