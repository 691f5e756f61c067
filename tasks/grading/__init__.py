"""One grader for evaluation, rewards and labels: what does this answer come to, and why?

A miss is never silently wrong: an answer that cannot be read is unparsed, one cut by the length
limit truncated, nothing at all empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tasks.errors import BadInput
from tasks.grading import math, number, span, translation
from tasks.grading.announcements import firm_ends
from tasks.grading.choice import read_choice, read_label
from tasks.grading.grades import Grade, unsaid
from tasks.grading.judge import JUDGE_VERSION, grade_judged
from tasks.grading.translation import corpus_translation_scores
from tasks.languages import LATIN_LETTERS
from tasks.text import compatible, cut_at_stop, without_thoughts, words

GRADER_VERSION = 3
LETTERS = LATIN_LETTERS
JUDGED = "judge"  # the kind of free texts that only a model can grade


class Answer(NamedTuple):
    """What was asked and said, ready to be read."""

    text: str
    language: str
    gold: Sequence[str]
    options: Sequence[str]
    letters: Sequence[str]


def grade(
    kind: str,
    language: str,
    gold: str | Sequence[str],
    text: str,
    *,
    options: Sequence[str] | None = None,
    letters: Sequence[str] | None = None,
    stop: Sequence[str] = (),
    finish_reason: str = "stop",
    reasoned: bool = False,
) -> Grade:
    """Grade one answer. A choice's gold is its letter in the order shown (A, B, ...).

    Where reasoning was asked for (`reasoned`) and the length limit cut it, only an announced answer
    is one: numbers and letters that are only on the way to it are not.

    Raises:
        BadInput: the kind is unknown.
    """
    if kind not in _KINDS:
        raise BadInput(f"{kind!r} is no kind of answer; use one of {', '.join(_KINDS)}")
    nothing = unsaid(text, stop, finish_reason)
    if nothing is not None:
        return nothing
    said, _ = without_thoughts(cut_at_stop(text, stop))
    if reasoned and finish_reason == "length" and not firm_ends(compatible(said), language):
        return Grade("truncated", None, 0.0)
    golds = [gold] if isinstance(gold, str) else list(gold)
    offered = list(options or ())
    shown = list(letters or LETTERS[: len(offered)])
    found = _KINDS[kind](Answer(said, language, golds, offered, shown))
    if found is None:
        return Grade("truncated" if finish_reason == "length" else "unparsed", None, 0.0)
    return found


def _right_or_wrong(right: bool, answer: str) -> Grade:
    return Grade("right" if right else "wrong", answer, float(right))


def _choice(asked: Answer) -> Grade | None:
    index = read_choice(asked.text, asked.language, asked.options, asked.letters)
    if index is None or not 0 <= index < len(asked.options):
        return None
    return _right_or_wrong(LETTERS[index] in asked.gold, LETTERS[index])


def _number(asked: Answer) -> Grade | None:
    value = number.read_answer(asked.text, asked.language)
    if value is None:
        return None
    golds = [number.read_gold(gold) for gold in asked.gold]
    return _right_or_wrong(value in golds, number.written(value))


def _span(asked: Answer) -> Grade | None:
    answer = span.said(asked.text, asked.language)
    readings = {answer, asked.text.strip()}
    score = max(span.best_f1(said, asked.gold, asked.language) for said in readings)
    if score == 1.0:
        return Grade("right", answer, 1.0)
    if not words(answer, asked.language):
        return None
    return Grade("scored" if score else "wrong", answer, score)


def _math(asked: Answer) -> Grade | None:
    formula = math.read_formula(asked.text, asked.language)
    if formula is None:
        return None
    right = any(math.equal(gold, formula, asked.language) for gold in asked.gold)
    return _right_or_wrong(right, formula)


def _translation(asked: Answer) -> Grade | None:
    text = asked.text.strip()
    return Grade("scored", text, translation.sentence_score(text, asked.gold))


_KINDS: dict[str, Callable[[Answer], Grade | None]] = {
    "choice": _choice,
    "number": _number,
    "span": _span,
    "math": _math,
    "translation": _translation,
}


def check_gold(
    kind: str, language: str, gold: str | Sequence[str], options: Sequence[str] | None = None
) -> str | None:
    """Why an item is refused: its gold does not pass its own grader. None if it does."""
    golds = [gold] if isinstance(gold, str) else list(gold)
    if not golds or not all(one.strip() for one in golds):
        return "there is no gold answer"
    if kind == JUDGED:
        return None  # what a judge makes of the golds is asked in its check
    if kind == "choice" and golds[0] not in LETTERS[: len(options or ())]:
        return f"the key {golds[0]!r} is not one of the {len(options or ())} options"
    for one in golds:
        said = f"\\boxed{{{one}}}" if kind == "math" else one
        result = grade(kind, language, golds, said, options=options)
        if result.status != "right" and result.score < 0.999:
            return f"the gold answer {one!r} is graded {result.status} by its own grader"
    return None


def answer_form(text: str, language: str) -> str | None:
    """What a free answer is: a letter, a number or a formula by itself; None for a text."""
    if read_label(text, language, LETTERS) is not None:
        return "letter"
    if number.read_whole(text, language) is not None:
        return "number"
    formula = math.read_formula(text, language) if "\\boxed" in text else text
    return "math" if math.is_formula(formula or text) else None


def same_answer(form: str | None, first: str, second: str, language: str) -> bool:
    """Whether two answers of one form are the same by the grader's own rules."""
    if form == "letter":
        labels = {read_label(text, language, LETTERS) for text in (first, second)}
        return len(labels) == 1 and None not in labels
    if form == "number":
        return number.read_whole(first, language) == number.read_whole(second, language)
    if form == "math":
        formulas = [math.read_formula(text, language) or text for text in (first, second)]
        return math.equal(formulas[0], formulas[1], language)
    return span.normalised(first, language) == span.normalised(second, language)


__all__ = [
    "GRADER_VERSION",
    "JUDGED",
    "JUDGE_VERSION",
    "LETTERS",
    "Grade",
    "answer_form",
    "check_gold",
    "corpus_translation_scores",
    "grade",
    "grade_judged",
    "same_answer",
]
