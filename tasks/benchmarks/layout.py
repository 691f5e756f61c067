"""How an item is written down in a language: labels, options, the answer.

The words are the language row's. A sentence to translate is labelled with the names of the two
languages instead, because behind "Question:" base models answer it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.benchmarks.published import Published
from tasks.grading.number import read_gold, written
from tasks.languages import LANGUAGES, LATIN_LETTERS, Language

_WRONG_BY = (1, 2, 10)  # how far off the wrong numbers of simulated models are


@dataclass(frozen=True)
class Layout:
    """The words around the items of one kind in one language."""

    kind: str
    row: Language

    @property
    def instruction(self) -> str:
        """One sentence that says what is wanted."""
        return self.row.instructions[self.kind]

    @property
    def answer_label(self) -> str:
        """What a prompt ends in. No blank: an answer's first token brings its own."""
        return self.answered("").rstrip()

    def answered(self, answer: str) -> str:
        """The last line of a worked example."""
        english = LANGUAGES["en"].endonym
        word = english if self.kind == "translation" else self.row.answer_word
        return self._labelled(word, answer)

    def question(self, item: Published, order: Sequence[int] | None) -> str:
        """Context, question and options, the options in the order shown."""
        word = self.row.endonym if self.kind == "translation" else self.row.question_word
        lines = [self._labelled(word, item.question)]
        if item.context:
            lines.insert(0, self._labelled(self.row.context_word, "\n".join(item.context)))
        if item.options is not None and order is not None:
            shown = zip(LATIN_LETTERS[: len(order)], order, strict=True)
            lines += [f"{letter}) {item.options[at]}" for letter, at in shown]
        return "\n".join(lines)

    def letters(self, item: Published) -> tuple[str, ...] | None:
        """Latin letters in every language, one per option; None where there are none."""
        return None if item.options is None else LATIN_LETTERS[: len(item.options)]

    def right(self, item: Published, order: Sequence[int] | None) -> str:
        """The right answer as somebody who writes the language would give it."""
        if order is not None:
            return shown_letter(item.gold[0], order)
        return self._number(item.gold[0], 0) if self.kind == "number" else item.gold[0]

    def wrong(self, item: Published, order: Sequence[int] | None) -> tuple[str, ...]:
        """Wrong answers that can be read as answers; none for free text."""
        if order is not None:
            letters = LATIN_LETTERS[: len(order)]
            return tuple(letter for letter in letters if letter != self.right(item, order))
        if self.kind == "number":
            return tuple(self._number(item.gold[0], more) for more in _WRONG_BY)
        return ()

    def _labelled(self, word: str, text: str) -> str:
        return f"{word}{self.row.colon}{text}"

    def _number(self, gold: str, more: int) -> str:
        """The gold number, or one so much greater, with the language's decimal mark."""
        value = read_gold(gold)
        return gold if value is None else written(value + more).replace(".", self.row.decimal[0])


def shown_letter(published: str, order: Sequence[int]) -> str:
    """The letter beside the option that had this letter in the published order."""
    return LATIN_LETTERS[list(order).index(LATIN_LETTERS.index(published))]


def published_letter(shown: str, order: Sequence[int]) -> str:
    """The published letter of the option that is shown beside this letter."""
    return LATIN_LETTERS[order[LATIN_LETTERS.index(shown)]]
