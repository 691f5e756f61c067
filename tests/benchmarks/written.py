"""Small files in the shapes that are published, with content of our own."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = Mapping[str, Any]


def parquet(rows: Sequence[Row], schema: pa.Schema | None = None) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema), out)
    return out.getvalue()


def jsonl(rows: Iterable[Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def prox_row(
    question_id: int, question: str, options: Sequence[str | None], answer: str
) -> dict[str, Any]:
    """A row of MMLU-ProX: ten columns of options, those behind the last null."""
    padded = [*options, *[None] * (10 - len(options))]
    return {
        "question_id": question_id,
        "question": question,
        **{f"option_{at}": text for at, text in enumerate(padded)},
        "answer": answer,
        "answer_index": "ABCDEFGHIJ".index(answer),
        "cot_content": "",
        "category": "physics",
        "src": "ours",
        "question_id_src": 1000 + question_id,
    }


def eclektic_row(q_id: int, origin: str, asked: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """A row of ECLeKTic: the source's own columns, and three per language."""
    columns: dict[str, Any] = {}
    for code, (question, answer) in asked.items():
        columns |= {f"{code}_q": question, f"{code}_a": answer, f"{code}_c": "An article."}
    return {
        "q_id": q_id,
        "original_lang": origin,
        "title": f"Article {q_id}",
        "url": f"https://example.org/{origin}/{q_id}",
        "content": "An article.",
        "question": asked[origin][0],
        "answer": asked[origin][1],
        **columns,
    }
