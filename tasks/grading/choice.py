"""Multiple choice: which of the options shown does a text settle on?

In order of weight: what stands behind the last announcement ("the answer is"), a letter that opens
the text as a label, the last letter in it, an option's own words. Letters that are denied ("not A",
"C is wrong") or weighed together ("A or B") are no choice, and "no, wait" takes back what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks.grading.announcements import any_of, firm_ends, rows
from tasks.grading.letters import Letters, letters_for
from tasks.text import compatible, words

_SENTENCE_END = re.compile(r"(?<=[.!?。])\s|\n|(?<=。)")
_GAP = " … "  # stands where denied and weighed letters stood
_BEYOND = -1  # a letter that is none of those shown


def read_choice(text: str, code: str, options: Sequence[str], shown: Sequence[str]) -> int | None:
    """The index of the option that the text settles on."""
    letters = letters_for(code, tuple(shown))
    names = _names(code, tuple(options))
    cleaned = compatible(text).replace("ـ", "")
    alone = letters.alone.fullmatch(cleaned)
    if alone and alone[1] in shown:
        return letters.index[alone[1]]
    whole = names.whole(cleaned)
    if whole is not None or alone:
        return whole if alone is None or whole is not None else letters.index.get(alone[1])
    return _settled(names.masked(cleaned), letters, names, code)


def _settled(text: str, letters: Letters, names: _Names, code: str) -> int | None:
    """What is said behind the last "no, wait" counts, unless nothing is."""
    starts = [match.end() for match in letters.retracted.finditer(text)]
    for start in [*reversed(starts), 0]:
        found = _stated(text[start:], letters, names, code)
        if found is not None:
            return found if found != _BEYOND else None
    return None


def _stated(text: str, letters: Letters, names: _Names, code: str) -> int | None:
    for segment in _announced(text, letters, code):
        found = _in_announced(segment, letters, names)
        if found is not None:
            return found
    standing = letters.weighed.sub(_GAP, letters.denied.sub(_GAP, text))
    opening = letters.opening.match(standing)
    labels = letters.label.findall(standing)
    if opening and opening[1] in letters.index and len(labels) <= 1:
        return letters.index[opening[1]]
    found = _last_letter(
        standing if len(labels) <= 1 else letters.label.sub(_GAP, standing), letters
    )
    return names.mentioned(text) if found is None else found


def _announced(text: str, letters: Letters, code: str) -> Iterator[str]:
    """What stands behind each announcement up to the next, last first."""
    starts = firm_ends(text, code)
    starts += [match.end() for match in letters.chosen.finditer(text)]
    starts += [match.start() for match in letters.affirmed.finditer(text)]
    end = len(text)
    for start in sorted(starts, reverse=True):
        yield text[start:end]
        end = start


def _in_announced(segment: str, letters: Letters, names: _Names) -> int | None:
    direct = letters.direct.match(segment)
    if direct:
        return letters.index.get(direct[1] or direct[2], _BEYOND)
    standing = letters.weighed.sub(_GAP, letters.denied.sub(_GAP, segment)).lstrip()
    sentence, *rest = _SENTENCE_END.split(standing, maxsplit=1)
    for match in letters.letter.finditer(sentence):
        index = letters.index.get(match[0].strip("()"))
        if index is not None:
            return index
    named = names.mentioned(sentence)
    return _last_letter("".join(rest), letters) if named is None else named


def _last_letter(text: str, letters: Letters) -> int | None:
    found = (letters.index.get(match[0].strip("()")) for match in letters.letter.finditer(text))
    return next((index for index in [*found][::-1] if index is not None), None)


@dataclass(frozen=True)
class _Names:
    """The options' own words, in one language."""

    code: str
    by_key: dict[str, int | None]  # None: two options read the same
    as_words: tuple[str, ...]
    lettered: re.Pattern[str] | None  # options in whose words letters stand alone: "vitamin C"
    longest: int
    negations: frozenset[str]

    def whole(self, text: str) -> int | None:
        """The option whose words are the whole text."""
        return self.by_key.get(_key(text)) if len(text) <= self.longest else None

    def masked(self, text: str) -> str:
        """The text without the letters that belong to an option's words."""
        if self.lettered is None:
            return text
        return self.lettered.sub(lambda match: match[0].lower(), text)

    def mentioned(self, text: str) -> int | None:
        """The only option that the last sentence with any of them names."""
        for sentence in reversed(_SENTENCE_END.split(text)):
            found = self._in_sentence(sentence)
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def _in_sentence(self, sentence: str) -> list[int]:
        said = f" {' '.join(words(sentence, self.code))} "
        found = [i for i, name in enumerate(self.as_words) if name and name in said]
        inside = {
            i for i in found for j in found if i != j and self.as_words[i] in self.as_words[j]
        }
        return [i for i in found if i not in inside and not self._denied(said, self.as_words[i])]

    def _denied(self, said: str, name: str) -> bool:
        before = said[: said.rindex(name)].split()[-2:]
        return not self.negations.isdisjoint(before)


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" *_()[]\"'`«»“”.,;:!?。$")


@lru_cache(maxsize=4096)
def _names(code: str, options: tuple[str, ...]) -> _Names:
    cleaned = [compatible(option) for option in options]
    keys = [_key(option) or option for option in cleaned]
    letter = letters_for(code, ("A",)).letter
    lettered = [option for option in cleaned if len(option) > 1 and letter.search(option)]
    return _Names(
        code=code,
        by_key={key: keys.index(key) if keys.count(key) == 1 else None for key in keys},
        as_words=tuple(
            " ".join(["", *words(option, code), ""]).strip()
            and f" {' '.join(words(option, code))} "
            for option in options
        ),
        lettered=re.compile(any_of(lettered), re.IGNORECASE) if lettered else None,
        longest=max(map(len, cleaned), default=0) + 12,
        negations=frozenset(word for row in rows(code) for word in row.negations),
    )
