from __future__ import annotations

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
