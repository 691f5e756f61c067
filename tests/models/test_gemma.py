"""The bundled model's tokenizer against the SentencePiece algorithm, and its fit to the weights."""

import itertools
import json
import math
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from tasks.models.engine import Prompt
from tasks.models.gemma import CONTROL, NORMAL, USER_DEFINED, build_tokenizer
from tasks.models.tokens import encode_prompt, load_tokenizer

TEXTS = {
    "en": "The library opens at nine, and on Sundays it's closed until the afternoon.",
    "fr": "La bibliothèque ouvre à neuf heures, et le dimanche elle reste fermée l'après-midi.",
    "es": "La biblioteca abre a las nueve, y los domingos está cerrada hasta la tarde.",
    "ar": "تفتح المكتبة أبوابها في الساعة التاسعة، وتبقى مغلقة يوم الأحد حتى العصر.",
    "pt": "A biblioteca abre às nove horas, e aos domingos fica fechada até à tarde.",
    "it": "La biblioteca apre alle nove e la domenica resta chiusa fino al pomeriggio.",
    "de": "Die Bücherei öffnet um neun Uhr und bleibt sonntags bis zum Nachmittag geschlossen.",
    "ja": "図書館は九時に開き、日曜日は午後まで閉まっています。",
    "ru": "Библиотека открывается в девять часов, а по воскресеньям закрыта до обеда.",
    "zh": "图书馆九点开门，星期天下午以前不开放。",
}


@pytest.fixture(scope="module")
def tokenizer(gemma_folder: Path) -> PreTrainedTokenizerFast:
    return load_tokenizer(gemma_folder)


@cache
def scores(folder: Path) -> dict[str, int]:
    """Score of each token that the BPE merges can make: minus the rank of its best merge."""
    merges = json.loads((folder / "tokenizer.json").read_text())["model"]["merges"]
    return {left + right: -rank for rank, (left, right) in reversed([*enumerate(merges)])}


def by_sentencepiece(text: str, score: dict[str, int]) -> list[str]:
    """Join the neighbours whose union is the best token, until no union is one."""
    pieces = list(text.replace(" ", "▁"))
    while True:
        joined = [(score.get(a + b, -math.inf), -at) for at, (a, b) in enumerate(
            itertools.pairwise(pieces))]  # fmt: skip
        best, at = max(joined, default=(-math.inf, 0))
        if best == -math.inf:
            return pieces
        pieces[-at : 2 - at] = ["".join(pieces[-at : 2 - at])]


@pytest.mark.parametrize("language", TEXTS)
def test_words_are_cut_as_sentencepiece_cuts_them(
    gemma_folder: Path, tokenizer: PreTrainedTokenizerFast, language: str
) -> None:
    text = TEXTS[language]
    ids = encode_prompt(tokenizer, Prompt(text=text))
    assert tokenizer.convert_ids_to_tokens(ids) == [
        "<bos>", *by_sentencepiece(text, scores(gemma_folder))
    ]  # fmt: skip
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


@pytest.mark.parametrize(
    "text", ["a  b\n\n\tc", "<em>x</em>", "😀 🇫🇷", "\x00ꙮ", " lead and trail "]
)
def test_blanks_tags_and_rare_characters_come_back(
    tokenizer: PreTrainedTokenizerFast, text: str
) -> None:
    ids = encode_prompt(tokenizer, Prompt(text=text))
    assert ids[0] == tokenizer.bos_token_id and tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_every_user_of_the_folder_gets_the_bos(gemma_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(gemma_folder)
    assert tokenizer("Hello, world!").input_ids == [2, 9259, 236764, 1902, 236888]
    assert tokenizer.chat_template is None


def test_the_weights_expect_this_tokenizer(
    gemma_folder: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    """Pieces that the weights were not trained on cost about four bits per byte in English."""
    model = AutoModelForCausalLM.from_pretrained(gemma_folder, dtype=torch.bfloat16).eval()
    for language, bound in {"en": 1.2, "fr": 1.2, "ar": 1.2, "ja": 2.0}.items():
        ids = encode_prompt(tokenizer, Prompt(text=TEXTS[language]))
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0, :-1].float()
        drawn = logits.log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None])
        bits = -float(drawn.sum()) / math.log(2)
        assert bits / len(TEXTS[language].encode()) < bound, language


def test_a_small_vocabulary_shows_the_rules() -> None:
    tokens = ["<pad>", "<bos>", "<unk>", "  ", "▁", "a", "b", "c", "bc", "ab", "▁ab", "<0x41>"]
    types = [CONTROL, CONTROL, CONTROL, USER_DEFINED, *[NORMAL] * 7, 6]
    ranks = [0.0] * 4 + [-9.0, -9.0, -9.0, -9.0, -1.0, -2.0, -3.0, 0.0]
    tokenizer = build_tokenizer(tokens, ranks, types, "<bos>", "<unk>")
    assert tokenizer.encode("abc").tokens == ["<bos>", "a", "bc"]  # the better merge comes first
    assert tokenizer.encode(" ab  cA").tokens == ["<bos>", "▁ab", "  ", "c", "<0x41>"]
