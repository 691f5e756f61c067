"""What strangers wrote is shown as text wherever it is shown."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

from flows.summary import markdown_summary, score_rows
from tasks.artifacts.schemas import SCORES
from tasks.read_recipe import read_recipe
from tasks.untrusted import clean, in_markdown, one_line
from tests.reporting.invented import score_row

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</td></table><script>alert(1)</script>",
    "[here](javascript:alert(1))",
    "![picture](https://elsewhere.example/seen.png)",
    "a | b | c\n| --- | --- |\n| more | rows |",
    "`code` **bold** ~~gone~~ <https://elsewhere.example>",
    "\\<b>escaped before\\</b> &lt;i&gt; &#60;u&#62;",
    "# head\n\n- list\n\n    block\n\n***\n",
    "$\\href{javascript:alert(1)}{x}$",
    "[ref]\n\n[ref]: javascript:alert(1)",
]
TEXT_KIND = "text_special"  # an escaped character
CONTROLS = [
    "\x1b[2Jgone",
    "\x1b]8;;http://x\x07link\x1b]8;;\x07",
    "a\x00b\x9bc",
    "\u202eabc\u2066d",
]


def kinds(markdown: str) -> list[str]:
    """What a renderer makes of a text, cells and all, without what the text says."""
    found = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = found.parse(markdown)
    inner = [child for token in tokens for child in token.children or []]
    return [token.type for token in (*tokens, *inner)]


def shown(markdown: str) -> str:
    tokens = MarkdownIt("commonmark").parseInline(markdown)[0].children or []
    return "".join(token.content for token in tokens)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_makes_nothing_but_text_of_it(text: str) -> None:
    said = f"By {in_markdown(text)} it is."
    assert set(kinds(said)) <= {"paragraph_open", "inline", "paragraph_close", "text", TEXT_KIND}
    assert shown(said) == f"By {one_line(text)} it is."
    row = f"| a | b |\n|---|---|\n| {in_markdown(text)} | x |"
    assert [kind for kind in kinds(row) if kind == "td_open"] == ["td_open"] * 2


@pytest.mark.parametrize("text", HOSTILE[:2])
def test_without_that_it_would_be_more(text: str) -> None:
    assert "html_inline" in kinds(f"By {text} it is.")


@pytest.mark.parametrize("text", CONTROLS)
def test_nothing_moves_the_cursor_or_the_direction(text: str) -> None:
    for said in (clean(text), one_line(text), in_markdown(text)):
        assert not set(said) & set("\x1b\x00\x07\x9b\u202e\u2066")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_runs_summary_stays_one_table(text: str) -> None:
    def summary(name: str) -> str:
        row: dict[str, Any] = {"model": name, "benchmark": name, "target": "mean", "baseline": ""}
        scores = [
            score_row(**row, metric="target_accuracy", value=0.5, low=0.4, high=0.6),
            score_row(**row, metric="hat_corrected", value=None, low=None, high=None, note=name),
        ]
        table = pa.Table.from_pylist(scores, SCORES)
        assert all("\n" not in str(cell) for row in score_rows(table) for cell in row.values())
        student = read_recipe("simulated").model_copy(update={"student": f"endpoint:lab/{name}"})
        return markdown_summary(name, student, table, 0)

    def told(markdown: str) -> list[str]:
        return [kind for kind in kinds(markdown) if kind != TEXT_KIND and kind != "text"]

    assert told(summary(text)) == told(summary("a plain name"))
