"""What the student learns: the completion and its end, and nothing of the prompt."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import LABELS
from tasks.errors import BadInput
from tasks.models.mirror import materialise
from tasks.models.references import parse_reference
from tasks.models.tokens import load_tokenizer
from tasks.training.rows import training_row, training_rows


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("tiny")
    materialise(parse_reference("bundled:tiny-random"), folder)
    return load_tokenizer(folder)


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


def test_rows_that_do_not_fit_are_left_out_and_none_at_all_is_an_error(tokenizer) -> None:
    with pytest.raises(BadInput, match=r"none of the 2 labels fits into max_length 16"):
        training_rows(labels("fr", "es"), tokenizer, "completion", 16)
