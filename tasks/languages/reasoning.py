"""How a model is asked to reason before it answers: the one table of every such prompt.

Evaluations ask in the question's own language; the scorer of new questions asks in English.
"""

from __future__ import annotations

from typing import Literal

from tasks.languages.row import Language

Reasoning = Literal["none", "native", "english"]  # none: a direct answer


def reason_first(row: Language, reasoning: Reasoning) -> str:
    """A sentence of the language that asks to reason in it or in English."""
    return row.reason.format(language=row.in_english if reasoning == "english" else row.in_own)


def reason_first_in(english: Language, tongue: Language) -> str:
    """The same in English, which alone can name every language to reason in."""
    return english.reason.format(language=f"in {tongue.name}")


def finish_with(row: Language, label: str) -> str:
    """A sentence that asks for the answer on a last line that begins with the label."""
    return row.finish.format(label=label)


def reply_in_own(row: Language) -> str:
    """A sentence that asks for the answer in the question's language, however it was reasoned."""
    return row.reply.format(language=row.in_own)
