from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM, PreTrainedModel

from tasks.models.hidden_states import cosine_distance, last_hidden

SEQUENCES = [[1, 7, 8, 9, 10], [1, 20], [1, *range(30, 60)], [1, 5, 6]]


@pytest.fixture(scope="module")
def model(tiny_folder: Path) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(tiny_folder).eval()


def alone(model: PreTrainedModel, ids: list[int], layer: int = -1) -> torch.Tensor:
    with torch.inference_mode():
        out = model(torch.tensor([ids]), output_hidden_states=True)
    return out.hidden_states[layer][0]


@pytest.mark.parametrize("batch_tokens", [1, 40, 10_000])
@pytest.mark.parametrize("layer", [-1, 1])
def test_batches_give_what_each_sequence_gives_alone(
    model: PreTrainedModel, batch_tokens: int, layer: int
) -> None:
    spans = [(len(ids) - 1, len(ids)) for ids in SEQUENCES]
    found = last_hidden(model, SEQUENCES, spans, batch_tokens, layer)
    for row, ids in zip(found, SEQUENCES, strict=True):
        assert row == pytest.approx(alone(model, ids, layer)[-1].numpy(), abs=1e-5)


def test_a_span_is_averaged(model: PreTrainedModel) -> None:
    [row] = last_hidden(model, SEQUENCES[:1], [(1, 4)])
    assert row == pytest.approx(alone(model, SEQUENCES[0])[1:4].mean(dim=0).numpy(), abs=1e-5)


def test_the_vocabulary_projection_is_never_computed(model: PreTrainedModel) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    hook = model.lm_head.register_forward_hook(refuse)
    last_hidden(model, SEQUENCES, [(0, 1)] * 4)
    hook.remove()


def test_a_body_alone_will_do(model: PreTrainedModel, tiny_folder: Path) -> None:
    body = AutoModel.from_pretrained(tiny_folder).eval()
    spans = [(1, 2)] * 4
    assert last_hidden(body, SEQUENCES, spans) == pytest.approx(
        last_hidden(model, SEQUENCES, spans), abs=1e-6
    )


def test_cosine_distances_of_known_angles() -> None:
    left = np.array([[1, 0], [1, 0], [1, 0], [3, 3]], np.float32)
    right = np.array([[2, 0], [0, 5], [-1, 0], [0, 1]], np.float32)
    assert cosine_distance(left, right) == pytest.approx([0, 1, 2, 1 - 0.5**0.5])
