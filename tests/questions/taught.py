"""A model of whole phrases, taught within seconds to write triples and to answer as a student.

Reward, gradient and resume tests need rollouts that differ in worth; random bytes never do. Its
attention reaches eight tokens back: enough to know what comes next, not which language was asked.
"""

from __future__ import annotations

import random
from pathlib import Path

import torch
from transformers import MistralConfig, MistralForCausalLM, PreTrainedTokenizerFast

from tasks.languages import LANGUAGES, TRAINED
from tasks.models.tiny import write_tiny
from tasks.models.tokens import load_tokenizer

QUESTIONS = {
    "fr": (
        "Combien font dix moins quatre pommes rouges ?",
        "Quelle est la couleur du ciel le jour ?",
    ),
    "es": ("¿Cuántas patas tienen dos perros pequeños?", "¿De qué color es la hierba del campo?"),
    "ar": ("كم عدد أيام الأسبوع كلها؟", "ما لون السماء في النهار الصافي؟"),
    "pt": ("Quantas rodas têm três carros novos?", "De que cor é a neve que cai no inverno?"),
    "it": ("Quanti mesi ci sono in un anno intero?", "Di che colore sono le foglie in estate?"),
}
REASONINGS = {
    "en": " We count them one after the other and add the numbers together.",
    "fr": " On les compte les unes après les autres et on ajoute les nombres.",
    "es": " Los contamos uno tras otro y sumamos todos los números juntos.",
    "ar": " نعدها واحدة تلو الأخرى ثم نجمع الأعداد معا.",
    "pt": " Contamos uma de cada vez e depois somamos todos os números.",
    "it": " Li contiamo uno dopo l'altro e poi sommiamo tutti i numeri.",
}
MARKS = ("<question>", "</question>", "\n<reasoning>", "</reasoning>", "\n<answer>", "</answer>")
STEPS, BATCH = 80, 16


def write_taught(folder: Path, head_dim: int = 24) -> None:
    """Fill a folder with the model; about five seconds on one core. vLLM needs heads of 32."""
    write_tiny(folder)
    tokenizer = load_tokenizer(folder)
    phrases = [*MARKS, *(q for own in QUESTIONS.values() for q in own), *REASONINGS.values()]
    tokenizer.add_tokens(phrases)
    torch.manual_seed(1)
    model = MistralForCausalLM(_config(len(tokenizer), head_dim))
    _teach(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _config(vocabulary: int, head_dim: int) -> MistralConfig:
    return MistralConfig(
        vocab_size=vocabulary,
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=1,
        num_attention_heads=2,
        head_dim=head_dim,
        num_key_value_heads=2,
        sliding_window=8,
        max_position_embeddings=4096,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )


def _teach(model: MistralForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    chance = random.Random(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
    for _ in range(STEPS):
        rows = [tokenizer.encode(_lesson(chance), add_special_tokens=False) for _ in range(BATCH)]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        model(input_ids=ids, labels=ids.masked_fill(ids == 0, -100)).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def _lesson(chance: random.Random) -> str:
    """The end of a prompt and what should follow it."""
    language = chance.choice(list(QUESTIONS))
    number = chance.randrange(10)
    if chance.random() < 0.5:
        question = chance.choice(QUESTIONS[language])
        reasoning = REASONINGS[language]
        return (
            f"</answer>\n\n<question>{question}</question>\n<reasoning>{reasoning}</reasoning>\n"
            f"<answer>{number}</answer>"
        )
    spoken = chance.choice(TRAINED)
    name = LANGUAGES[spoken].name
    return f"Reasoning in {name}:{REASONINGS[spoken]}\n<answer>{number}</answer>"
