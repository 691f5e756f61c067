"""The letters of options as they stand in a text, compiled once per language and letters shown.

A letter is found where it stands alone in its own script: Latin letters between Chinese characters
do. Letters that are also words ("A", "I", the Russian "В") count inside a sentence, where the word
would be lower case, or where no word follows but a verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks.grading.announcements import any_of, bounded, rows
from tasks.languages import LATIN_LETTERS, Language, language

_BLOCKS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff",
    "Cyrillic": "\u0400-\u052f",
    "Arabic": "\u0620-\u065f\u066e-\u06d3",
    "Japanese": "\u30a1-\u30fc",
    "Han": "\u4e00-\u9fff",
    "Hangul": "\uac00-\ud7a3",
    "Hebrew": "\u0591-\u05f4",
    "Devanagari": "\u0900-\u0963",
    "Bengali": "\u0980-\u09e3",
    "Telugu": "\u0c00-\u0c63",
    "Thai": "\u0e01-\u0e4e",
}
# Scripts whose letters can all be labels: one beyond the options is noticed as such.
_CAPITALS = {"Latin": "A-Z", "Cyrillic": "А-ЯЁЄІЇ", "Arabic": "\u0621-\u063a\u0641-\u064aہی"}
# Letters that look the same; a model types either where one of them was shown.
_TWINS = dict(zip("АВСЕНКМОРТХІЈا", "ABCEHKMOPTXIJأ", strict=True))
_TWINS |= {twin: letter for letter, twin in _TWINS.items()}
_OPEN = r"[\s*_(\[{\"'`«“„‘「『:$#-]*"
_CLOSE = r"[\s*_)\]}\"'`»”“’」』.,;:!$。、]*"
_WRAPPED = r"[)\]}*_\"'»”」』]{0,3}"


@dataclass(frozen=True)
class Letters:
    """Patterns around the letters of one language and one row of letters shown."""

    index: dict[str, int]  # of the option that a letter stands for
    letter: re.Pattern[str]
    alone: re.Pattern[str]  # as the whole text
    direct: re.Pattern[str]  # right behind an announcement, neither denied nor weighed
    opening: re.Pattern[str]  # first thing in a text, marked as a label
    label: re.Pattern[str]  # as in a list of options
    bracketed: re.Pattern[str]  # first thing in a text, with a bracket behind it
    affirmed: re.Pattern[str]
    chosen: re.Pattern[str]
    negated: re.Pattern[str]  # "not A"
    rejected: re.Pattern[str]  # "A is wrong"
    weighed: re.Pattern[str]  # several side by side
    retracted: re.Pattern[str]


@lru_cache(maxsize=256)
def letters_for(code: str, shown: tuple[str, ...]) -> Letters:
    """The patterns for answers in a language to options with these letters."""
    facts = rows(code)
    index = _index(language(code), shown)
    one = _standalone(code, shown)
    small = any_of(key for key in index if key != key.upper()) + r"(?![^\W\d_]|\.\w)"
    first = rf"{one}{_WRAPPED}"
    further = rf"[(\[\"'*«“「]{{0,2}}{first}"
    following = rf"(?:{_conjunction(facts)}){further}"
    listed = rf"(?:(?: ?[,、] ?{further}){{1,9}},?)?{following}"
    last_of_row = r"(?=\s*(?:$|[.\n]))"
    rejected = "(?: [—–-])?:? ?" + _phrases((row, row.rejections) for row in facts)
    affirmed = " ?" + _phrases((row, row.affirmations) for row in facts)
    retracted = _phrases((row, row.retractions) for row in facts)
    settled = rf"(?! ?{following}(?!{rejected})| ?, ?{further}{last_of_row})(?!{rejected})"
    compiled = {
        "letter": rf"{one}|\({small}\)",
        "alone": rf"{_OPEN}({any_of(index)}|[A-Z]){_CLOSE}",
        "direct": rf"{_OPEN}(?:({one}){_WRAPPED}{settled}|({small}){_CLOSE}(?:$|\n|(?<=[).])))",
        "opening": rf"{_OPEN}({one}|{small}(?=[).:])){_WRAPPED}"
        r"(?:[.:,]|(?<=[)\]*])|\s*(?:$|\n)| [—–-] )",
        "label": rf"{one}[):](?=\s*\w)|(?m:^)[ *_(-]*{one}\.(?= *\w)",
        "bracketed": rf"{_OPEN}({one}|{small}) ?[)\]] ?",
        "affirmed": rf"{first}(?={affirmed})",
        "chosen": _phrases((row, row.choosing) for row in facts),
        "negated": rf"{_negation(facts)}{further}(?:{listed})?",
        "rejected": rf"{first}(?:{listed})?{rejected}",
        "weighed": rf"{first}(?:{listed}|(?: ?, ?{further}){{1,9}}{last_of_row})",
        "retracted": rf"(?:^|[\n.!?…,;—-])\s*{retracted}",
    }
    return Letters(index=index, **{name: re.compile(text) for name, text in compiled.items()})


def _index(row: Language, shown: tuple[str, ...]) -> dict[str, int]:
    """The option of each letter: those shown before their twins, native and Latin ones."""
    index = {letter: i for i, letter in enumerate(shown)}
    for letters in (shown, row.letters, LATIN_LETTERS):
        for i, letter in enumerate(letters[: len(shown)]):
            index.setdefault(letter, i)
            index.setdefault(_TWINS.get(letter, letter), i)
    for letter, i in list(index.items()):
        index.setdefault(letter.lower(), i)
    return index


def _standalone(code: str, shown: tuple[str, ...]) -> str:
    """A pattern for one letter on its own, in any script that may stand for an option.

    It begins with the class of all letters, so that a search skips from one to the next.
    """
    row = language(code)
    scripts = {"Latin": "A-Z", row.script: _CAPITALS.get(row.script) or "".join(row.letters)}
    every = "".join(scripts.values())
    others = "".join(letter for letter in shown if not re.match(f"[{every}]", letter))
    guard = _word_guard(rows(code))
    kinds = [_alone_in(script, letters, guard) for script, letters in scripts.items()]
    if others:
        kinds.append(rf"(?<=[{others}])(?<!\w.)(?![.,]?\w)")
    return f"[{every}{others}](?:{'|'.join(kinds)})"


def _alone_in(script: str, letters: str, guard: str) -> str:
    """What must hold behind a letter of this script, looking back over it."""
    block = _BLOCKS[script]
    before = rf"(?<=[{letters}])(?<![{block}\d°_].)(?<![{block}\d]-.)(?<![{block}]\..)"
    if script == "Han":  # characters stand side by side; only a verb leads to a label
        before = rf"(?<=[{letters}])(?:(?<![{block}].)|(?<=[是为為选選].))"
    after = rf"(?![{block}\d°_+#]|['’-]\w|\.[{letters}]\.| *=)"
    inside = r"(?<=[^\W\d_A-ZА-Я] [^Iو])"
    return rf"{before}(?:{inside}|{guard}){after}"


def _word_guard(facts: Sequence[Language]) -> str:
    """Behind a letter that is also a word: no further word, save one that speaks of a letter."""
    letters = "".join(row.word_letters for row in facts)
    verbs = (
        word
        for row in facts
        for word in (
            *row.links,
            *row.conjunctions,
            *row.reasons,
            *row.rejections,
            *row.affirmations,
        )
    )
    speaking = any_of(word.split()[0] for word in verbs)
    return rf"(?!(?<=[{letters}]) +(?!{speaking}(?!\w))\w)"


def _phrases(entries: Iterable[tuple[Language, Sequence[str]]]) -> str:
    return "(?i:" + "|".join(bounded(row, phrases) for row, phrases in entries) + ")"


def _conjunction(facts: Sequence[Language]) -> str:
    spaced = any_of(f" {word} " for row in facts if row.spaced for word in row.conjunctions)
    joined = any_of(word for row in facts if not row.spaced for word in row.conjunctions)
    return f"{spaced}| ?(?:[/&]|{joined}) ?"


def _negation(facts: Sequence[Language]) -> str:
    """A negation with at most an article and a noun between it and the letter."""
    capital = r"[A-ZА-ЯЁ](?!\w)"
    patterns = []
    for row in facts:
        article = rf"(?-i: {any_of(row.articles)})?" if row.articles else ""
        noun = rf"(?-i: (?!{capital})[^\W\d_]+(?:['’][^\W\d_]+)?)?"
        if not row.spaced:
            noun = r"[^\s\W\dA-Za-z]{0,4}"
        patterns.append(rf"{bounded(row, row.negations)}{article}{noun} ?")
    return "(?i:" + "|".join(patterns) + ")"
