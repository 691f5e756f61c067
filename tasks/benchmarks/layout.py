"""How an item is written down in a language: labels, options, the answer.

The words are the language row's. A sentence to translate is labelled with the names of the two
languages instead, because behind "Question:" base models answer it.

With reasoning the answer stands on a last line of its own behind its label. The reasoning's label
is written in the language that is reasoned in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.benchmarks.published import Published
from tasks.grading.number import read_gold, written
from tasks.languages import LANGUAGES, LATIN_LETTERS, Language, Reasoning
from tasks.languages.reasoning import finish_with, reason_first, reply_in_own

_WRONG_BY = (1, 2, 10)  # how far off the wrong numbers of simulated models are


@dataclass(frozen=True)
class Layout:
    """The words around the items of one kind in one language."""

    kind: str
    row: Language
    reasoning: Reasoning = "none"

    @property
    def instruction(self) -> str:
        """What is wanted: one sentence, and with reasoning two or three more."""
        sentences = [self.row.instructions[self.kind]]
        if self.reasoning != "none":
            sentences.append(reason_first(self.row, self.reasoning))
            sentences.append(finish_with(self.row, self.answer_label))
        if self.reasoning == "english" and self.kind == "span":
            sentences.append(reply_in_own(self.row))
        return " ".join(sentences).replace("。 ", "。")

    @property
    def answer_label(self) -> str:
        """The word before an answer. No blank: an answer's first token brings its own."""
        return self.answered("").rstrip()

    @property
    def opening(self) -> str:
        """What a completion prompt ends in."""
        return self.answer_label if self.reasoning == "none" else self._reasoned("").rstrip()

    def worked(self, working: str | None, answer: str) -> str:
        """What stands below the question of an example, the working above the answer."""
        answered = self.answered(answer)
        return answered if working is None else f"{self._reasoned(working)}\n{answered}"

    def said(self, working: str | None, answer: str) -> str:
        """The same as a turn of a chat; a direct answer stands alone."""
        return answer if working is None else f"{working}\n{self.answered(answer)}"

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

    def _reasoned(self, working: str) -> str:
        row = LANGUAGES["en"] if self.reasoning == "english" else self.row
        return f"{row.reasoning_word}{row.colon}{working}"

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
