"""Texts as vectors: the hidden state of the last token, as Qwen3-Embedding has it, or the mean.

Encoders in the way of sentence-transformers are averaged over all tokens, their marks included.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import torch

from tasks.models.hidden_states import Floats, last_hidden
from tasks.models.tokens import load_tokenizer

Pooling = Literal["last", "mean"]


def embed(
    folder: Path,
    dtype: str,
    device: str,
    texts: Sequence[str],
    longest: int = 4096,
    pooling: Pooling = "last",
) -> Floats:
    """One vector per text, shape (texts, hidden size); texts are cut at `longest` tokens.

    Raises:
        BadInput: the folder holds no tokenizer that works without code of its own.
    """
    from transformers import AutoModel

    tokenizer = load_tokenizer(folder)
    ids = [tokenizer(text)["input_ids"] for text in texts]
    longest = min(longest, tokenizer.model_max_length)
    # The last token is the one that the tokenizer ends every text with, and stays.
    cut = [[*one[: longest - 1], one[-1]] if len(one) > longest else one for one in ids]
    model = AutoModel.from_pretrained(folder, dtype=getattr(torch, dtype), trust_remote_code=False)
    model = model.to(device).eval()
    spans = [(len(one) - 1 if pooling == "last" else 0, len(one)) for one in cut]
    return last_hidden(model, cut, spans)
