"""ECLeKTic: questions on facts that one language's Wikipedia alone has, asked in twelve.

One file, `eclektic_main.jsonl`: `q_id`, `original_lang`, `url`, and per language the question
`<l>_q` and answer `<l>_a`. It is asked without the article, so a right answer in another language
is knowledge carried over. Each question's source is the language of its article. Without a judge,
answers are compared as short answers are, which is stricter than the published judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from tasks.benchmarks.bundled import Bundled, read_span
from tasks.benchmarks.files import Files, Row
from tasks.benchmarks.published import Published
from tasks.errors import BadInput

LANGUAGES = ("de", "en", "es", "fr", "he", "hi", "id", "it", "ja", "ko", "pt", "zh")
_EXAMPLES = Bundled("closed_book", read_span)


def _paths(language: str) -> Sequence[str]:
    return ("eclektic_main.jsonl",)


_FILES = Files("eclektic", "hf://datasets/ura-hcmut/ECLeKTic", LANGUAGES, _paths)


class Eclektic:
    """The published JSON lines."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The questions in their order, whatever their source. Raises BadInput."""
        rows = islice(_FILES.rows(source, language), items)
        return [_item(row, language) for row in rows]

    def revision(self, source: str) -> str:
        """Digest of the file."""
        return _FILES.revision(source)

    def examples(self, language: str) -> Sequence[Published]:
        """The bundled closed-book questions."""
        return _EXAMPLES.examples_or_english(language)


def _item(row: Row, language: str) -> Published:
    origin = row.text("original_lang")
    if origin not in LANGUAGES:
        raise BadInput(
            f"{row.place}, has the original_lang {origin!r}; write one of {', '.join(LANGUAGES)}"
        )
    return Published(
        f"eclektic-{row.text('q_id')}",
        row.text(f"{language}_q"),
        (row.text(f"{language}_a"),),
        source_language=origin,
        cluster=row.text("url") or None,
    )
