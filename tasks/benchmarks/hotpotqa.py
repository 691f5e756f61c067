"""Multilingual HotpotQA: questions on two paragraphs, which are given, in three published shapes.

Item ids are HotpotQA's own in all of them, so a folder may hold several, and the first in this
order that has a language counts:

* SCD's `hotpotqa_MultiLang_1000.json`: `query`, `answer`, `evidence`, each by language (en zh ru
  ar). Translations were cut at 300 tokens; evidence that breaks off is flagged.
* `hotpot_qa`, English, distractor: `distractor/validation-*.parquet` with all paragraphs, of which
  the supporting ones are shown.
* XHotpotQA: `data/validation-*.parquet`, one language per question, its English original beside it,
  evidence in mixed languages. What its publisher flags is flagged, what he quarantined is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from tasks.benchmarks.bundled import Bundled, read_span
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.published import Published
from tasks.errors import BadInput

LANGUAGES = (
    "en", "ar", "zh", "ru", "bn", "de", "es", "fr", "hi", "id", "it", "ja", "ko", "pt", "sw", "th",
    "ur", "vi",
)  # fmt: skip
HOME = (
    "hotpotqa_MultiLang_1000.json of SCD, hf://datasets/Iman998/XhotpotQA-V2 or, for English, "
    "hf://datasets/hotpotqa/hotpot_qa"
)
_SCD_LANGUAGES = ("en", "zh", "ru", "ar")
_SENTENCE_ENDS = tuple('.!?。！？؟…"”»)）」』')
_EXAMPLES = Bundled("multihop", read_span)


def _paths(language: str) -> Sequence[str]:
    scd = ("hotpotqa_MultiLang_1000.json",) if language in _SCD_LANGUAGES else ()
    hotpot = ("distractor/validation-*.parquet", "distractor/validation/*.parquet")
    return (*scd, *(hotpot if language == "en" else ()), "data/validation-*.parquet")


_FILES = Files("mhotpotqa", HOME, LANGUAGES, _paths)


class MultilingualHotpotQA:
    """The published files of any of the shapes."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The questions of a language in their order. Raises BadInput."""
        rows = _FILES.rows(source, language)
        found = (item for row in rows if (item := _read(row, language)) is not None)
        return list(islice(found, items))

    def revision(self, source: str) -> str:
        """Digest of the files that are there."""
        return _FILES.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled questions on paragraphs; in English where these have no translation."""
        return _EXAMPLES.examples_or_english(language)


def _read(row: Row, language: str) -> Published | None:
    """The item of a row, which is told by its columns; None for one in another language."""
    for column, read in _SHAPES.items():
        if column in row.cells:
            return read(row, language)
    raise BadInput(
        f"{row.place}, is of no known shape (it has {', '.join(row.cells)}); "
        f"a row has one of {', '.join(_SHAPES)}"
    )


def _scd(row: Row, language: str) -> Published:
    evidence, english = (_lines(row.cell("evidence"), code) for code in (language, "en"))
    pairs = zip(evidence, english, strict=False)
    cut = any(_whole(original) and not _whole(text) for text, original in pairs)
    flags = ["evidence breaks off"] if cut else []
    if len(evidence) != len(english):
        flags.append("evidence is not all there")
    return Published(
        _name(row.text("_id")),
        _of(row.cell("query"), language),
        (_of(row.cell("answer"), language),),
        evidence,
        flags=tuple(flags),
    )


def _whole(text: str) -> bool:
    return text.rstrip().endswith(_SENTENCE_ENDS)


def _of(texts: Any, language: str) -> str:
    return str((texts or {}).get(language) or "").strip()


def _lines(texts: Any, language: str) -> tuple[str, ...]:
    there = (texts or {}).get(language) or ()
    lines = [there] if isinstance(there, str) else there
    return tuple(line.strip() for line in lines if line and line.strip())


def _hotpot(row: Row, language: str) -> Published:
    supporting = set(row.cell("supporting_facts")["title"])
    context = row.cell("context")
    paragraphs = zip(context["title"], context["sentences"], strict=True)
    gold = tuple("".join(lines).strip() for title, lines in paragraphs if title in supporting)
    return Published(_name(row.text("id")), row.text("question"), (row.text("answer"),), gold)


def _cross(row: Row, language: str) -> Published | None:
    if language != "en" and row.text("question_language") != language:
        return None
    side = "source_" if language == "en" else ""
    supporting = {fact["paragraph_id"] for fact in row.cell("supporting_facts")}
    paragraphs = [one for one in row.cell("candidates") if one["paragraph_id"] in supporting]
    faults = (*(row.cell("structural_flags") or ()), *(row.cell("quality_flags") or ()))
    return Published(
        _name(row.text("source_id")),
        row.text(f"{side}question"),
        (row.text(f"{side}answer"),),
        tuple(_joined(one[f"{side}sentences"]) for one in paragraphs),
        flags=tuple(_told(faults, language)),
        refused=_quarantined(row) if language != "en" else None,
    )


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(filter(None, (sentence.strip() for sentence in sentences)))


def _told(faults: Sequence[str], language: str) -> Iterator[str]:
    """The flags that concern a language: English shows the source alone."""
    origin = "source:" if language == "en" else ("source:", "xhotpot:")
    return (fault for fault in faults if fault.startswith(origin))


def _quarantined(row: Row) -> str | None:
    return "quarantined by its publisher" if row.text("status") == "quarantined" else None


def _name(source_id: str) -> str:
    return f"hotpotqa-{source_id}"


# The column that tells a shape, and how its rows are read.
_SHAPES: dict[str, Callable[[Row, str], Published | None]] = {
    "query": _scd,
    "candidates": _cross,
    "context": _hotpot,
}
