"""What the student learns: the completion and its end, and nothing of the prompt."""

from __future__ import annotations

import copy
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import LABELS
from tasks.errors import BadInput
from tasks.models.tokens import load_tokenizer
from tasks.training.rows import end_token, in_turn, training_row, training_rows


@pytest.fixture(scope="module")
def tokenizer(tiny_folder: Path):
    return load_tokenizer(tiny_folder)


def labels(*languages: str) -> pa.Table:
    rows = [
        {
            "question_id": f"{language}-{place}",
            "language": language,
            "domain": "math",
            "question": f"{place} + {place} = ?",
            "reasoning": f"{place} + {place}",
            "answer": str(2 * place),
            "answers": [],
            "agreement": 1.0,
            "kept": True,
        }
        for place, language in enumerate(languages)
    ]
    return pa.Table.from_pylist(rows, LABELS)


def test_only_the_completion_and_its_end_are_learnt(tokenizer) -> None:
    row = training_row(labels("fr").to_pylist()[0], tokenizer, "completion")
    example = row.as_example()
    learnt = [
        token
        for token, mask in zip(example["input_ids"], example["completion_mask"], strict=True)
        if mask
    ]
    assert tokenizer.decode(learnt[:-1]) == " 0 + 0\n<answer>0</answer>"
    assert learnt[-1] == tokenizer.eos_token_id
    assert example["input_ids"][0] == tokenizer.bos_token_id
    assert example["input_ids"].count(tokenizer.bos_token_id) == 1


@pytest.mark.parametrize("language", ["de", "ja", "ru", "zh"])
def test_held_out_languages_are_refused(tokenizer, language: str) -> None:
    with pytest.raises(BadInput, match=f"1 labels are in held-out languages .{language}."):
        training_rows(labels("fr", language), tokenizer, "completion", 2048)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Ein Zug fährt in zwei Stunden 120 Kilometer weit. Wie schnell ist er?"),
        ("ja", "電車は二時間で百二十キロ走ります。速さはいくらですか。"),
        ("ru", "Поезд проходит 120 километров за два часа. С какой скоростью он едет?"),
        ("zh", "一列火车两小时行驶一百二十公里，它的速度是多少？"),
    ],
)
@pytest.mark.parametrize("column", ["question", "reasoning"])
def test_texts_in_held_out_languages_are_refused_whatever_is_said_of_them(
    tokenizer, code: str, text: str, column: str
) -> None:
    table = labels("fr", "es")
    place = table.column_names.index(column)
    mislabelled = table.set_column(place, column, pa.array(["1 + 1 = ?", text]))
    with pytest.raises(BadInput, match=f"1 labels are in held-out languages .{code}."):
        training_rows(mislabelled, tokenizer, "completion", 2048)


def test_languages_that_are_only_asked_in_are_refused_too(tokenizer) -> None:
    with pytest.raises(BadInput, match="'ko' is not one that data is made in"):
        training_rows(labels("fr", "ko"), tokenizer, "completion", 2048)


def test_rows_that_do_not_fit_are_left_out_and_none_at_all_is_an_error(tokenizer) -> None:
    with pytest.raises(BadInput, match=r"none of the 2 labels fits into max_length 16"):
        training_rows(labels("fr", "es"), tokenizer, "completion", 16)


def test_a_chat_student_learns_the_end_of_its_turn(tokenizer) -> None:
    chat = copy.deepcopy(tokenizer)
    chat.add_special_tokens({"additional_special_tokens": ["<turn>", "</turn>"]})
    chat.chat_template = (
        "{% for m in messages %}<turn>{{ m['role'] }}: {{ m['content'] }}</turn>\n{% endfor %}"
        "{% if add_generation_prompt %}<turn>assistant: {% endif %}"
    )
    [label] = labels("fr").to_pylist()
    row = training_row(label, chat, "chat")
    assert chat.decode(row.completion) == "0 + 0\n<answer>0</answer></turn>"
    assert chat.decode(row.prompt).endswith("<turn>assistant: ")
    assert end_token(chat, "completion") == chat.eos_token_id


def test_a_template_without_a_mark_at_the_end_of_a_turn_falls_back_on_the_end_token(
    tokenizer,
) -> None:
    chat = copy.deepcopy(tokenizer)
    chat.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    assert end_token(chat, "chat") == chat.eos_token_id


def test_a_tokenizer_that_knows_no_end_is_refused(tokenizer) -> None:
    endless = copy.deepcopy(tokenizer)
    endless.eos_token = None
    with pytest.raises(BadInput, match="has no end token"):
        end_token(endless, "completion")


def test_students_learn_equally_many_rows_from_all_languages_in_turn(tokenizer) -> None:
    rows = training_rows(labels("fr", "fr", "fr", "es", "es", "ar"), tokenizer, "completion", 4096)
    assert [row.language for row in in_turn(rows, 5)] == ["fr", "es", "ar", "fr", "es"]
    assert in_turn(rows, None) == rows
    with pytest.raises(BadInput, match="rows is 7, but only 6 labels can be learnt from"):
        in_turn(rows, 7)
