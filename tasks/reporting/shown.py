"""How text and numbers are written on the page; everything shown passes through here."""

from __future__ import annotations

import html
import json
import math
from typing import Any

from markupsafe import Markup

from tasks.untrusted import clean

ABSENT = "–"


def shortened(text: str, longest: int = 700) -> str:
    """The cleaned text, cut after `longest` characters."""
    text = clean(text).strip()
    return text if len(text) <= longest else text[:longest].rstrip() + " …"


def finalized(value: Any) -> Any:
    """What the template prints for a value: text is cleaned, None is a dash."""
    if value is None:
        return ABSENT
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def pretty(settings: dict[str, Any]) -> str:
    """Settings as indented JSON with sorted keys."""
    return json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False, default=str)


def embedded(value: Any) -> Markup:
    """Figure data as JSON within a script element; no text in it can end that element.

    Texts are escaped as HTML as well: the plotting library reads tags in labels.
    """
    text = json.dumps(_escaped(value), sort_keys=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return html.escape(clean(value), quote=False)
    if isinstance(value, dict):
        return {key: _escaped(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


_FORMATS = {  # unit: (factor, decimals, sign of what is counted)
    "percent": (100.0, 1, " %"),
    "points": (100.0, 1, ""),
    "ratio": (1.0, 3, ""),
    "count": (1.0, 0, ""),
}


def number(value: float | None, unit: str = "ratio", signed: bool = False) -> str:
    """A value in its unit; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return ABSENT
    factor, decimals, sign = _FORMATS[unit]
    text = f"{value * factor:{'+' if signed else ''},.{decimals}f}"
    return text.replace("-", "−") + sign


def limits(low: float | None, high: float | None, unit: str, signed: bool = False) -> str:
    """An interval in its unit; empty where there is none."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    bare = "points" if unit == "percent" else unit
    return f"[{number(low, bare, signed)}, {number(high, bare, signed)}]"
