"""Prompts that ask for reasoning: in which language, how it ends, and that its answer is read."""

from __future__ import annotations

from typing import get_args

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import ITEMS
from tasks.benchmarks import BENCHMARKS, load_items
from tasks.benchmarks.layout import Layout
from tasks.benchmarks.prompts import Asked, Form, ask, stops
from tasks.errors import BadInput
from tasks.grading import grade
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED, Language, Reasoning
from tasks.recipe import Evaluation
from tasks.text import cut_at_stop

OURS = (*TRAINED, *HELD_OUT)
FORMS: tuple[Form, ...] = get_args(Form)
REASONINGS: tuple[Reasoning, ...] = ("native", "english")
# One benchmark of each kind that takes items in any language.
KINDS = {"choice": "mmlu-prox", "span": "eclektic", "number": "sums"}
WORKED = ("facts", "multihop", "numbers", "sums", "mgsm", "mgsm-rev2", "mmlu-prox",
          "mmlu-prox-lite", "eclektic")  # fmt: skip
CELLS = [(name, code) for name in WORKED for code in BENCHMARKS[name].languages]
QUESTION = "17 ⊕ 4 ⊕ 8"
OPTIONS = ["0.125", "0.25", "0.5"]
GOLDS = {"number": "42", "math": r"\frac{3}{7}", "choice": "B"}
MUSED = {
    "native": "{sentence} 7 + 6 = 13.\n\nC) 0.5\n2 × 21 = 42, A",
    "english": "First, 7 + 6 = 13, so option C looks likely.\n\nBut 2 × 21 = 42, and A is closer",
}


def asked_of(
    kind: str, code: str, form: Form, reasoning: Reasoning, few_shot: int = 0, name: str = ""
) -> Asked:
    row = {
        "benchmark": KINDS[kind], "item_id": "x", "language": code, "kind": kind, "parallel": True,
        "question": QUESTION, "gold": [GOLDS.get(kind, "x")], "context": [], "flags": [],
        "options": OPTIONS if kind == "choice" else None,
    }  # fmt: skip
    items = pa.Table.from_pylist([row], ITEMS)
    [one] = ask(
        name or KINDS[kind], items, code,
        form=form, few_shot=few_shot, samples=1, seed=0, reasoning=reasoning,
    )  # fmt: skip
    return one


def sentence(row: Language) -> str:
    """Something said in the language before any answer."""
    return row.reason.format(language=row.in_own)


def told(one: Asked) -> str:
    return one.prompt.text + "\n".join(each["content"] for each in one.prompt.messages or ())


def reasoned_in(code: str, reasoning: Reasoning) -> Language:
    return LANGUAGES["en" if reasoning == "english" else code]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reasoning", REASONINGS)
def test_reasoning_is_asked_for_in_the_questions_language_and_ends_in_its_answer_word(
    code: str, kind: str, form: Form, reasoning: Reasoning
) -> None:
    row, one = LANGUAGES[code], asked_of(kind, code, form, reasoning)
    text = told(one)
    instruction, _, rest = text.partition("\n\n")
    tongue = row.in_english if reasoning == "english" else row.in_own
    assert instruction.startswith(row.instructions[kind])
    assert row.reason.format(language=tongue) in instruction
    assert f"{row.answer_word}{row.colon.rstrip()}" in instruction
    assert "{" not in instruction and "  " not in instruction
    assert text.count(QUESTION) == 1 and QUESTION in rest
    if form == "completion":
        said_in = reasoned_in(code, reasoning)
        assert text.endswith(f"\n{said_in.reasoning_word}{said_in.colon.rstrip()}")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_short_answer_reasoned_in_english_is_asked_for_in_the_questions_language(
    code: str,
) -> None:
    row = LANGUAGES[code]
    wanted = row.reply.format(language=row.in_own)
    assert wanted in told(asked_of("span", code, "chat", "english"))
    assert wanted not in told(asked_of("span", code, "chat", "native"))
    assert wanted not in told(asked_of("choice", code, "chat", "english"))


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", ["choice", "number", "span", "math"])
@pytest.mark.parametrize("reasoning", REASONINGS)
@pytest.mark.parametrize("word", ["own", "English"])
def test_the_answer_behind_a_reasoning_is_the_one_that_is_read(
    code: str, kind: str, reasoning: Reasoning, word: str
) -> None:
    row = LANGUAGES[code]
    gold = GOLDS.get(kind, row.endonym)
    label = Layout(kind, row if word == "own" else LANGUAGES["en"], reasoning)
    mused = MUSED[reasoning].format(sentence=sentence(row))
    text = f" {mused}\n{label.answered(gold)}"
    options = OPTIONS if kind == "choice" else None
    for end in ("", "\n"):
        found = grade(kind, code, gold, text + end, options=options, reasoned=True)
        assert found.status == "right", found
    late = grade(kind, code, gold, text, options=options, finish_reason="length", reasoned=True)
    assert late.status == "right"


