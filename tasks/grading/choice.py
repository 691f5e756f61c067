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
    shown = tuple(map(compatible, shown))
    letters = letters_for(code, shown)
    names = _names(code, tuple(options))
    cleaned = compatible(text).replace("ـ", "")
    alone = letters.alone.fullmatch(cleaned)
    if alone and alone[1] in shown:
        return letters.index[alone[1]]
    whole = names.whole(cleaned)
    if whole is not None:
        return whole
    if alone:
        return letters.index.get(alone[1])
    return _settled(names.masked(cleaned), letters, names, code)


def read_label(text: str, code: str, shown: Sequence[str]) -> int | None:
    """The option whose letter is the whole text, or stands before a bracket at its start."""
    letters = letters_for(code, tuple(shown))
    cleaned = compatible(text)
    found = letters.alone.fullmatch(cleaned) or letters.bracketed.match(cleaned)
    return letters.index.get(found[1]) if found else None


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
    whole = names.whole(text.rstrip().rpartition("\n")[2])
    if whole is not None:
        return whole
    standing = _standing(text, letters)
    opening = letters.opening.match(standing)
    listing = len(_mentioned(" ".join(letters.label.findall(standing)), letters)) > 1
    if opening and opening[1] in letters.index and not listing:
        return letters.index[opening[1]]
    found = _last_letter(letters.label.sub(_GAP, standing) if listing else standing, letters)
    if found is None:
        return names.mentioned(_without_listing(text, letters) if listing else text)
    return found


def _standing(text: str, letters: Letters) -> str:
    """The text without the letters that are denied or weighed together."""
    if not letters.letter.search(text):
        return text
    for pattern in (letters.negated, letters.rejected, letters.weighed):
        text = pattern.sub(_GAP, text)
    return text


def _without_listing(text: str, letters: Letters) -> str:
    """The lines that do not only repeat the options under their labels."""
    return "\n".join(line for line in text.splitlines() if not letters.label.search(line))


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
    index = letters.index.get(direct[1] or direct[2], _BEYOND) if direct else None
    if index not in (None, _BEYOND):
        return index
    line = segment.strip().partition("\n")[0]
    whole = names.whole(line)
    if whole is not None or index == _BEYOND:
        return index if whole is None else whole
    standing = _standing(segment, letters).lstrip()
    sentence, *rest = _SENTENCE_END.split(standing, maxsplit=1)
    found = _mentioned(sentence, letters)
    if found:
        return found[0]
    named = names.mentioned(sentence)
    return _last_letter("".join(rest), letters) if named is None else named


def _last_letter(text: str, letters: Letters) -> int | None:
    found = _mentioned(text, letters)
    return found[-1] if found else None


def _mentioned(text: str, letters: Letters) -> list[int]:
    """The options whose letters stand in the text, in its order."""
    found = (letters.index.get(match[0].strip("()")) for match in letters.letter.finditer(text))
    return [index for index in found if index is not None]


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
        return self.lettered.sub(lambda match: match[0].replace(" ", "_"), text)

    def mentioned(self, text: str) -> int | None:
        """The only option that the last sentence with any of them names."""
        if not self._in_sentence(text):
            return None
        for sentence in reversed(_SENTENCE_END.split(text)):
            found = self._in_sentence(sentence)
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def _in_sentence(self, sentence: str) -> list[int]:
        said = _spaced(words(sentence, self.code))
        found = [i for i, name in enumerate(self.as_words) if name and name in said]
        inside = {
            i for i in found for j in found if i != j and self.as_words[i] in self.as_words[j]
        }
        return [i for i in found if i not in inside and not self._denied(said, self.as_words[i])]

    def _denied(self, said: str, name: str) -> bool:
        before = said[: said.rindex(name)].split()[-2:]
        return not self.negations.isdisjoint(before)


def _spaced(found: list[str]) -> str:
    """Words with a blank around each, so that only whole ones are found in it."""
    return f" {' '.join(found)} " if found else ""


def _key(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").split()).strip(" *()[]\"'`«»“”.,;:!?。$")


@lru_cache(maxsize=4096)
def _names(code: str, options: tuple[str, ...]) -> _Names:
    cleaned = [compatible(option) for option in options]
    keys = [_key(option) or option for option in cleaned]
    letter = letters_for(code, ("A",)).letter
    lettered = [option for option in cleaned if len(option) > 1 and letter.search(option)]
    return _Names(
        code=code,
        by_key={key: keys.index(key) if keys.count(key) == 1 else None for key in keys},
        as_words=tuple(_spaced(words(option, code)) for option in options),
        lettered=re.compile(any_of(lettered), re.IGNORECASE) if lettered else None,
        longest=max(map(len, cleaned), default=0) + 12,
        negations=frozenset(word for row in rows(code) for word in row.negations),
    )
