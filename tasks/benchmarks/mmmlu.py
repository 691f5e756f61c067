"""MMMLU: MMLU translated by people into 14 languages, aligned here with its English original.

Three publications make it up, so the source is up to three URIs with blanks between: MMMLU itself
(`test/mmlu_DE-DE.csv` and so on), MMLU for English (`all/test-*.parquet`), and Global-MMLU for
Russian (`ru/test-*.parquet`), which MMMLU lacks.

Items are named by subject and place in it, as English has them. A subject whose keys disagree with
the English ones throughout is in another order, and its rows are refused: which belongs to which
cannot be told. Single keys that differ, and questions that English has twice, are flagged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tasks.benchmarks.bundled import Bundled, read_choice
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.published import Published, choice_flags
from tasks.errors import BadInput
from tasks.languages import LATIN_LETTERS

_LOCALES = {
    "ar": "AR-XY", "bn": "BN-BD", "de": "DE-DE", "es": "ES-LA", "fr": "FR-FR", "hi": "HI-IN",
    "id": "ID-ID", "it": "IT-IT", "ja": "JA-JP", "ko": "KO-KR", "pt": "PT-BR", "sw": "SW-KE",
    "yo": "YO-NG", "zh": "ZH-CN",
}  # fmt: skip
LANGUAGES = ("en", *_LOCALES, "ru")
HOME = (
    "hf://datasets/openai/MMMLU, with hf://datasets/cais/mmlu for English and "
    "hf://datasets/CohereForAI/Global-MMLU for Russian"
)
_EXAMPLES = Bundled("facts", read_choice)
# Some languages carry the name of the file they were translated from.
_FILE_NAME = re.compile(r"_test\.csv.*$")
_SAME_ORDER = 0.5  # share of equal keys; by chance a quarter are


class _Question(NamedTuple):
    """One row, whoever published it."""

    subject: str
    question: str
    options: tuple[str, ...]
    key: str


def _paths(language: str) -> Sequence[str]:
    if language == "en":
        return ("all/test-*.parquet",)
    if language == "ru":
        return ("ru/test-*.parquet",)
    name = f"mmlu_{_LOCALES.get(language, language)}.csv"
    return (f"test/{name}", name)


_FILES = Files("mmmlu", HOME, LANGUAGES, _paths)


@dataclass(frozen=True)
class Mmmlu:
    """The published files of all three."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The test questions in the English order. Raises BadInput."""
        english = _by_subject(source, "en")
        theirs = english if language == "en" else _by_subject(source, language)
        return list(islice(_items(english, theirs, language), items))

    def revision(self, source: str) -> str:
        """Digest of the files that are there, in all languages."""
        return _FILES.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled questions; in English where these have no translation."""
        return _EXAMPLES.examples_or_english(language)


Subjects = Mapping[str, Sequence[_Question]]


def _by_subject(source: str, language: str) -> Subjects:
    found: dict[str, list[_Question]] = defaultdict(list)
    read = _READ.get(language, _translated)
    for row in _FILES.rows(source, language):
        question = read(row)
        found[question.subject].append(question)
    return found


def _items(english: Subjects, theirs: Subjects, language: str) -> Iterator[Published]:
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for subject, originals in english.items():
        own = theirs.get(subject, ())
        moved = not _same_order(originals, own)
        for place, original in enumerate(originals):
            flags = ("repeats an earlier question",) if original[1:3] in seen else ()
            seen.add(original[1:3])
            name = f"mmmlu-{subject}-{place:04d}"
            if moved or place >= len(own):
                why = "its subject is in another order than in English" if moved else "no such row"
                yield Published(name, "", (), flags=flags, refused=why)
            else:
                yield _item(name, own[place], original, (*flags, *_of_language(language)))


def _same_order(originals: Sequence[_Question], own: Sequence[_Question]) -> bool:
    agreeing = sum(a.key == b.key for a, b in zip(originals, own, strict=False))
    return not own or agreeing >= _SAME_ORDER * min(len(originals), len(own))


def _of_language(language: str) -> tuple[str, ...]:
    return ("from Global-MMLU, not from MMMLU",) if language == "ru" else ()


def _item(name: str, own: _Question, original: _Question, flags: tuple[str, ...]) -> Published:
    empty = next((at for at, text in enumerate(own.options) if not text), None)
    return Published(
        name,
        own.question,
        (own.key,),
        options=own.options,
        flags=(*flags, *choice_flags(own.options, own.key, original.key)),
        refused=None if empty is None else f"option {LATIN_LETTERS[empty]} is missing",
    )


def _translated(row: Row) -> _Question:
    options = tuple(row.text(letter) for letter in "ABCD")
    subject = _FILE_NAME.sub("", row.text("Subject"))
    return _Question(subject, row.text("Question"), options, row.text("Answer"))


def _original(row: Row) -> _Question:
    options = tuple(str(option).strip() for option in row.cell("choices"))
    answer = row.cell("answer")
    if answer not in range(len(options)):
        raise BadInput(
            f"{row.place}, has the answer {answer!r}; it must be the place of one of its "
            f"{len(options)} choices, from 0"
        )
    return _Question(row.text("subject"), row.text("question"), options, LATIN_LETTERS[answer])


def _global(row: Row) -> _Question:
    options = tuple(row.text(f"option_{letter}") for letter in "abcd")
    return _Question(row.text("subject"), row.text("question"), options, row.text("answer"))


_READ: dict[str, Callable[[Row], _Question]] = {"en": _original, "ru": _global}
