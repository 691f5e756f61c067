"""Rows of the Nemotron post-training data (version 2), in English, as questions to be answered.

`data/<category>-*.parquet` or `<category>.jsonl`: `uuid` and `messages`, of which the first of the
user is the question and the last of the assistant ends in the boxed answer. The folder should hold
rows that no seed was taken from. A CHAT row is a request and the first reply to it, without what
was thought before; only a judge can compare another reply with that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from tasks.benchmarks.bundled import Bundled, read_choice, read_number
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.published import Published, choice_flags
from tasks.grading.choice import read_label
from tasks.grading.math import boxed
from tasks.languages import LATIN_LETTERS
from tasks.models.thoughts import THOUGHT

Read = Callable[[str, str, str], Published]
Find = Callable[[Sequence[str]], str | None]
# "A) ...", "(B) ...", "C. ...", "D: ..." at the beginning of a line.
_OPTION = re.compile(r"(?m)^[ \t]*\(?([A-J])[).:][ \t]+")
_FEWEST_OPTIONS = 2


@dataclass(frozen=True)
class Nemotron:
    """The rows of one category; `read` makes an item of id, question and answer.

    `find` says where the answer is in what the assistant said; None: there is none.
    """

    category: str  # stem | math | chat
    read: Read
    find: Find
    lacking: str = "there is no boxed answer"

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The questions in their order. Raises BadInput."""
        rows = islice(self._files.rows(source, language), items)
        return [self._item(row) for row in rows]

    def revision(self, source: str) -> str:
        """Digest of the files."""
        return self._files.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """Bundled questions of the same kind."""
        known = _EXAMPLES.get(self.category)
        return () if known is None else known.examples(language)

    @property
    def _files(self) -> Files:
        home = "hf://datasets/nvidia/Nemotron-Post-Training-Dataset-v2"
        return Files(f"nemotron-{self.category}", home, ("en",), self._paths)

    def _paths(self, language: str) -> Sequence[str]:
        name = self.category
        return (f"data/{name}-*.parquet", f"{name}-*.parquet", f"{name}.parquet", f"{name}.jsonl")

    def _item(self, row: Row) -> Published:
        name = f"nemotron-{row.text('uuid')}"
        messages = row.cell("messages") or ()
        said = {
            role: [m["content"] or "" for m in messages if m["role"] == role] for role in _ROLES
        }
        answer = self.find(said["assistant"])
        if not said["user"] or answer is None:
            why = self.lacking if said["user"] else "there is no question"
            return Published(name, "", (), refused=why)
        return self.read(name, said["user"][0].strip(), answer.strip())


_ROLES = ("user", "assistant")
_EXAMPLES = {"stem": Bundled("facts", read_choice), "math": Bundled("numbers", read_number)}


def boxed_last(said: Sequence[str]) -> str | None:
    """What the last turn of the assistant put into a box."""
    return boxed(said[-1]) if said else None


def first_reply(said: Sequence[str]) -> str | None:
    """The first turn of the assistant, without what it thought before."""
    return said[0].rpartition(THOUGHT)[2].strip() or None if said else None


def read_free(name: str, question: str, answer: str) -> Published:
    """A request and one good reply to it."""
    return Published(name, question, (answer,))


def read_math(name: str, question: str, answer: str) -> Published:
    """A problem whose answer is a formula or number."""
    return Published(name, question, (answer,))


def read_stem(name: str, question: str, answer: str) -> Published:
    """A question with options in its text; the answer is a letter, alone or before its option."""
    stem, options = _with_options(question)
    letters = LATIN_LETTERS[: len(options)]
    index = read_label(re.sub(r"\\text(?:bf)?\{(.*)\}", r"\1", answer), "en", letters)
    if len(options) < _FEWEST_OPTIONS:
        return Published(name, question, (answer,), refused="its question has no options")
    if index is None:
        why = f"the boxed answer {answer!r} is no letter of its {len(options)} options"
        return Published(name, stem, (answer,), refused=why)
    key = letters[index]
    return Published(
        name, stem, (key,), options=tuple(options), flags=choice_flags(options, key, key)
    )


def _with_options(text: str) -> tuple[str, list[str]]:
    """The question and its options: the last run of labels that begins with A and skips none."""
    labels = list(_OPTION.finditer(text))
    starts = [at for at, label in enumerate(labels) if label[1] == "A"]
    if not starts:
        return text, []
    run = labels[starts[-1] :]
    if [label[1] for label in run] != list(LATIN_LETTERS[: len(run)]):
        return text, []
    ends = [label.start() for label in run[1:]] + [len(text)]
    options = [text[a.end() : end].strip() for a, end in zip(run, ends, strict=True)]
    return text[: run[0].start()].strip(), options
