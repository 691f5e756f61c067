"""What is known of one language: its marks, its words around an answer, how it puts a question.

Lists of words are written as one string with `|` between them. All words are lower case, in the
language's own script; matching folds case. Words that only some scripts or registers use are left
out where they would also be read in ordinary sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

LATIN_LETTERS = tuple("ABCDEFGHIJ")


@dataclass(frozen=True)
class Language:
    """What grading, prompts and text work need to know about one language."""

    code: str
    name: str  # in English
    endonym: str
    script: str  # Latin | Arabic | Cyrillic | Devanagari | Japanese | Han | Hangul | ...
    role: str  # trained | held_out | other (only ever asked in)
    decimal: str  # decimal marks
    grouping: str  # marks between groups of digits; every kind of space groups as well
    letters: tuple[str, ...]  # the ten native labels of options
    question_word: str
    context_word: str
    reasoning_word: str
    answer_word: str  # the label before an answer; announces one only with a colon or a verb
    answer_words: tuple[str, ...]  # announce an answer wherever they stand
    links: tuple[str, ...]  # verbs between an answer word and the answer
    instructions: dict[str, str]  # choice | number | span | translation | math
    reason: str  # a sentence: reason step by step {language}
    finish: str  # a sentence: write the answer on a last line that begins with {label}
    reply: str  # a sentence: give the answer {language}
    in_own: str  # what {language} stands for: "in this language"
    in_english: str
    # Tokens of a text per token of its English translation, rounded up: Gemma 3's tokenizer over
    # the bundled items, MGSM and NTREX-128, whichever is the most; where a language is in none of
    # these, over the sentences of its row.
    fertility: float
    spaced: bool = True  # words have spaces around them; Korean writes particles onto them
    colon: str = ": "
    bleu_tokenizer: str = "13a"
    articles: tuple[str, ...] = ()
    elisions: tuple[str, ...] = ()  # articles written onto the next word
    choosing: tuple[str, ...] = ()  # "I choose": announce an option without a further verb
    retractions: tuple[str, ...] = ()  # "no, wait": what was said before no longer holds
    negations: tuple[str, ...] = ()  # before a letter: it is not the answer
    rejections: tuple[str, ...] = ()  # behind a letter: it is not the answer
    affirmations: tuple[str, ...] = ()  # behind a letter: it is the answer
    conjunctions: tuple[str, ...] = ()  # and, or, nor
    reasons: tuple[str, ...] = ()  # because, since
    word_letters: str = ""  # letters that are also words when they stand alone


def each(words: str) -> tuple[str, ...]:
    """The words between the bars."""
    return tuple(words.split("|"))
