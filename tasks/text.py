"""Unicode work on what models and data sets write: cleaning, cutting, words, similarity.

Nothing here depends on what is asked; `tasks.grading` decides which of it applies.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from tasks.languages import HELD_OUT, TRAINED, language

# Soft hyphen, zero-width and bidi marks, variation selectors, byte order mark.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_SPACE = re.compile("[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_TAG = re.compile(r"<(/?)(think|thinking|thought)>|\[(/?)(THINK)\]", re.IGNORECASE)
_UNSPACED = "\u0e00-\u0e7f\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CHARACTER_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_NGRAM = 3
_SCRIPTS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "Cyrillic": "\u0400-\u052f",
    "Arabic": "\u0620-\u064a\u066e-\u06d3\u0750-\u077f",
    "Bengali": "\u0980-\u09fb",
    "Telugu": "\u0c00-\u0c7f",
    "Thai": "\u0e01-\u0e4e",
    "Devanagari": "\u0900-\u0963",
    "Hebrew": "\u05d0-\u05ea",
    "Hangul": "\uac00-\ud7a3",
    "Kana": "\u3041-\u3096\u30a1-\u30fa\u30fc",
    "Han": "\u3005\u3400-\u4dbf\u4e00-\u9fff",
}


def _characters(*categories: str) -> list[str]:
    """The characters of plane 0 in these categories; classes beyond it make matching slow."""
    plane = map(chr, range(0x10000))
    return [c for c in plane if unicodedata.category(c).startswith(categories)]


def _character_class(characters: Iterable[str]) -> str:
    """A regular-expression class, as ranges: thousands of single characters would be slow."""
    points = sorted(map(ord, characters))
    starts = [p for p, before in zip(points, [-2, *points], strict=False) if p != before + 1]
    ends = [p for p, after in zip(points, [*points[1:], -2], strict=True) if p != after - 1]
    pairs = zip(starts, ends, strict=True)
    return "[" + "".join(rf"\U{a:08x}-\U{b:08x}" for a, b in pairs) + "]"


_FOLDS = {c: str(unicodedata.decimal(c)) for c in _characters("Nd")}
_FOLDS |= {chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}  # full-width forms of ASCII
_FOLDS["\u2212"] = "-"
_FOLDED = re.compile(_character_class(c for c in _FOLDS if not c.isascii()))
# Spellings of one word: the Russian yo, hamza on or below an alef, Arabic vowel and stretch marks.
_SPELLINGS = {"ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ـ": ""}
_SPELLINGS |= {chr(c): "" for c in (*range(0x64B, 0x653), 0x670)}
_SPELLED = re.compile(f"[{''.join(_SPELLINGS)}]")
_PUNCTUATION = _character_class([*_characters("P", "S"), *map(chr, range(0x1F000, 0x1FB00))])
# Written with the class first, so that the search skips from mark to mark.
_JOINING = re.compile(r"[.'`´‘’ʼ](?!(?<=\d.)\d)")
_SEPARATING = re.compile(rf"{_PUNCTUATION}(?!(?<=\d[.,:/'٫٬])\d|(?<=(?<!\w)-)\d)")


def visible(text: str) -> str:
    """The text composed (NFC), without invisible and bidi marks, every kind of blank a space."""
    if text.isascii():
        return text.replace("\t", " ")
    return _SPACE.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text)))


def plain(text: str) -> str:
    """`visible`, with the digits of all scripts, full-width forms and the minus sign in ASCII.

    Not NFKC: that makes the square in "25 m²" a digit.
    """
    shown = visible(text)
    if shown.isascii():
        return shown
    return _FOLDED.sub(lambda match: _FOLDS[match[0]], shown)


def compatible(text: str) -> str:
    """`plain` after NFKC: for words and letters, where circled and small forms mean the same."""
    if text.isascii():
        return plain(text)
    # It takes apart the Thai vowel that the word for "answer" is written with.
    return plain(unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33"))


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    """The text before the first of the stop strings."""
    for mark in filter(None, stop):
        text = text.partition(mark)[0]
    return text


def without_thoughts(text: str) -> tuple[str, bool]:
    """The text outside of closed thoughts, and whether a thought was still open at the end.

    A closing tag without an opening one ends a thought that the prompt had opened.
    """
    if "<" not in text and "[" not in text:
        return text, False
    kept, start, depth = "", 0, 0
    for tag in _TAG.finditer(text):
        closing = bool(tag[1] or tag[3])
        if closing:
            kept = kept if depth else ""
            depth = max(depth - 1, 0)
        else:
            kept += "" if depth else text[start : tag.start()]
            depth += 1
        start = tag.end()
    return (kept, True) if depth else (kept + text[start:], False)


def words(text: str, code: str) -> list[str]:
    """The words of a text as compared in answers: case folded, without punctuation.

    In Chinese, Japanese and Thai every character is one. Marks between digits and the sign of a
    number belong to the number.
    """
    folded = compatible(text).casefold()
    if not folded.isascii():
        folded = _SPELLED.sub(lambda match: _SPELLINGS[match[0]], folded)
    joined = _SEPARATING.sub(" ", _JOINING.sub("", folded))
    return joined.split() if language(code).spaced else _CHARACTER_TOKEN.findall(joined)


@lru_cache(maxsize=20_000)
def grams(text: str) -> frozenset[str]:
    """The character trigrams of a text, whatever its case and spacing."""
    folded = " ".join(compatible(text).casefold().split())
    if len(folded) <= _NGRAM:
        return frozenset([folded] if folded else [])
    return frozenset(folded[i : i + _NGRAM] for i in range(len(folded) - _NGRAM + 1))


def similarity(a: str, b: str) -> float:
    """Dice coefficient of the two texts' character trigrams: 0 nothing in common, 1 the same."""
    left, right = grams(a), grams(b)
    if not left and not right:
        return 1.0
    return 2 * len(left & right) / (len(left) + len(right))


