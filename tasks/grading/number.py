"""Numbers: read from answers in any of the languages' ways of writing them, compared exactly.

A lone mark before exactly three digits, not after a leading 0, is grouping in every language;
otherwise the language's own marks hold. Spaces group. Units, percent signs and number words are
not read. Gold answers are written the English way in every language.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from tasks.grading.announcements import firm_ends, loose_ends
from tasks.languages import language
from tasks.text import plain

_LONGEST = 60  # characters; what is longer is no answer, and slow to compute with
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip
_TYPOGRAPHY = {"–": "-", "’": "'", "⁄": "/", "،": ",", "⋅": "·", "∙": "·"}
_TYPOGRAPHY |= {sign: f" {fraction}" for sign, fraction in _VULGAR.items()}
_TYPOGRAPHIC = re.compile(f"[{''.join(_TYPOGRAPHY)}]")
_BOLD = re.compile(r"(?<!\d)\*\*|\*\*(?!\d)")
_LATEX = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[dt]?frac *\{(\d+)\} *\{(\d+)\}"), r" \1/\2"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"\\([%$])"), r"\1"),
)

# The sign stands before the number or its currency, and behind no operand; digits behind a Latin
# letter are part of a name ("H2O", "m2").
_NUMBER = re.compile(
    r"(?<![A-Za-z\d])(?:(?<![\w)\]}%])(?P<sign>-)[$€£¥]?(?=[.,\d]))?"
    r"(?P<digits>\d{1,3}(?: \d{3}(?!\d))+(?:[.,٫]\d+)?"
    r"|\d+(?:[.,'٬٫]\d+)*"
    r"|(?<![\w.,])[.,٫]\d+)"
    r"(?:(?: ?/ ?(?P<below>\d+)| (?P<above>\d+)/(?P<under>\d+))(?![\d/]))?"
)
_GOLD = re.compile(r"([-+]?)[$€£¥]?((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:/(\d+))?")

# 35 000 € + 22 500 € = 57 500 €: operands with a unit each, and at least one right-hand side.
_OPERAND = r"(?:[\d.,'٬٫]|(?<=\d) (?=\d{3}(?!\d)))*\d"
_UNIT = r"[^\d\n=≈+*/×·÷:^.,;!?-]{0,24}?"
_SIDE = rf"{_OPERAND}(?:{_UNIT}[-+*/×xX·÷:^]{_UNIT}{_OPERAND})*"
_EQUATION = re.compile(rf"{_UNIT}-?{_UNIT}{_SIDE}(?:{_UNIT}[=≈]{_UNIT}-?{_UNIT}{_SIDE})+")


@lru_cache(maxsize=4096)  # one gold meets the samples of all languages
def read_gold(gold: str) -> Fraction | None:
    """The value of a gold answer, which is written the English way whatever its language."""
    match = _GOLD.fullmatch(_cleaned(gold).strip(" %"))
    if match is None or len(gold) > _LONGEST:
        return None
    sign, digits, below = match.groups()
    value = Fraction(digits.replace(",", "")) / Fraction(below or 1) if below != "0" else None
    return -value if value is not None and sign == "-" else value


def read_answer(text: str, code: str) -> Fraction | None:
    """The number that an answer states.

    It is the first one behind the last answer word (if it opens an equation, the last right-hand
    side), else the last number of the text.
    """
    cleaned = _cleaned(text)
    for ends in (firm_ends, loose_ends):
        for end in ends(cleaned, code):
            value = _first(cleaned, code, end)
            if value is not None:
                return value
    return _last(cleaned, code)


def read_whole(text: str, code: str) -> Fraction | None:
    """The value of a text that is a number and nothing else, save marks around it and a percent."""
    match = _NUMBER.fullmatch(_cleaned(text).strip(" $€£¥%()*").rstrip("."))
    values = _values(match, code) if match else []
    return values[0] if len(values) == 1 else None


def with_plain_numbers(text: str, code: str) -> str:
    """The text with its numbers written the English way, without grouping."""

    def rewrite(match: re.Match[str]) -> str:
        plain_digits = _decimal_notation(match["digits"], code)
        if plain_digits is None or len(match[0]) > _LONGEST:
            return match[0]
        return match[0].replace(match["digits"], written(Fraction(plain_digits)), 1)

    return _NUMBER.sub(rewrite, _cleaned(text))


def written(value: Fraction) -> str:
    """A value the English way: "57500", "2.5"; as a fraction where decimals would not end."""
    places = next((n for n in range(_LONGEST) if 10**n % value.denominator == 0), None)
    if not places:
        return str(value)
    digits = f"{(abs(value) * 10**places).numerator:0{places + 1}}"
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _cleaned(text: str) -> str:
    cleaned = plain(text)
    if not cleaned.isascii():
        cleaned = _TYPOGRAPHIC.sub(lambda match: _TYPOGRAPHY[match[0]], cleaned)
    if "\\" in cleaned or "{,}" in cleaned:
        for pattern, replacement in _LATEX:
            cleaned = pattern.sub(replacement, cleaned)
    return _BOLD.sub("", cleaned) if "**" in cleaned else cleaned


def _first(text: str, code: str, start: int) -> Fraction | None:
    for match in _NUMBER.finditer(text, start):
        values = _values(match, code)
        if values:
            result = _last_right_hand_side(text, code, match.start())
            return values[0] if result is None else result
    return None


def _last(text: str, code: str) -> Fraction | None:
    for match in reversed(list(_NUMBER.finditer(text))):
        values = _values(match, code)
        if values:
            return values[-1]
    return None


def _last_right_hand_side(text: str, code: str, start: int) -> Fraction | None:
    equation = _EQUATION.match(text, start)
    if equation is None:
        return None
    for side in reversed(re.split("[=≈]", equation[0])[1:]):
        operands = list(_NUMBER.finditer(side))
        if len(operands) == 1:
            return next(iter(_values(operands[0], code)), None)
    return None


def _values(match: re.Match[str], code: str) -> list[Fraction]:
    """The value of a match of `_NUMBER`; several when its marks only separate ("1,2,3")."""
    digits = match["digits"]
    if len(match[0]) > _LONGEST:
        return []
    whole = _decimal_notation(digits, code)
    if whole is None:
        return [Fraction(part) for part in re.split(r"\D", digits) if part]
    value = Fraction(whole)
    below, under = int(match["below"] or 1), int(match["under"] or 1)
    if below and under:
        value = value / below + Fraction(int(match["above"] or 0), under)
    return [-value if match["sign"] else value]


def _decimal_notation(digits: str, code: str) -> str | None:
    """The digits with a point for the decimal mark and no grouping; None when they are several."""
    compact = digits.replace(" ", "")
    marks = [c for c in compact if not c.isdigit()]
    if not marks:
        return compact
    if len(marks) == 1:
        mark = _lone_mark(compact, marks[0], spaced=compact != digits, code=code)
        return None if mark is None else compact.replace(marks[0], mark)
    if len(set(marks)) == 1:
        return _ungrouped(compact, marks[0])
    head, tail = compact.rsplit(marks[-1], 1)
    if len(set(marks)) > 2 or marks.count(marks[-1]) > 1:
        return None
    grouped = _ungrouped(head, marks[0])
    return grouped and f"{grouped}.{tail}"


def _lone_mark(compact: str, mark: str, *, spaced: bool, code: str) -> str | None:
    """What the only mark of a number stands for: "." decimal, "" grouping, None neither."""
    head, tail = compact.split(mark)
    if len(tail) != 3 or head.startswith("0") or not head:
        return None if mark in "'٬" else "."
    # More than three digits are no group, and where spaces group the mark does not.
    own = len(head) > 3 or spaced
    return "." if mark == "٫" or (own and mark in language(code).decimal) else ""


def _ungrouped(digits: str, mark: str) -> str | None:
    """The digits without their grouping marks; None when these do not stand where groups end."""
    first, *middle, last = digits.split(mark)
    grouped = 1 <= len(first) <= 3 and all(len(g) in (2, 3) for g in middle) and len(last) == 3
    return "".join((first, *middle, last)) if grouped else None