@pytest.mark.parametrize("kind", ["choice", "number", "span", "math"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reasoning_cut_before_its_answer_is_truncated(kind: str, code: str) -> None:
    options = OPTIONS if kind == "choice" else None
    mused = MUSED["native"].format(sentence=sentence(LANGUAGES[code]))
    for text in (mused, f"<think>{mused}"):
        for finish in ("length", "stop")[: 1 if text == mused else 2]:
            found = grade(
                kind, code, "B" if options else "42", text,
                options=options, finish_reason=finish, reasoned=True,
            )  # fmt: skip
            assert (found.status, found.answer) == ("truncated", None)


@pytest.mark.parametrize(("name", "code"), CELLS)
@pytest.mark.parametrize("reasoning", REASONINGS)
def test_the_same_examples_are_worked_out_in_every_language(
    name: str, code: str, reasoning: Reasoning
) -> None:
    kind, row = BENCHMARKS[name].kind, LANGUAGES[code]
    examples = BENCHMARKS[name].examples("en" if reasoning == "english" else code)
    workings = [example.working for example in examples]
    assert len(set(workings)) == 3 and all(workings)
    label = f"{row.answer_word}{row.colon}"
    for form in FORMS:
        one = asked_of(kind, code, form, reasoning, few_shot=3, name=name)
        text = told(one)
        assert [text.count(f"{working}\n{label}") for working in workings] == [1, 1, 1]
        if form == "completion":
            said_in = reasoned_in(code, reasoning)
            assert text.count(f"\n{said_in.reasoning_word}{said_in.colon.rstrip()}") == 4


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_the_working_of_an_example_leads_its_grader_to_the_gold(name: str, code: str) -> None:
    row = BENCHMARKS[name]
    if row.kind == "span":
        return  # a sentence that holds the answer
    for example in row.examples(code):
        found = grade(row.kind, code, example.gold, str(example.working), options=example.options)
        assert found.status == "right", (example.working, found)


def test_examples_that_are_not_worked_out_are_bad_input() -> None:
    with pytest.raises(BadInput, match=r"'mmlu-prox' are not worked out in Hebrew; .* few_shot: 0"):
        asked_of("choice", "he", "chat", "native", few_shot=1)
    assert asked_of("choice", "he", "chat", "english", few_shot=1)


@pytest.mark.parametrize("reasoning", REASONINGS)
@pytest.mark.parametrize("form", FORMS)
def test_translations_are_asked_for_directly(form: Form, reasoning: Reasoning) -> None:
    items = load_items("translation", "bundled", "it", 2).items
    both = [
        ask("translation", items, "it", form=form, few_shot=2, samples=1, seed=0, reasoning=how)
        for how in ("none", reasoning)
    ]
    assert both[0] == both[1]
    row = BENCHMARKS["translation"]
    assert row.reasoning(reasoning) == "none"
    assert row.longest("it", reasoning) == row.max_tokens


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reasoning_runs_on_to_the_next_question(code: str) -> None:
    row, marks = LANGUAGES[code], stops("completion", "native")
    mused = MUSED["native"].format(sentence=sentence(row))
    text = f" {mused}\n\n{row.reasoning_word}{row.colon}1\n{row.answer_word}{row.colon}B"
    assert cut_at_stop(text, marks) == text
    for invented in (
        f"\n{row.question_word}{row.colon}1",
        f"\n\n{row.question_word}: 1",
        f"\n\n{row.context_word}{row.colon}2\n{row.question_word}{row.colon}3",
    ):
        assert cut_at_stop(text + invented, marks).rstrip("\n") == text


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_no_working_holds_a_stop_string(name: str, code: str) -> None:
    for example in BENCHMARKS[name].examples(code):
        text = f" {example.working}\n{LANGUAGES[code].answer_word}"
        assert cut_at_stop(text, stops("completion", "native")) == text


def test_direct_answers_and_chats_stop_where_they_did() -> None:
    assert stops("completion", "none") == stops("completion")
    assert stops("completion")[0] == "\n"
    assert stops("chat", "native") == ()


@pytest.mark.parametrize("name", WORKED)
def test_a_reasoning_has_room_by_the_tokens_that_its_language_takes(name: str) -> None:
    row = BENCHMARKS[name]
    assert {row.longest(code, "none") for code in row.languages} == {row.max_tokens}
    [english] = {row.longest(code, "english") for code in row.languages}
    assert english == row.longest("en", "native") == row.max_tokens + row.reasoning_tokens
    for code in row.languages:
        room = row.longest(code, "native") - row.max_tokens
        assert room >= LANGUAGES[code].fertility * row.reasoning_tokens
        assert room % (row.reasoning_tokens // 2) == 0, "many languages are sampled alike"


def test_english_takes_as_many_tokens_as_english() -> None:
    assert LANGUAGES["en"].fertility == 1 == min(row.fertility for row in LANGUAGES.values())
    assert max(row.fertility for row in LANGUAGES.values()) < 3


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({}, "chat, 3 examples"),
        ({"few_shot": 0, "reasoning": "native"}, "chat, 0 examples, reasoning native"),
        ({"thinking": False}, "chat, 3 examples, thinking off"),
        (
            {"reasoning": "english", "thinking": "high"},
            "chat, 3 examples, reasoning english, thinking high",
        ),
    ],
)
def test_a_form_says_all_that_shapes_a_prompt(settings: dict[str, object], asked: str) -> None:
    evaluation = Evaluation.model_validate({"form": "chat"} | settings)
    assert evaluation.asked(evaluation.reasoning) == asked
    assert ("reasoning" in evaluation.shape) == ("reasoning" in settings)