# Formulas, commands, addresses and code look English in every language.
_NOT_PROSE = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]*[\\^_=][^$\n]*\$|\\\[.*?\\\]|\\\(.*?\\\)|```.*?```|`[^`\n]*`"
    r"|\\[A-Za-z]+|https?://\S+|</?\w+>",
    re.DOTALL,
)
_IN_SCRIPT = {name: re.compile(f"[{ranges}]") for name, ranges in _SCRIPTS.items()}
_LEAST_LETTERS = {"Latin": 12, "Han": 12}  # below, there is nothing to tell languages apart by
_LEAST_PROBABILITY = 0.5
_CJK_WEIGHT = 4  # a Chinese character says as much as several letters
_LEAST_KANA = 0.05  # share of kana in CJK text that makes it Japanese


@lru_cache(maxsize=16)
def _identifier(among: tuple[str, ...]) -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # It has never seen Wolof.
    identifier.set_languages([code for code in among if code in identifier.nb_classes])
    return identifier


def script_counts(text: str) -> dict[str, int]:
    """Letters of each script in the prose of a text, formulas and addresses left out."""
    prose = _NOT_PROSE.sub(" ", visible(text))
    return {script: len(pattern.findall(prose)) for script, pattern in _IN_SCRIPT.items()}


def identify_language(text: str, among: Sequence[str] = TRAINED + HELD_OUT) -> str | None:
    """The language of a text; None when it is too short to tell or in none of `among`."""
    counts = script_counts(text)
    cjk = counts.pop("Kana"), counts["Han"]
    counts["Han"] = _CJK_WEIGHT * sum(cjk)
    script = max(counts, key=lambda name: counts[name])
    if counts[script] < _LEAST_LETTERS.get(script, 3):
        return None
    if script == "Han":
        found = "ja" if cjk[0] >= _LEAST_KANA * sum(cjk) else "zh"
        return found if found in among else None
    candidates = tuple(code for code in among if language(code).script == script)
    if script != "Latin" and len(candidates) < 2:
        return candidates[0] if candidates else None
    return _likeliest(text, candidates)


def _likeliest(text: str, candidates: tuple[str, ...]) -> str | None:
    """One of these languages of one script; None when none is likely."""
    if not candidates:
        return None
    found, probability = _identifier(candidates).classify(_NOT_PROSE.sub(" ", visible(text)))
    return str(found) if probability >= _LEAST_PROBABILITY else None
