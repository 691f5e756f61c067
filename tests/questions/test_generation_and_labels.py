"""From a generator's texts to kept questions, and from a teacher's samples to labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from tasks.artifacts.schemas import LABELS, QUESTIONS
from tasks.benchmarks import load_seeds
from tasks.errors import BadInput
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.simulated import SimulatedEngine
from tasks.questions.generation import QuestionGeneration, generate_questions
from tasks.questions.labels import (
    Answered,
    Labelling,
    consensus_labels,
    label_questions,
    read_answer,
)
from tasks.questions.simulated_triples import simulated_triple

WANTED = QuestionGeneration(form="completion", keep=14, max_attempts=120, batch=30)


class Says:
    """An engine that answers every prompt with the next of some texts."""

    name = device = "test"

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        said = (Completion(text, "stop", 1, 1, 0, ()) for text in cycle(self._texts))
        return [list(islice(said, sampling.n)) for _ in prompts]

    def close(self) -> None:
        pass


def silent(done: int, total: int, what: str) -> None:
    pass


@pytest.fixture(scope="module")
def questions() -> pa.Table:
    return generate_questions(WANTED, SimulatedEngine("writer"), load_seeds(), "completion", silent)


def test_every_language_has_its_quota_and_refusals_are_kept_with_reasons(
    questions: pa.Table,
) -> None:
    assert questions.schema == QUESTIONS
    rows = questions.to_pylist()
    kept = Counter(row["language"] for row in rows if row["kept"])
    assert kept == {"en": 3, "fr": 3, "es": 2, "ar": 2, "pt": 2, "it": 2}
    assert all(row["reason"] for row in rows if not row["kept"])
    assert all(row["reason"] is None for row in rows if row["kept"])


def test_a_chat_generator_is_read_to_its_last_tag() -> None:
    settings = WANTED.model_copy(update={"form": "chat"})
    table = generate_questions(settings, SimulatedEngine("writer"), load_seeds(), "chat", silent)
    assert all(table.column("parsed").to_pylist()) and sum(table.column("kept").to_pylist()) == 14


def test_no_reference_is_shown_twice_while_there_are_fresh_ones(questions: pa.Table) -> None:
    shown = questions.column("seed_id").to_pylist()
    assert len(shown) <= load_seeds().num_rows and len(set(shown)) == len(shown)


def test_a_hard_language_stays_short_and_an_easy_one_does_not_take_its_place() -> None:
    """A generator that only ever writes Italian."""
    table = generate_questions(WANTED, Italian(), load_seeds(), "completion", silent)
    rows = table.to_pylist()
    assert Counter(row["language"] for row in rows if row["kept"]) == {"it": 2}
    assert Counter(row["language"] for row in rows if not row["kept"]) == {
        "en": 20, "fr": 20, "es": 20, "ar": 20, "pt": 20, "it": 3,
    }  # fmt: skip
    assert {row["detected_language"] for row in rows if row["language"] == "fr"} == {"it"}


class Italian(SimulatedEngine):
    """Writes Italian whatever is asked."""

    def __init__(self) -> None:
        super().__init__("writer")

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        asked = [_in_italian(prompt) for prompt in prompts]
        return super().complete(asked, sampling, seed)


def _in_italian(prompt: Prompt) -> Prompt:
    assert prompt.hint is not None
    triple = simulated_triple("it", prompt.seed).removeprefix("<question>")
    return replace(prompt, hint=replace(prompt.hint, right=triple))


def test_without_seeds_nothing_can_be_written() -> None:
    none = load_seeds().slice(0, 0)
    with pytest.raises(BadInput, match="no seed question"):
        generate_questions(WANTED, SimulatedEngine("writer"), none, "completion", silent)


def test_a_generator_that_writes_nothing_of_use_is_an_error_that_says_why() -> None:
    with pytest.raises(BadInput, match=r"wrote 120 texts and none could be kept; most often"):
        generate_questions(WANTED, Says("nothing"), load_seeds(), "completion", silent)


def test_the_same_question_again_is_refused() -> None:
    text = "Quanto fa sette per otto nel nostro esercizio?</question>\n<reasoning>x</reasoning>"
    only = WANTED.model_copy(update={"languages": ("it",), "keep": 5, "max_attempts": 10})
    table = generate_questions(
        only, Says(text + "\n<answer>56"), load_seeds(), "completion", silent
    )
    reasons = Counter(row["reason"] for row in table.to_pylist())
    assert reasons == {None: 1, "near-duplicate of another question": 9}


def labelled(questions: pa.Table, *texts: str, samples: int = 4) -> list[dict[str, object]]:
    settings = Labelling(form="completion", samples=samples, agreement_floor=0.5)
    table = label_questions(settings, Says(*texts), questions, "completion", silent)
    assert table.schema == LABELS
    rows: list[dict[str, object]] = table.to_pylist()
    return rows


@pytest.fixture
def one(questions: pa.Table) -> pa.Table:
    kept = [row for row in questions.to_pylist() if row["kept"] and row["language"] == "fr"]
    return pa.Table.from_pylist(kept[:1], QUESTIONS)


def test_the_largest_group_wins_and_its_size_is_the_agreement(one: pa.Table) -> None:
    [label] = labelled(one, "a\n<answer>12", "b\n<answer>7", "c\n<answer>12.0", "no answer")
    assert (label["answer"], label["agreement"], label["kept"]) == ("12", 0.5, True)
    assert label["answers"] == ["12", "7", "12.0"]


def test_below_the_floor_a_question_is_not_answerable(one: pa.Table) -> None:
    [label] = labelled(one, "a\n<answer>1", "b\n<answer>2", "c\n<answer>3", "d\n<answer>4")
    assert not label["kept"] and label["reason"] == "agreement 0.25 is below 0.50"


def test_an_answer_in_another_language_is_refused(one: pa.Table) -> None:
    english = "The train is slower than the plane, so it arrives later in the evening."
    [label] = labelled(one, f"{english}\n<answer>{english}")
    assert not label["kept"] and label["reason"] == "answered in en, not fr"


def test_reasoning_in_another_language_is_refused_as_well(one: pa.Table) -> None:
    french = "La réponse est que le train arrive toujours en retard le soir."
    english = "The train is slower than the plane, so it arrives later in the evening."
    [label] = labelled(one, f"{english}\n<answer>{french}")
    assert not label["kept"] and label["reason"] == "reasoned in en, not fr"


@pytest.mark.parametrize("text", ["I do not know", "<answer>12", "so\n<answer> "])
def test_a_sample_without_reasoning_or_answer_is_none(one: pa.Table, text: str) -> None:
    [label] = labelled(one, text)
    assert label["reason"] == "no sample came to an answer with reasoning before it"
    assert label["answers"] == [] and label["agreement"] == 0.0


def test_an_answer_cut_by_the_length_limit_is_none() -> None:
    cut = Completion("so\n<answer>the half of", "length", 1, 1, 0, ())
    assert read_answer(cut) is None and read_answer(cut._replace(finish_reason="stop"))


def test_texts_that_differ_in_case_and_marks_alone_agree(one: pa.Table) -> None:
    [label] = labelled(one, "a\n<answer>Le Dioxyde de carbone.", "b\n<answer>le dioxyde de carbone")
    assert label["agreement"] == 1.0 and label["answer"] == "Le Dioxyde de carbone."


def test_a_letter_does_not_agree_with_a_text(one: pa.Table) -> None:
    [label] = labelled(one, "a\n<answer>B", "b\n<answer>le carbone", samples=2)
    assert (label["answer"], label["agreement"]) == ("B", 0.5)


def test_texts_are_compared_by_an_embedding_where_there_is_one(one: pa.Table) -> None:
    """The first two mean the same without a word in common; numbers are not embedded."""
    texts = ["la vitesse de la lumière", "celle des photons", "un arbre", "12"]
    asked: list[str] = []

    def embed(given: Sequence[str]) -> np.ndarray:
        asked.extend(given)
        return np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]])

    answers = [[Answered("On le sait.", text) for text in texts]]
    settings = Labelling(form="completion", samples=4)
    [label] = consensus_labels(settings, one, answers, embed).to_pylist()
    assert (label["answer"], label["agreement"]) == (texts[0], 0.5)
    assert asked == texts[:3]
    [plain] = consensus_labels(settings, one, answers).to_pylist()
    assert plain["agreement"] == 0.25


def test_an_embedding_is_named_by_a_model_with_weights() -> None:
    for name in ("characters", "hf:Qwen/Qwen3-Embedding-0.6B@main", "bundled:tiny-random"):
        assert Labelling(form="completion", embedding=name).embedding == name
    for name in ("words", "endpoint:lab/big"):
        with pytest.raises(ValidationError, match="characters"):
            Labelling(form="completion", embedding=name)


def test_nothing_is_labelled_in_a_held_out_language(one: pa.Table) -> None:
    german = one.set_column(2, "language", pa.array(["de"]))
    with pytest.raises(BadInput, match="'de'"):
        labelled(german, "so\n<answer>12")
