from __future__ import annotations

import time

import pytest

from tasks.questions.parsing import LONGEST_SECTION, LONGEST_TEXT, Triple, format_score, parse

GOOD = "<question>Why?</question>\n<reasoning>Because.</reasoning>\n<answer>So</answer>"
TRIPLE = Triple("Why?", "Because.", "So")
ARABIC = "<question>\u200fكم عدد الأيام؟\u200f</question>\u200f\n"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        pytest.param(GOOD, TRIPLE, id="plain"),
        pytest.param(GOOD.replace("\n", ""), TRIPLE, id="on one line"),
        pytest.param(f"Here it is:\n\n{GOOD}\n \n", TRIPLE, id="introduced"),
        pytest.param(f"```xml\n{GOOD}\n```\n", TRIPLE, id="fenced"),
        pytest.param(f"```xml\n{GOOD}```", TRIPLE, id="fence closed on the last line"),
        pytest.param(f"~~~~\n{GOOD}\n~~~~\u200f", TRIPLE, id="fenced with tildes"),
        pytest.param(
            GOOD.replace("Because.", "```\nBecause.\n```"),
            Triple("Why?", "```\nBecause.\n```", "So"),
            id="a fence inside a section stays",
        ),
        pytest.param(
            "".join(f"```\n{line}\n```\n" for line in GOOD.split("\n")), TRIPLE, id="each fenced"
        ),
        pytest.param(f"<output>\n{GOOD}\n</output>", TRIPLE, id="inside another tag"),
        pytest.param(
            f"```xml\n<new-item>\n<a>{GOOD}</a>\n</new-item>\n```", TRIPLE, id="deep inside"
        ),
        pytest.param(
            GOOD.replace("</question>", "</question\u200f>").replace("<answer>", "<\u202banswer>"),
            TRIPLE,
            id="bidi marks in tags",
        ),
        pytest.param(f"<think><question>no</question></think>{GOOD}", TRIPLE, id="after a thought"),
        pytest.param(f"\u202b{GOOD}\u202c\u200f", TRIPLE, id="between bidi marks"),
        pytest.param(
            GOOD.replace("<question>Why?</question>\n", ARABIC),
            Triple("كم عدد الأيام؟", "Because.", "So"),
            id="right to left",
        ),
        pytest.param(
            GOOD.replace("Because.", "<b>x</b> < y\n```python\nx\n```"),
            Triple("Why?", "<b>x</b> < y\n```python\nx\n```", "So"),
            id="other tags and fences inside stay",
        ),
    ],
)
def test_a_whole_triple_is_read(text: str, triple: Triple) -> None:
    assert parse(text) == triple
    assert format_score(text) == 1.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "<question>"),
        ("Why? Because. So", "<question>"),
        (GOOD.replace("<answer>", ""), "<answer>"),
        (GOOD.replace("</reasoning>", ""), "<reasoning>"),
        (GOOD.replace("Why?", "<question>Why?</question>"), "<question>"),
        (f"{GOOD}\n{GOOD}", "<question>"),
        ("<answer>So</answer><question>Why?</question><reasoning>B</reasoning>", "order"),
        (GOOD.replace("Why?</question>", "Why?<reasoning></question>", 1), "<reasoning>"),
        (f"{GOOD} And then", "after the last"),
        (f"{GOOD}</output>", "after the last"),
        (f"<output>{GOOD}</output> And then", "after the last"),
        (GOOD.replace("So", "<answer>So</answer>"), "<answer>"),
        (GOOD.replace("Because.", "<reasoning>Because.</reasoning>"), "<reasoning>"),
        (GOOD.replace("Because.", " \n "), "empty"),
        (GOOD.replace("Why?", "y" * (LONGEST_SECTION + 1)), "more than"),
        (GOOD + " " * LONGEST_TEXT, "<question>"),
        (f"<think>{GOOD}", "<question>"),
    ],
)
def test_anything_else_fails_with_a_reason_and_below_full_marks(text: str, reason: str) -> None:
    found = parse(text)
    assert isinstance(found, str)
    assert reason in found
    assert 0.0 <= format_score(text) < 1.0


def test_more_of_the_form_scores_higher_and_nothing_scores_nothing() -> None:
    texts = [
        "",
        "<question>Why?</question>",
        "<question>Why?</question>\n<reasoning>Because.</reasoning>",
        f"{GOOD} And then",
        GOOD,
    ]
    scores = [format_score(text) for text in texts]
    assert scores[0] == 0.0
    assert scores == sorted(set(scores))


@pytest.mark.parametrize("filling", [" ", "`", "```\n", "< ", "</a>", "\u200f", "<\u200f"])
def test_no_text_takes_long_to_read(filling: str) -> None:
    text = f"<a>{GOOD}<" + filling * (LONGEST_TEXT // len(filling) - len(GOOD)) + "."
    started = time.perf_counter()
    assert isinstance(parse(text[:LONGEST_TEXT]), str)
    assert isinstance(parse(text[: LONGEST_TEXT - 1].rstrip(".")), str | Triple)
    assert time.perf_counter() - started < 1.0
