"""Labels as token rows: what the student is shown, and which tokens it learns."""

from __future__ import annotations

from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from tasks.errors import BadInput
from tasks.models.tokens import encode_prompt
from tasks.questions.held_out import refuse_held_out
from tasks.questions.prompts import ANSWER_DELIMITER, Form, student_prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_MARK = "said"  # stands for what is said in a turn


class Row(NamedTuple):
    """Prompt and completion in tokens; only the completion is learnt, its end token included."""

    language: str
    prompt: list[int]
    completion: list[int]

    def as_example(self) -> dict[str, Any]:
        """The columns that TRL's trainer takes as already tokenised."""
        mask = [0] * len(self.prompt) + [1] * len(self.completion)
        return {"input_ids": [*self.prompt, *self.completion], "completion_mask": mask}


def training_rows(
    labels: pa.Table, tokenizer: PreTrainedTokenizerFast, form: Form, max_length: int
) -> list[Row]:
    """One row per label, in order; rows longer than `max_length` tokens are left out.

    Raises BadInput for a label in a language outside the trained ones, or if none fits.
    """
    refuse_held_out("labels", labels.to_pylist(), ("question", "reasoning"))
    rows = [training_row(label, tokenizer, form) for label in labels.to_pylist()]
    fitting = [row for row in rows if len(row.prompt) + len(row.completion) <= max_length]
    if not fitting:
        shortest = min(len(row.prompt) + len(row.completion) for row in rows)
        raise BadInput(
            f"none of the {len(rows)} labels fits into max_length {max_length} (the shortest has "
            f"{shortest} tokens); raise student_training.max_length"
        )
    return fitting


def in_turn(rows: list[Row], wanted: int | None) -> list[Row]:
    """The first `wanted` rows, taken from all languages in turn; None: all of them as they are.

    Raises BadInput where there are not so many: methods are compared at equal rows.
    """
    if wanted is None:
        return rows
    if len(rows) < wanted:
        raise BadInput(
            f"student_training.rows is {wanted}, but only {len(rows)} labels can be learnt from; "
            "write a smaller number, or raise questions.keep"
        )
    languages = dict.fromkeys(row.language for row in rows)
    own = ([row for row in rows if row.language == code] for code in languages)
    turns = chain.from_iterable(zip_longest(*own))
    return [row for row in turns if row is not None][:wanted]


def training_row(label: dict[str, str], tokenizer: PreTrainedTokenizerFast, form: Form) -> Row:
    """Question in, reasoning and answer in the question's language out, as the student is asked."""
    language = label["language"]
    prompt = encode_prompt(tokenizer, student_prompt(label["question"], language, language, form))
    # A completion prompt ends in a colon, and the text of a base model goes on behind a blank.
    space = " " if form == "completion" else ""
    text = f"{space}{label['reasoning']}\n{ANSWER_DELIMITER}{label['answer']}</answer>"
    learnt = tokenizer.encode(text, add_special_tokens=False)
    return Row(language, prompt, [*learnt, end_token(tokenizer, form)])


def end_token(tokenizer: PreTrainedTokenizerFast, form: Form) -> int:
    """What a student learns to end with: in a chat, the token by which its template ends a turn.

    Raises BadInput for a tokenizer that has no end token.
    """
    ends = [tokenizer.eos_token_id]
    if form == "chat":
        turns = [{"role": role, "content": _MARK} for role in ("user", "assistant")]
        shown: str = tokenizer.apply_chat_template(turns, tokenize=False)
        closing = tokenizer.encode(shown.rpartition(_MARK)[2], add_special_tokens=False)
        marks = tokenizer.added_tokens_decoder
        ends = [token for token in closing if token in marks and marks[token].special] + ends
    if ends[0] is None:
        raise BadInput(
            f"{Path(tokenizer.name_or_path).name} has no end token, so a student could not learn "
            "to stop; set eos_token in its tokenizer_config.json"
        )
    return int(ends[0])
