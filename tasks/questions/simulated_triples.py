"""Triples for the simulated generator: words of the worked examples, shuffled anew.

They mean nothing, but they are in the right script and language and unlike each other, so that
the whole pipeline can be tried without a model.
"""

from __future__ import annotations

import random

from tasks.questions.parsing import TAGS
from tasks.questions.prompts import worked_examples

QUESTION_WORDS, REASONING_WORDS = 24, 16


def simulated_triple(language: str, number: int) -> str:
    """A well-formed triple in a trained language, the same for the same number."""
    chance = random.Random(f"{language}/{number}")
    shown = worked_examples(language)
    words = " ".join(f"{one.triple.question} {one.triple.reasoning}" for one in shown).split()
    sections = {
        "question": " ".join(chance.choices(words, k=QUESTION_WORDS)) + "?",
        "reasoning": " ".join(chance.choices(words, k=REASONING_WORDS)),
        "answer": str(chance.randrange(2, 100)),
    }
    return "\n".join(f"<{tag}>{sections[tag]}</{tag}>" for tag in TAGS)
