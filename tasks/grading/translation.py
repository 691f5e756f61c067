"""Translations: chrF++ of a sentence, chrF++ and BLEU of a corpus with their signatures.

sacrebleu is imported when there is something to score: every other step starts without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from tasks.languages import language
from tasks.text import visible

if TYPE_CHECKING:
    from sacrebleu.metrics import CHRF


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics import CHRF

    return CHRF(word_order=2)


def sentence_score(text: str, references: Sequence[str]) -> float:
    """chrF++ in [0, 1]."""
    golds = [visible(one).strip() for one in references]
    return float(_chrf().sentence_score(visible(text).strip(), golds).score) / 100


def corpus_translation_scores(
    texts: Sequence[str], references: Sequence[Sequence[str]], code: str
) -> dict[str, float | str]:
    """chrF++ and BLEU in [0, 100] over a corpus; `references` has one list per text.

    BLEU's tokenizer is the language's: the default one gives Chinese 0. An empty text stays in.
    """
    from sacrebleu.metrics import BLEU, CHRF

    bleu, chrf = BLEU(tokenize=language(code).bleu_tokenizer), CHRF(word_order=2)
    said = [visible(text).strip() for text in texts]
    wanted = [[visible(one).strip() for one in golds] for golds in references]
    # sacrebleu takes one stream for each place; None where a text has fewer references.
    streams = [list(stream) for stream in zip_longest(*wanted)]
    return {
        "chrf": float(chrf.corpus_score(said, streams).score),
        "chrf_signature": str(chrf.get_signature()),
        "bleu": float(bleu.corpus_score(said, streams).score),
        "bleu_signature": str(bleu.get_signature()),
    }
