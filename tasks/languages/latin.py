"""Languages of published benchmarks that are written in Latin script."""

from __future__ import annotations

from tasks.languages.row import LATIN_LETTERS, Language, each

ROWS = (
    Language(
        code="sw", name="Swahili", endonym="Kiswahili", script="Latin", role="other",
        decimal=".", grouping=",'", letters=LATIN_LETTERS,
        question_word="Swali", context_word="Muktadha", reasoning_word="Hoja",
        answer_word="Jibu",
        answer_words=each("jibu la mwisho|jibu sahihi|jibu langu|jibu letu|matokeo"),
        links=each("ni|litakuwa"),
        instructions={
            "choice": "Jibu swali kwa herufi ya chaguo sahihi.",
            "number": "Tatua tatizo na utoe jibu kama nambari.",
            "span": "Jibu swali kwa maneno machache.",
            "translation": "Tafsiri sentensi kwa Kiingereza.",
            "math": "Tatua tatizo na mwishoni andika matokeo pekee.",
        },
    ),
)  # fmt: skip
