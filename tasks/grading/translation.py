"""Translations: chrF++ of a sentence, chrF++ and BLEU of a corpus with their signatures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sacrebleu.metrics import BLEU, CHRF

from tasks.languages import language
from tasks.text import visible


@cache
def _chrf() -> CHRF:
    return CHRF(word_order=2)


def sentence_score(text: str, references: Sequence[str]) -> float:
    """chrF++ in [0, 1]."""
    golds = [visible(one) for one in references]
    return float(_chrf().sentence_score(visible(text).strip(), golds).score) / 100


def corpus_translation_scores(
    texts: Sequence[str], references: Sequence[Sequence[str]], code: str
) -> dict[str, float | str]:
    """chrF++ and BLEU in [0, 100] over a corpus; `references` has one list per text.

    BLEU's tokenizer is the language's: the default one gives Chinese 0.
    """
    bleu = BLEU(tokenize=language(code).bleu_tokenizer)
    streams = [list(stream) for stream in zip(*references, strict=True)]
    chrf = CHRF(word_order=2)
    return {
        "chrf": float(chrf.corpus_score(list(texts), streams).score),
        "chrf_signature": str(chrf.get_signature()),
        "bleu": float(bleu.corpus_score(list(texts), streams).score),
        "bleu_signature": str(bleu.get_signature()),
    }
