"""Why a parsed question is not wanted: one reason or None each; rewards and generation share them.

A question in a held-out language is refused whatever was asked, because the identifier chooses
among all ten languages and the answer must be the one asked, which must be a trained one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.questions.prompts import require_trained, worked_examples
from tasks.text import identify_language, similarity

# Similarity of character n-grams, in [0, 1], from which two questions count as one.
NEAR_DUPLICATE = 0.8
# Characters of a question; longer ones leave the student no room to answer.
LONGEST_QUESTION = 2_000


def refusal(question: str, language: str, reference: str, others: Sequence[str] = ()) -> str | None:
    """The first gate that refuses the question; None if it may be kept.

    `reference` is the seed question shown, `others` are questions that were already accepted.
    """
    return (
        length_gate(question)
        or language_gate(question, language)
        or copy_gate(question, reference, language)
        or duplicate_gate(question, others)
    )


def length_gate(question: str) -> str | None:
    """Longer than LONGEST_QUESTION characters."""
    return None if len(question) <= LONGEST_QUESTION else "question too long"


def language_gate(question: str, language: str) -> str | None:
    """Not in the language asked. Raises BadInput where that is not a trained one."""
    require_trained(language)
    detected = identify_language(question)
    return None if detected == language else f"in {detected or 'no known language'}, not {language}"


def copy_gate(question: str, reference: str, language: str) -> str | None:
    """The reference or a worked example of the prompt again."""
    shown = [reference, *(example.triple.question for example in worked_examples(language))]
    return None if duplicate_gate(question, shown) is None else "copy of a question in the prompt"


def duplicate_gate(question: str, others: Sequence[str]) -> str | None:
    """Nearly the same as one of `others`."""
    close = any(similarity(question, other) >= NEAR_DUPLICATE for other in others)
    return "near-duplicate of another question" if close else None
