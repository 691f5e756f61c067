"""The hidden state that stands for a reasoning: one forward of a model's body, no vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from tasks.questions.settings import StudentScoring

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Span(NamedTuple):
    """Token ids of a prompt and of the reasoning behind it."""

    prompt: Sequence[int]
    reasoning: Sequence[int]


@torch.inference_mode()
def reasoning_states(
    model: PreTrainedModel, spans: Sequence[Span], settings: StudentScoring
) -> list[NDArray[np.float32]]:
    """One vector (hidden size) per span: at its last token, or the mean over its reasoning."""
    vectors: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(spans)
    by_length = sorted(range(len(spans)), key=lambda at: sum(map(len, spans[at])))
    for start in range(0, len(by_length), settings.batch):
        batch = by_length[start : start + settings.batch]
        states = _states(model, [spans[at] for at in batch], settings.lsi_layer)
        for at, row in zip(batch, states, strict=True):
            end = sum(map(len, spans[at]))
            first = end - 1 if settings.lsi_position == "last" else len(spans[at].prompt)
            vectors[at] = row[first:end].float().mean(dim=0).cpu().numpy()
    return vectors


def _states(model: PreTrainedModel, spans: Sequence[Span], layer: int) -> torch.Tensor:
    """Hidden states of a layer, rows x tokens x size; shorter rows are padded behind their end."""
    rows = [[*span.prompt, *span.reasoning] for span in spans]
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=model.device)
    mask = torch.tensor(
        [[1] * len(row) + [0] * (width - len(row)) for row in rows], device=model.device
    )
    outputs = model.base_model(
        input_ids=ids, attention_mask=mask, use_cache=False, output_hidden_states=layer != -1
    )
    # The last entry of hidden_states is the final layer after its norm, as last_hidden_state is.
    states = outputs.last_hidden_state if layer == -1 else outputs.hidden_states[layer]
    return states
