"""Nothing in a held-out language may be learnt from, whatever a recipe asks for.

Checked where a training step takes its rows, on what the texts are as well as on what is said of
them. The gates and labels of a run use the same identifier, so their rows always pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks.errors import BadInput
from tasks.languages import HELD_OUT
from tasks.text import identify_language


def refuse_held_out(what: str, rows: Iterable[Mapping[str, Any]], texts: Sequence[str]) -> None:
    """Raise BadInput for any row that says it is, or reads as, in a held-out language.

    `texts` names the columns that are read.
    """
    found = [code for row in rows if (code := _held_out(row, texts)) is not None]
    if found:
        raise BadInput(
            f"{len(found)} {what} are in held-out languages ({', '.join(sorted(set(found)))}); "
            "no training data may be in them: remove these rows"
        )


def _held_out(row: Mapping[str, Any], texts: Sequence[str]) -> str | None:
    codes = [row.get("language"), *(identify_language(row[name] or "") for name in texts)]
    return next((code for code in codes if code in HELD_OUT), None)
