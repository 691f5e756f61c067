from __future__ import annotations

import pytest

from tasks.errors import BadInput
from tasks.languages import HELD_OUT, TRAINED
from tasks.questions.gates import LONGEST_QUESTION, refusal
from tasks.questions.prompts import worked_examples

REFERENCE = "A train covers 120 km in two hours. How fast does it go on average?"
FRENCH = "Combien de côtés a un polygone dont la somme des angles vaut 720 degrés ?"


def test_a_new_question_in_the_language_asked_passes() -> None:
    assert refusal(FRENCH, "fr", REFERENCE, ["Quelle est la capitale du Portugal ?"]) is None


@pytest.mark.parametrize(
    ("question", "language", "others", "reason"),
    [
        pytest.param(FRENCH, "it", [], "in fr, not it", id="another trained language"),
        pytest.param(
            "Wie viele Seiten hat ein Vieleck mit der Winkelsumme 720 Grad?", "fr", [], "in de",
            id="a held-out language",
        ),
        pytest.param("2 + 2 = ?", "fr", [], "no known language", id="no language"),
        pytest.param(FRENCH + " a" * LONGEST_QUESTION, "fr", [], "too long", id="too long"),
        pytest.param(REFERENCE, "en", [], "copy", id="the reference"),
        pytest.param(REFERENCE.replace("120", "90"), "en", [], "copy", id="almost the reference"),
        pytest.param(
            worked_examples("fr")[0].triple.question, "fr", [], "copy", id="a worked example"
        ),
        pytest.param(FRENCH, "fr", [FRENCH.replace("720", "540")], "near-duplicate", id="again"),
    ],
)  # fmt: skip
def test_a_gate_names_what_is_wrong(
    question: str, language: str, others: list[str], reason: str
) -> None:
    assert reason in str(refusal(question, language, REFERENCE, others))


@pytest.mark.parametrize("language", HELD_OUT)
def test_a_held_out_language_cannot_be_asked_for(language: str) -> None:
    with pytest.raises(BadInput, match=language):
        refusal(FRENCH, language, REFERENCE)


@pytest.mark.parametrize("language", TRAINED)
def test_examples_written_for_a_language_are_recognised_as_such(language: str) -> None:
    found = [refusal(e.triple.question, language, "") for e in worked_examples(language)]
    assert found == ["copy of a question in the prompt"] * len(found)
