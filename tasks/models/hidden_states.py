"""Hidden states of given texts: forwards of a model's body, without the vocabulary projection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Floats = NDArray[np.float32]


class HiddenStates(Protocol):
    """`last_hidden` of one model."""

    def __call__(
        self, sequences: Sequence[Sequence[int]], spans: Sequence[tuple[int, int]], *, layer: int
    ) -> Floats:
        """Mean hidden state over a span of each sequence."""
        ...


def last_hidden(
    model: PreTrainedModel,
    sequences: Sequence[Sequence[int]],
    spans: Sequence[tuple[int, int]],
    batch_tokens: int = 16_384,
    layer: int = -1,
) -> Floats:
    """Mean hidden state over a span of each sequence, shape (sequences, hidden size).

    Args:
        model: a causal language model, or its body.
        sequences: token ids, each with the BOS that the model wants.
        spans: from the first to behind the last position to average; (p, p + 1) is position p.
        batch_tokens: bounds a batch: rows x longest sequence.
        layer: index into the hidden states; -1 is the last, after its norm; 0 the embeddings.
    """
    rows: list[Floats] = [np.empty(0, np.float32)] * len(sequences)
    for batch in _batches([len(ids) for ids in sequences], batch_tokens):
        with torch.inference_mode():
            states = _states(model, [sequences[at] for at in batch], layer)
        for at, row in zip(batch, states, strict=True):
            start, end = spans[at]
            rows[at] = row[start:end].float().mean(dim=0).cpu().numpy()
    return np.stack(rows)


def cosine_distance(left: Floats, right: Floats) -> NDArray[np.float64]:
    """1 - cosine of the angle between rows, in [0, 2]."""
    a, b = left.astype(np.float64), right.astype(np.float64)
    norms = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    distance: NDArray[np.float64] = 1.0 - (a * b).sum(axis=-1) / norms
    return distance


def _batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Indices of sequences, longest first."""
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]


def _states(model: PreTrainedModel, batch: list[Sequence[int]], layer: int) -> torch.Tensor:
    width = max(len(ids) for ids in batch)
    # Padding stands behind: causal attention never looks at it, whatever its ids are.
    padded = [[*ids, *[0] * (width - len(ids))] for ids in batch]
    mask = [[1] * len(ids) + [0] * (width - len(ids)) for ids in batch]
    device = model.device
    out = model.base_model(
        input_ids=torch.tensor(padded, device=device),
        attention_mask=torch.tensor(mask, device=device),
        use_cache=False,
        output_hidden_states=layer != -1,
    )
    states: torch.Tensor = out.last_hidden_state if layer == -1 else out.hidden_states[layer]
    return states
