"""Which pairs of source and target language share a script.

An item's source language counts, so that the split holds where each item has its own.
"""

from __future__ import annotations

import numpy as np

from tasks.languages import LANGUAGES
from tasks.languages.codes import bare_code, script_tag
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.statistics import Array

SAME_SCRIPT, OTHER_SCRIPT = "same-script", "other-script"
BETWEEN_SCRIPTS = f"{OTHER_SCRIPT} - {SAME_SCRIPT}"
# Tags of ISO 15924 under the names that the rows of languages use; others stand for themselves.
_TAGS = {
    "Latn": "Latin", "Arab": "Arabic", "Cyrl": "Cyrillic", "Jpan": "Japanese", "Hans": "Han",
    "Hant": "Han", "Hani": "Han", "Kore": "Hangul", "Hang": "Hangul", "Deva": "Devanagari",
    "Beng": "Bengali", "Hebr": "Hebrew", "Telu": "Telugu",
}  # fmt: skip


def script(language: str) -> str | None:
    """The script that a language is written in, by its code however written; None if unknown."""
    tag = script_tag(language)
    if tag is not None:
        return _TAGS.get(tag, tag)
    row = LANGUAGES.get(bare_code(language))
    return None if row is None else row.script


def script_pairs(rates: PassRates) -> dict[str, Array]:
    """Group -> [target, item], 1 where the pair belongs to it; groups without pairs are left out.

    A language whose script is not known belongs to neither.
    """
    if not rates.has_transfer:
        return {}
    names = np.array([script(language) or "" for language in rates.languages])
    of_source = names[rates.source][None, :]
    known = (names[:, None] != "") & (of_source != "")
    known &= (rates.source >= 0)[None, :]
    known &= np.arange(len(names))[:, None] != rates.source[None, :]
    same = names[:, None] == of_source
    groups = {SAME_SCRIPT: known & same, OTHER_SCRIPT: known & ~same}
    return {name: where.astype(float) for name, where in groups.items() if where.any()}


def unknown_scripts(rates: PassRates) -> list[str]:
    """The languages that belong to no group of scripts."""
    return [language for language in rates.languages if script(language) is None]
