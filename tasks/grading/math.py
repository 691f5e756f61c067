"""Formulas, compared by what they mean, through math-verify.

Its own time limits use signals, which only work in a main thread, so they are off. What could keep
it busy for minutes is recognised by its looks and compared as it is written.

It is imported when a formula is read: that takes half a second, which every other step spares.
"""

from __future__ import annotations

import logging
import re
from math import prod

from tasks.grading.announcements import firm_ends
from tasks.grading.number import read_gold, read_whole
from tasks.languages import language
from tasks.text import plain

# It warns at every call that no time limit is set.
logging.getLogger("math_verify").setLevel(logging.ERROR)

_LONGEST_TEXT = 4_000  # characters; only the end of a text is read
_LONGEST_FORMULA = 200
_DEEPEST = 8  # brackets within brackets; parsing time grows with the power of it
_MOST_TERMS = 40  # exponents of brackets times summands: a sum to a power is multiplied out
_POWER = r"(?:\^|\*\*)[\s{(-]*"
_BRACKET_POWER = re.compile(rf"[)\]}}]\s*{_POWER}(\d+)")
_EXPENSIVE = re.compile(
    "|".join(
        (
            r"\\(?:[gG]amma|[bB]eta|zeta|Pi) *(?:\^.{1,4})?(?:\\left)? *\(",  # as functions
            r"[)}!]\s*!|\d{3}!|binom\W*\d{3}|binom\W*\w+\W+\d{3}",  # factorials
            r"\d{16}",  # long numbers
            _POWER + r"\d{3}",
            _POWER + r"\d+[\s})]*(?:\^|\*\*)",  # towers of powers
            _POWER + r"[^{}()]*\d\s*(?:\^|\*\*)",
            _POWER + r"[^{}()]*(?:\^|\*\*)[\s{(-]*[^{}()]*(?:\^|\*\*)",
        )
    )
)
# Everything else (integrals, limits, sums) is compared as it is written.
_COMPUTED_COMMANDS = """
    frac dfrac tfrac sqrt binom dbinom tbinom pi infty sin cos tan cot sec csc arcsin arccos arctan
    sinh cosh tanh log ln lg exp max min text textbf mathrm mathbf mathbb left right cdot times div
    pm mp le leq leqslant ge geq geqslant lt gt ne neq in notin cup cap emptyset varnothing circ
    degree angle begin end quad qquad ldots dots overline vec alpha beta gamma delta epsilon
    varepsilon zeta eta theta lambda mu nu rho sigma tau phi varphi psi omega Delta Gamma Omega Pi
"""
_COMPUTED = frozenset(_COMPUTED_COMMANDS.split())
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_BOX = re.compile(r"\\(?:boxed|fbox) *\{")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_DELIMITED = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)", re.DOTALL)
_MIXED = re.compile(r"(?<![\d.,])(\d+) +(\d+)/(\d+)(?![\d/])")
_MIXED_LATEX = r"\1\\frac{\2}{\3}"  # math-verify reads "2 2/3" as two numbers
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|,\s|\n|。")
_BARE = re.compile(r"^[^\n=]*[\\^][^\n=]*$")  # a formula by itself, with no steps
_UNIT = re.compile(r"(?: +[^\W\d_]{2,}\.?)+$")
_LOOKS = re.compile(r"\\left|\\right|\\[,;:! ]|[\s$]|\\[()\[\]]|\.$")


def read_formula(text: str, code: str) -> str | None:
    """The formula or number that a text gives as its answer.

    A box counts before an announcement ("the answer is"), and that before the last formula.
    """
    shown = _BOLD.sub(r"\1", plain(text)[-_LONGEST_TEXT:])
    content = boxed(shown)
    if content is not None:
        return content.strip() or None
    for end in firm_ends(shown, code):
        announced = _first_formula(shown[end:].strip(), code)
        if announced is not None:
            return announced
    delimited = list(_DELIMITED.finditer(shown))
    if delimited:
        return _inside(delimited[-1])
    whole = shown.strip()
    return whole if _BARE.search(whole) and is_formula(whole) else _extracted(shown)


def boxed(text: str) -> str | None:
    """The content of the last box, with its braces matched."""
    starts = [match.end() for match in _BOX.finditer(text)]
    depth = 1
    for at in range(starts[-1] if starts else len(text), len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[starts[-1] : at]
    return None


def _inside(delimited: re.Match[str]) -> str:
    return "".join(filter(None, delimited.groups())).strip()


def _first_formula(text: str, code: str) -> str | None:
    sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
    delimited = _DELIMITED.search(text)
    if delimited and delimited.start() <= len(sentence):
        return _inside(delimited)
    bare = _UNIT.sub("", sentence)
    return bare if read_whole(bare, code) is not None else _extracted(sentence)


def _extracted(text: str) -> str | None:
    """What math-verify finds by itself in prose, as it is written there."""
    from math_verify import parse

    found = parse(_MIXED.sub(rf"${_MIXED_LATEX}$", text), parsing_timeout=None)
    return str(found[-1]) if found else None


def equal(gold: str, answer: str, code: str) -> bool:
    """Whether an answer, read by `read_formula`, means what the gold means."""
    if _LOOKS.sub("", gold) == _LOOKS.sub("", answer):
        return True
    wanted = read_gold(gold)
    if wanted is not None:
        values = {read_whole(answer, code)}
        if "." in language(code).decimal:  # in formulas a point is one, before three digits too
            values.add(read_gold(answer))
        if values != {None}:
            return wanted in values
    return _computable(gold) and _computable(answer) and _verified(gold, answer)


def _verified(gold: str, answer: str) -> bool:
    from math_verify import parse, verify

    golds, answers = (
        parse(f"${_MIXED.sub(_MIXED_LATEX, one).strip('$ ')}$", parsing_timeout=None)
        for one in (gold, answer)
    )
    return bool(verify(golds, answers, timeout_seconds=None))


def _computable(formula: str) -> bool:
    """Whether the comparison will end soon, whatever it comes to."""
    depth = deepest = 0
    for character in formula:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if len(formula) > _LONGEST_FORMULA or deepest > _DEEPEST or _EXPENSIVE.search(formula):
        return False
    exponents = prod(int(exponent) for exponent in _BRACKET_POWER.findall(formula))
    summands = 1 + formula.count("+") + formula.count("-")
    return exponents * summands <= _MOST_TERMS and _COMPUTED.issuperset(_COMMAND.findall(formula))


def is_formula(text: str) -> bool:
    """Whether a text is a formula and nothing else."""
    bare = _COMMAND.sub(" ", text)
    return bool(re.search(r"[\\^=]", text)) and not re.search(r"[^\W\d_]{3,}", bare)
