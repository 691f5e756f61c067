"""ANSWERS and GRADES as they come: written by the thousand, so that memory need not hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tasks.artifacts.parts import TABLE
from tasks.artifacts.schemas import ANSWERS, GRADES
from tasks.benchmarks.prompts import Asked
from tasks.models.engine import Completion, Sampling

_BATCH = 5_000  # rows that are Python objects at a time
_COUNTED = ("prompt_tokens", "completion_tokens", "reasoning_tokens")


class AnswerFile:
    """The answers to one benchmark in one language, in a folder that becomes a part."""

    def __init__(self, folder: Path, benchmark: str, language: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.facts = dict.fromkeys(("rows", *_COUNTED), 0)
        self._cell = {"benchmark": benchmark, "language": language}
        self._file = pq.ParquetWriter(folder / TABLE, ANSWERS, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flush()
        self._file.close()

    def add(self, asked: Asked, drawn: Completion, sampling: Sampling, seed: int) -> None:
        """One answer; `seed` is that of the call that drew it."""
        row: dict[str, Any] = {
            **self._cell,
            "item_id": asked.item_id,
            "sample": asked.sample,
            "seed": asked.prompt.seed,
            "call_seed": seed,
            "order": asked.order,
            "letters": asked.letters,
            "text": drawn.text,
            "finish_reason": drawn.finish_reason,
            "prompt_tokens": drawn.prompt_tokens,
            "completion_tokens": drawn.completion_tokens,
            "reasoning_tokens": drawn.reasoning_tokens,
            "temperature": sampling.temperature,
        }
        self._rows.append(row)
        self.facts["rows"] += 1
        for name in _COUNTED:
            self.facts[name] += row[name]
        if len(self._rows) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        self._file.write_table(pa.Table.from_pylist(self._rows, ANSWERS))
        self._rows = []


def write_grades(
    batches: Iterable[pa.RecordBatch], folder: Path, keep: Sequence[str]
) -> tuple[dict[str, float], pa.Table]:
    """GRADES in a folder that becomes a part: facts about them, and the columns to `keep`."""
    rows = truncated = 0
    kept = []
    with pq.ParquetWriter(folder / TABLE, GRADES, compression="zstd") as file:
        for batch in batches:
            file.write_batch(batch)
            rows += batch.num_rows
            truncated += pc.sum(pc.equal(batch["status"], "truncated")).as_py()
            kept.append(batch.select(list(keep)))
    columns = pa.schema([GRADES.field(name) for name in keep])
    facts = {"rows": rows, "truncated": round(truncated / max(rows, 1), 4)}
    return facts, pa.Table.from_batches(kept if keep else [], columns)
