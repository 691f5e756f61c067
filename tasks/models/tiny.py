"""A model of a hundred thousand random weights that reads and writes every byte, for tests."""

from __future__ import annotations

from pathlib import Path

SEED = 270
PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"

CARD = """---
license: apache-2.0
---

Random weights (seed 270) and a byte-level tokenizer. It knows nothing; it is there to test with.
"""


def write_tiny(folder: Path) -> str:
    """Put the model into `folder`, the same bytes every time; "seed:N"."""
    vocabulary = _write_tokenizer(folder)
    _write_weights(folder, vocabulary)
    (folder / "README.md").write_text(CARD)
    return f"seed:{SEED}"


def _write_tokenizer(folder: Path) -> dict[str, int]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    symbols = [PAD, BOS, EOS, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    ids = {symbol: number for number, symbol in enumerate(symbols)}
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, ids[BOS])]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, bos_token=BOS, eos_token=EOS
    ).save_pretrained(folder)
    return ids


def _write_weights(folder: Path, vocabulary: dict[str, int]) -> None:
    import numpy as np
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        pad_token_id=vocabulary[PAD],
        bos_token_id=vocabulary[BOS],
        eos_token_id=vocabulary[EOS],
        dtype="float32",
    )
    model = LlamaForCausalLM(config)
    # numpy's stream, not torch's, which may change from one torch to the next.
    stream = np.random.default_rng(SEED)
    with torch.no_grad():
        for _, weight in sorted(model.named_parameters()):
            if weight.dim() > 1:
                drawn = stream.standard_normal(tuple(weight.shape), dtype=np.float32)
                weight.copy_(torch.from_numpy(drawn * (2 * weight.shape[-1]) ** -0.5))
    model.save_pretrained(folder)
