"""The frozen student, loaded to have its deficits measured. Imported by the compute child only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tasks.artifacts.journal import Journal, Kept
from tasks.errors import BadInput
from tasks.models.machine import EngineSettings
from tasks.questions.deficits import Score, played_deficits
from tasks.questions.settings import StudentScoring

if TYPE_CHECKING:
    from tasks.models.hidden_states import Floats, HiddenStates


class OpenStudent(NamedTuple):
    """A student that is ready; `batch` questions fit into one call, None: all have to."""

    score: Score
    engine: str
    device: str
    batch: int | None


@contextmanager
def opened_student(
    settings: EngineSettings, folder: Path | None, scoring: StudentScoring, batch: int
) -> Iterator[OpenStudent]:
    """The student in `folder`, or a played one; memory is given back on leaving.

    Raises BadInput for a student behind an endpoint, which shows no hidden states.
    """
    if settings.engine == "simulated":
        yield OpenStudent(played_deficits(settings.profile), "simulated", "cpu", batch)
        return
    if settings.engine == "endpoint" or folder is None:
        raise BadInput(
            f"student {settings.profile} is behind an endpoint, which gives no hidden states, so "
            "its LSI cannot be measured; use a student with weights or a method other than filtered"
        )
    from tasks.models.open_engine import open_engine
    from tasks.questions.student_scorer import StudentScorer

    with ExitStack() as held:
        engine: Any = open_engine(settings, folder, scoring.seed, Kept(_no_journal))
        held.callback(engine.close)
        vllm = settings.engine == "vllm"
        hidden = _behind_vllm(settings, folder, held) if vllm else _beside(engine)
        scorer = StudentScorer(engine, hidden, engine.tokenizer, scoring)
        yield OpenStudent(scorer.score, engine.name, engine.device, None if vllm else batch)


def _beside(engine: Any) -> HiddenStates:
    """The engine's own model."""
    from tasks.models.hidden_states import last_hidden

    return partial(last_hidden, engine.model)


def _behind_vllm(settings: EngineSettings, folder: Path, held: ExitStack) -> HiddenStates:
    """The body alone, once vLLM has given back the memory that it takes all of."""

    def hidden_states(
        sequences: Sequence[Sequence[int]], spans: Sequence[tuple[int, int]], *, layer: int
    ) -> Floats:
        import torch
        from transformers import AutoModel

        from tasks.models.hidden_states import last_hidden

        held.close()
        dtype = getattr(torch, settings.dtype)
        body = AutoModel.from_pretrained(folder, dtype=dtype, trust_remote_code=False)
        return last_hidden(body.to(settings.device).eval(), sequences, spans, layer=layer)

    return hidden_states


def _no_journal(part: str) -> Journal:
    raise AssertionError("only endpoints keep answers one by one")
