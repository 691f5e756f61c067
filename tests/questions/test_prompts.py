from __future__ import annotations

import pytest

from tasks.benchmarks import load_seeds
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED
from tasks.questions.parsing import Triple, parse
from tasks.questions.prompts import (
    ANSWER_DELIMITER,
    GENERATOR_STOP,
    Form,
    generator_prompt,
    student_prompt,
    worked_examples,
    written_text,
)
from tasks.text import identify_language

SEEDS = load_seeds().to_pylist()
REST = "Why?</question>\n<reasoning>Because.</reasoning>\n<answer>So"
FORMS: tuple[Form, ...] = ("completion", "chat")


@pytest.mark.parametrize("language", TRAINED)
@pytest.mark.parametrize("form", FORMS)
def test_a_generator_sees_the_reference_and_the_language_asked(language: str, form: Form) -> None:
    prompt = generator_prompt(SEEDS[0], language, form, 0)
    shown = prompt.text if prompt.messages is None else prompt.messages[0]["content"]
    assert SEEDS[0]["question"] in shown
    assert LANGUAGES[language].name in shown


@pytest.mark.parametrize("language", TRAINED)
def test_a_base_model_continues_an_opened_question_after_examples_in_its_language(
    language: str,
) -> None:
    text = generator_prompt(SEEDS[0], language, "completion", 3).text
    examples = [e.triple.question for e in worked_examples(language) if e.triple.question in text]
    assert len(examples) == 2
    assert {identify_language(question) for question in examples} == {language}
    assert text.endswith("\n\n<question>")


def test_successive_prompts_show_other_examples_of_the_seeds_domain() -> None:
    texts = [generator_prompt(SEEDS[0], "fr", "completion", number).text for number in range(6)]
    assert len(set(texts)) > 1
    own = [e for e in worked_examples("fr") if e.domain == SEEDS[0]["domain"]]
    assert all(any(e.triple.question in text for e in own) for text in texts)


@pytest.mark.parametrize(
    ("form", "text", "stopped", "parsed"),
    [
        ("completion", REST, True, True),
        ("completion", REST, False, False),  # cut off by the length limit
        ("completion", f"{REST}</answer>\n\n<question>Next", False, True),
        ("completion", "Why?", True, False),
        ("chat", f"<question>{REST}</answer>", True, True),
        ("chat", REST, True, False),
    ],
)
def test_what_was_written_is_completed_by_the_prompts_tag_and_the_stop(
    form: Form, text: str, stopped: bool, parsed: bool
) -> None:
    assert isinstance(parse(written_text(text, form, stopped)), Triple) == parsed


@pytest.mark.parametrize("language", TRAINED)
def test_both_reasonings_are_asked_alike_but_for_their_language(language: str) -> None:
    english = student_prompt("Q?", language, "en", "completion").text
    own = student_prompt("Q?", language, language, "completion").text
    assert english.endswith("Question: Q?\nReasoning in English:")
    assert own.endswith(f"Question: Q?\nReasoning in {LANGUAGES[language].name}:")
    assert english.count(ANSWER_DELIMITER) == own.count(ANSWER_DELIMITER) == 2
    shown = [line for line in own.splitlines() if line.startswith("Question: ")]
    assert shown == [line for line in english.splitlines() if line.startswith("Question: ")]


def test_a_chat_student_is_told_language_and_delimiter() -> None:
    [message] = student_prompt("Q?", "fr", "fr", "chat").messages or ()
    assert (
        " First reason step by step in French. Then write the final answer " in message["content"]
    )
    assert ANSWER_DELIMITER in message["content"]


@pytest.mark.parametrize("language", [*HELD_OUT, "xx"])
def test_nothing_is_asked_in_a_language_that_is_not_trained(language: str) -> None:
    with pytest.raises(BadInput, match=language):
        generator_prompt(SEEDS[0], language, "completion", 0)
    with pytest.raises(BadInput, match=language):
        student_prompt("Q?", "fr", language, "chat")


def test_the_stop_is_the_last_tag() -> None:
    assert GENERATOR_STOP == ("</answer>",)
