"""Grade stored answers again, line by line, without asking a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tasks.errors import BadInput
from tasks.grading import LETTERS, Grade, grade

_NEEDED = ("kind", "language", "gold", "text")


def grade_lines(lines: Iterable[str]) -> Iterator[str]:
    """JSONL rows with `status`, `answer` and `score`, in their order and with all their fields.

    A row has kind (number, choice, span, math, translation), language, gold (a text, a number or a
    list of them) and text; it may have options, letters, stop (a text or a list, where the answer
    ends) and finish_reason. A status, answer or score that it had is replaced.

    Raises:
        BadInput: a line is no such row; the message has its number, counted from 1.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            found = _graded(row)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from error
        yield _written(row | found._asdict())


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line.removeprefix("\ufeff"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BadInput("this is not JSON; write one JSON object a line") from error
    if not isinstance(row, dict):
        raise BadInput("this is not a JSON object; write one JSON object a line")
    for name in _NEEDED:
        if row.get(name) is None:
            raise BadInput(f"there is no {name!r}; a row needs {', '.join(_NEEDED)}")
    return row


def _refuse(constant: str) -> None:
    raise BadInput(f"{constant} is not JSON; write null or a number")


def _graded(row: Mapping[str, Any]) -> Grade:
    gold, options, letters = (_texts(row, name) for name in ("gold", "options", "letters"))
    if row["kind"] == "choice":
        options = options or letters  # bare letters are options too
        letters = letters[: len(options)]
        gold = [_key(one, options, letters) for one in gold]
    if row["kind"] == "number":
        _refuse_unread(gold, _text(row, "language"))
    return grade(
        _text(row, "kind"),
        _text(row, "language"),
        gold,
        _text(row, "text"),
        options=options or None,
        letters=letters or None,
        stop=_texts(row, "stop"),
        finish_reason=_text(row, "finish_reason") if row.get("finish_reason") else "stop",
    )


def _refuse_unread(gold: Sequence[str], language: str) -> None:
    """Every answer would be wrong against a gold that its own grader cannot read."""
    if not any(grade("number", language, [one], one).score for one in gold):
        raise BadInput(f"the gold {gold[0]!r} is not read as a number; write it in digits")


def _key(gold: str, options: Sequence[str], letters: Sequence[str]) -> str:
    """The letter A, B, ... of a choice's gold, which may be a letter as it was shown."""
    keys = LETTERS[: len(options)]
    if 0 < len(letters) < len(options) or not 2 <= len(options) == len(keys):
        raise BadInput(
            f"there are {len(options)} 'options' and {len(letters)} 'letters'; a choice needs "
            f"2 to {len(LETTERS)} options, and a letter for each where others than A, B, ... were "
            "shown"
        )
    if gold in keys:
        return gold
    if gold not in letters:
        raise BadInput(f"the gold {gold!r} is not one of the letters {', '.join(letters or keys)}")
    return keys[letters.index(gold)]


def _text(row: Mapping[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise BadInput(f"{name!r} is {json.dumps(row[name])[:60]}; write a text")
    return str(row[name])


def _texts(row: Mapping[str, Any], name: str) -> list[str]:
    """A text or a list of texts as a list; numbers as they are written in full."""
    given = row.get(name)
    values: Sequence[Any] = given if isinstance(given, list) else [] if given is None else [given]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise BadInput(f"{name!r} holds {json.dumps(value)[:60]}; write a text or a number")
    if name == "gold" and not values:
        raise BadInput("'gold' is an empty list; give at least one accepted answer")
    return [value if isinstance(value, str) else _digits(value) for value in values]


def _digits(value: int | float) -> str:
    return format(Decimal(repr(value)), "f")


def _written(row: Mapping[str, Any]) -> str:
    text = json.dumps(row, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which a cut completion may end in
        return json.dumps(row)
    return text
