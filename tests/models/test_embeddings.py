"""Texts as vectors: what is pooled, and that neighbours and padding change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, BertConfig, BertModel

from tasks.models.embeddings import Pooling, embed
from tasks.models.tokens import load_tokenizer

TEXTS = ("short", "a somewhat longer text than the others", "ماء")


@pytest.fixture(scope="module")
def encoder(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bidirectional encoder with the tiny model's tokenizer."""
    folder = tmp_path_factory.mktemp("encoder")
    tokenizer = load_tokenizer(tiny_folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("model", ["tiny_folder", "encoder"])
@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_a_vector_is_the_pooled_last_layer_of_the_text_alone(
    request: pytest.FixtureRequest, model: str, pooling: Pooling
) -> None:
    folder = request.getfixturevalue(model)
    tokenizer, body = load_tokenizer(folder), AutoModel.from_pretrained(folder).eval()
    found = embed(folder, "float32", "cpu", TEXTS, pooling=pooling)
    for text, vector in zip(TEXTS, found, strict=True):
        with torch.inference_mode():
            states = body(torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0]
        wanted = states[-1] if pooling == "last" else states.mean(dim=0)
        assert np.allclose(vector, wanted.numpy(), atol=1e-5)


def test_long_texts_are_cut_but_keep_their_last_token(tiny_folder: Path) -> None:
    short = "x" * 9 + "y"
    tokens = len(load_tokenizer(tiny_folder)(short)["input_ids"])
    cut, whole = embed(tiny_folder, "float32", "cpu", ["x" * 50 + "y", short], longest=tokens)
    assert np.allclose(cut, whole, atol=1e-5)
