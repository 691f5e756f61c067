"""What a question generator and the frozen student are shown.

Two forms: `completion` (a base model continues worked text) and `chat` (messages). Generator
training and question generation share `generator_prompt`, so that the generator is used the way it
was trained. Languages outside the trained ones raise BadInput: nothing is ever asked in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from tasks.errors import BadInput
from tasks.languages import LANGUAGES, TRAINED
from tasks.languages.reasoning import reason_first_in
from tasks.models.engine import Prompt
from tasks.questions.parsing import TAGS, Triple

Form = Literal["completion", "chat"]

# A generator is trained to ask in every trained language but that of the seeds.
ASKED_LANGUAGES = tuple(code for code in TRAINED if code != "en")

# A base model goes on inventing examples; nothing behind these is wanted.
GENERATOR_STOP = (f"</{TAGS[-1]}>",)
ANSWER_DELIMITER = "<answer>"
STUDENT_STOP = ("</answer>", "\nQuestion:")

_WORKED_SHOWN = 2
_EXAMPLES_FILE = Path(__file__).with_name("examples.jsonl")

_DOMAIN_ASKS = {
    "stem": "Ask about a science or engineering topic of another field than the reference does.",
    "math": "Ask for one number or formula, from another field of mathematics than the reference.",
    "chat": "Ask for something whose answer can be checked against what the question demands.",
}


class Worked(NamedTuple):
    """A triple that shows a base model what is wanted."""

    domain: str
    triple: Triple


@cache
def worked_examples(language: str) -> tuple[Worked, ...]:
    """The worked triples of a trained language, written for this project."""
    require_trained(language)
    lines = _EXAMPLES_FILE.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == language]
    return tuple(Worked(row["domain"], Triple(*(row[tag] for tag in TAGS))) for row in rows)


def generator_prompt(seed_row: Mapping[str, str], language: str, form: Form, number: int) -> Prompt:
    """Ask for a new triple in `language` as hard as the seed row's (columns of SEEDS).

    `number` counts the prompts of a run: it picks the worked examples and seeds the sampling.
    """
    require_trained(language)
    if form == "chat":
        asked = _generator_message(seed_row, language)
        return Prompt(messages=({"role": "user", "content": asked},), seed=number)
    return Prompt(text=_generator_text(seed_row, language, number), seed=number)


def written_text(text: str, form: Form, stopped: bool, opened: bool = True) -> str:
    """A generator's completion as `parse` wants it: the prompt's opened tag and the stop put back.

    `stopped` says that it ended by itself, not at the length limit, `opened` that a prompt to be
    continued ends in the first tag. Text behind the last tag of a base model is cut, as a stop
    string would.
    """
    if form == "chat":
        return text
    stop = GENERATOR_STOP[0]
    kept, found, _ = text.partition(stop)
    ended = found or (stopped and f"<{TAGS[-1]}>" in text)
    return f"{f'<{TAGS[0]}>' if opened else ''}{kept}{stop if ended else ''}"


def student_prompt(question: str, language: str, reasoning_language: str, form: Form) -> Prompt:
    """Ask the student, which reasons in `reasoning_language` and answers behind `<answer>`."""
    require_trained(language)
    require_trained(reasoning_language)
    tongue = LANGUAGES[reasoning_language]
    name = tongue.name
    if form == "chat":
        asked = (
            f"Answer the question below. {reason_first_in(LANGUAGES['en'], tongue)} Then write "
            f"the final answer in the language of the question between {ANSWER_DELIMITER} and "
            f"</answer>, and nothing after it.\n\nQuestion: {question}"
        )
        return Prompt(messages=({"role": "user", "content": asked},))
    shown = [
        f"Question: {asked.question}\nReasoning in {name}: {reasoned.reasoning}\n"
        f"{ANSWER_DELIMITER}{asked.answer}</answer>\n\n"
        for asked, reasoned in zip(
            _DEMONSTRATIONS[language], _DEMONSTRATIONS[reasoning_language], strict=True
        )
    ]
    return Prompt(text="".join(shown) + f"Question: {question}\nReasoning in {name}:")


def require_trained(language: str) -> None:
    """Raise BadInput for any language that must not get into training data."""
    if language not in TRAINED:
        raise BadInput(
            f"language {language!r} is not one that data is made in; use one of "
            f"{', '.join(TRAINED)}"
        )


def tagged(row: Mapping[str, str]) -> str:
    """Question, reasoning and answer of a row, each between its tags."""
    return "\n".join(f"<{tag}>{row[tag].strip()}</{tag}>" for tag in TAGS)


def wanted_form() -> str:
    """The form of a triple, as a chat model is told it."""
    return "\n".join(f"<{tag}>...</{tag}>" for tag in TAGS)


def fitting_examples(language: str, domain: str, number: int) -> list[Worked]:
    """Worked examples of a language, those of the domain first, others for the next `number`."""
    examples = worked_examples(language)
    turned = [examples[(number + k) % len(examples)] for k in range(len(examples))]
    return sorted(turned, key=lambda example: example.domain != domain)[:_WORKED_SHOWN]


def _generator_text(reference: Mapping[str, str], language: str, number: int) -> str:
    """The English reference, worked triples in the asked language, an opened question tag.

    The reference goes first: a base model writes in the language of what stands last.
    """
    fitting = fitting_examples(language, reference["domain"], number)
    shown = "".join(f"{tagged(example.triple._asdict())}\n\n" for example in fitting)
    return (
        f"A question in English with its reasoning and answer:\n\n{tagged(reference)}\n\n"
        f"Other questions in {LANGUAGES[language].name}, just as hard:\n\n{shown}<{TAGS[0]}>"
    )


def _generator_message(reference: Mapping[str, str], language: str) -> str:
    name, asks = LANGUAGES[language].name, _DOMAIN_ASKS[reference["domain"]]
    return (
        f"Here is a reference question with its reasoning and answer.\n\n{tagged(reference)}\n\n"
        f"Write one new question that is as difficult as the reference, entirely in {name}. "
        f"{asks} Do not copy, translate or paraphrase the reference. The question must be complete "
        "in itself and have one answer. Then write the step-by-step reasoning to "
        f"its answer and the answer, all in {name}, in exactly this form and with nothing "
        f"after it:\n{wanted_form()}"
    )


# The same two questions in every language, so that no language is shown more than another.
_DEMONSTRATIONS = {
    "en": (
        Triple(
            "A train covers 120 km in 2 hours. How fast is it going?",
            "Speed is distance divided by time: 120 / 2 = 60.",
            "60 km/h",
        ),
        Triple(
            "Which gas do plants take in to make sugar?",
            "Photosynthesis makes sugar from water and a gas of the air that contains carbon.",
            "Carbon dioxide",
        ),
    ),
    "fr": (
        Triple(
            "Un train parcourt 120 km en 2 heures. Quelle est sa vitesse ?",
            "La vitesse est la distance divisée par le temps : 120 / 2 = 60.",
            "60 km/h",
        ),
        Triple(
            "Quel gaz les plantes absorbent-elles pour fabriquer du sucre ?",
            "La photosynthèse fait du sucre avec de l'eau et un gaz de l'air contenant du carbone.",
            "Le dioxyde de carbone",
        ),
    ),
    "es": (
        Triple(
            "Un tren recorre 120 km en 2 horas. ¿A qué velocidad va?",
            "La velocidad es la distancia dividida entre el tiempo: 120 / 2 = 60.",
            "60 km/h",
        ),
        Triple(
            "¿Qué gas absorben las plantas para fabricar azúcar?",
            "La fotosíntesis forma azúcar con agua y un gas del aire que contiene carbono.",
            "El dióxido de carbono",
        ),
    ),
    "ar": (
        Triple(
            "يقطع قطار 120 كيلومترًا في ساعتين. كم تبلغ سرعته؟",
            "السرعة هي المسافة مقسومة على الزمن: 120 / 2 = 60.",
            "60 كم/س",
        ),
        Triple(
            "ما الغاز الذي تمتصه النباتات لتصنع السكر؟",
            "يتكون السكر في التمثيل الضوئي من الماء وغاز في الهواء يحتوي على الكربون.",
            "ثاني أكسيد الكربون",
        ),
    ),
    "pt": (
        Triple(
            "Um trem percorre 120 km em 2 horas. Qual é a sua velocidade?",
            "A velocidade é a distância dividida pelo tempo: 120 / 2 = 60.",
            "60 km/h",
        ),
        Triple(
            "Que gás as plantas absorvem para produzir açúcar?",
            "A fotossíntese forma açúcar com água e um gás do ar que contém carbono.",
            "O dióxido de carbono",
        ),
    ),
    "it": (
        Triple(
            "Un treno percorre 120 km in 2 ore. Qual è la sua velocità?",
            "La velocità è la distanza divisa per il tempo: 120 / 2 = 60.",
            "60 km/h",
        ),
        Triple(
            "Quale gas assorbono le piante per produrre zucchero?",
            "La fotosintesi forma lo zucchero con acqua e un gas dell'aria che contiene carbonio.",
            "L'anidride carbonica",
        ),
    ),
}
