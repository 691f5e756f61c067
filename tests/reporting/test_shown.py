from __future__ import annotations

import json
import math

import pytest

from tasks.reporting.shown import embedded, limits, number, shortened
from tasks.untrusted import clean


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain text\nwith lines\tand tabs", "plain text\nwith lines\tand tabs"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07after", "after"),
        ("a\x00b\x07c\x9bd", "abcd"),
        ("user\u202egpj.exe", "usergpj.exe"),
        ("\u2066isolated\u2069", "isolated"),
        ("half \ud800 character", "half  character"),
        ("line\u2028separator\r\nand return", "line\nseparator\nand return"),
        ("زن\u200cها 日本語", "زن\u200cها 日本語"),  # this joiner is spelling
    ],
)
def test_controls_and_bidi_marks_are_not_shown(written: str, shown: str) -> None:
    assert clean(written) == shown


def test_long_texts_are_cut_after_cleaning() -> None:
    assert shortened("\x1b[1m" + "x" * 800, 10) == "x" * 10 + " …"


@pytest.mark.parametrize(
    ("value", "unit", "signed", "shown"),
    [
        (0.4567, "percent", False, "45.7 %"),
        (-0.05, "points", True, "−5.0"),
        (0.05, "points", True, "+5.0"),
        (1.0304, "ratio", False, "1.030"),
        (12345, "count", False, "12,345"),
        (None, "ratio", False, "–"),
        (math.nan, "ratio", False, "–"),
    ],
)
def test_numbers_are_written_in_their_unit(
    value: float | None, unit: str, signed: bool, shown: str
) -> None:
    assert number(value, unit, signed) == shown


def test_half_an_interval_is_none() -> None:
    assert limits(0.1, None, "ratio") == ""
    assert limits(0.1, 0.2, "percent") == "[10.0, 20.0]"


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--", "a\u2028b", "]]>", "&lt;/script>"]
)
def test_no_text_ends_the_element_that_holds_a_figure(text: str) -> None:
    written = embedded({"name": text})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written)["name"]


def test_figure_labels_hold_no_tags() -> None:
    label = json.loads(embedded(["<a href='javascript:x'>y</a>"]))[0]
    assert label == "&lt;a href='javascript:x'&gt;y&lt;/a&gt;"


def test_what_is_not_finite_is_null_in_figures() -> None:
    assert json.loads(embedded([1.5, math.nan, math.inf])) == [1.5, None, None]
