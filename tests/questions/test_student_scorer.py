from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.hidden_states import last_hidden
from tasks.models.tokens import encode_prompt
from tasks.models.transformers_engine import TransformersEngine
from tasks.questions.deficits import Asked, Deficit
from tasks.questions.prompts import ANSWER_DELIMITER, student_prompt
from tasks.questions.settings import StudentScoring
from tasks.questions.student_scorer import StudentScorer

FRENCH = Asked("Combien font dix moins quatre pommes rouges ?", "fr")
ENGLISH = Asked("How many legs do two small dogs have?", "en")
EN = "We count them one after the other and add the numbers."
FR = "On les compte les unes après les autres et on ajoute les nombres."


class Says:
    """The student's engine, with its real tokens, saying what the test wants in each language."""

    name = device = "test"

    def __init__(self, engine: TransformersEngine, **texts: str) -> None:
        self.tokenizer, self.model = engine.tokenizer, engine.model
        self.calls: list[int] = []
        self._texts = texts

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        self.calls.append(len(prompts))
        return [[self._one(prompt.text)] for prompt in prompts]

    def _one(self, asked: str) -> Completion:
        text = self._texts["en" if asked.endswith("English:") else "fr"]
        ids = tuple(self.tokenizer.encode(text, add_special_tokens=False))
        top1 = tuple(np.log(np.linspace(0.2, 0.9, len(ids))).tolist())
        return Completion(text, "stop", 1, len(ids), 0, ids, top1)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def engine(tiny_folder: Path) -> TransformersEngine:
    return TransformersEngine(tiny_folder, "float32", "cpu")


def scorer(engine: Says | TransformersEngine, **settings: object) -> StudentScorer:
    asked = StudentScoring(form="completion", answer_tokens=24, **settings)
    return StudentScorer(engine, partial(last_hidden, engine.model), engine.tokenizer, asked)


def measured(engine: TransformersEngine, asked: Asked = FRENCH, **texts: str) -> Deficit:
    [deficit] = scorer(Says(engine, **texts)).score([asked])
    return deficit


def test_lai_is_that_of_a_full_forward_over_the_sampled_answer(engine: TransformersEngine) -> None:
    student = scorer(engine, english_samples=1)
    [deficit] = student.score([ENGLISH])
    [answer] = student._answers(list(student._runs(ENGLISH, with_lsi=True))).values()
    prompt = encode_prompt(
        engine.tokenizer, student_prompt(ENGLISH.question, "en", "en", "completion")
    )
    ids = [*prompt, *answer.completion.token_ids]
    with torch.inference_mode():
        probabilities = engine.model(torch.tensor([ids])).logits[0].softmax(dim=-1)
    expected = 1 - probabilities[len(prompt) - 1 : -1].amax(dim=-1).mean()
    assert deficit.lai == pytest.approx(expected.item(), abs=1e-5)


@pytest.mark.parametrize(("position", "layer"), [("last", -1), ("mean", -1), ("last", 1)])
def test_lsi_is_that_of_full_forwards_up_to_the_reasonings_end(
    engine: TransformersEngine, position: str, layer: int
) -> None:
    texts = {"en": f" {EN}\n{ANSWER_DELIMITER}6", "fr": f" {FR} \n\n{ANSWER_DELIMITER}6"}
    student = scorer(Says(engine, **texts), lsi_position=position, lsi_layer=layer)
    [deficit] = student.score([FRENCH])

    def state(language: str, reasoning: str) -> torch.Tensor:
        prompt = student_prompt(FRENCH.question, "fr", language, "completion")
        before = encode_prompt(engine.tokenizer, prompt)
        own = engine.tokenizer.encode(f" {reasoning}", add_special_tokens=False)
        with torch.inference_mode():
            out = engine.model(torch.tensor([[*before, *own]]), output_hidden_states=True)
        states = out.hidden_states[layer][0, -len(own) :]
        return states[-1] if position == "last" else states.mean(dim=0)

    cosine = torch.cosine_similarity(state("en", EN), state("fr", FR), dim=0)
    assert deficit.lsi == pytest.approx(1 - cosine.item(), abs=1e-5)
    assert deficit.lsi_null == pytest.approx(0.0, abs=1e-6)  # both English samples are the same
    assert deficit.reason is None


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        pytest.param(
            {"en": f"{EN} {ANSWER_DELIMITER}6", "fr": FR}, "no answer delimiter", id="cut"
        ),
        pytest.param(
            {"en": f"{EN}{ANSWER_DELIMITER}6", "fr": f"{EN}{ANSWER_DELIMITER}6"},
            "the reasoning is not in fr",
            id="answered in English",
        ),
        pytest.param(
            {"en": f"{FR}{ANSWER_DELIMITER}6", "fr": f"{FR}{ANSWER_DELIMITER}6"},
            "the reasoning is not in en",
            id="not in English",
        ),
        pytest.param(
            {"en": f"{EN}{ANSWER_DELIMITER}6", "fr": f"{ANSWER_DELIMITER}6"},
            "the reasoning is not in fr",
            id="no reasoning",
        ),
    ],
)
def test_without_a_proper_reasoning_lsi_is_none_and_lai_stays(
    engine: TransformersEngine, texts: dict[str, str], reason: str
) -> None:
    deficit = measured(engine, **texts)
    assert deficit.lsi is None
    assert deficit.lai is not None
    assert reason in str(deficit.reason)


def test_an_english_question_is_answered_once_and_has_no_lsi(engine: TransformersEngine) -> None:
    says = Says(engine, en=f"{EN}{ANSWER_DELIMITER}8")
    [deficit] = scorer(says).score([ENGLISH])
    assert says.calls == [1]
    assert (deficit.lsi, deficit.lsi_null, deficit.reason) == (None, None, None)
    assert deficit.lai is not None


def test_an_english_question_is_compared_in_a_second_language_if_it_comes_with_one(
    engine: TransformersEngine,
) -> None:
    says = Says(engine, en=f"{EN}{ANSWER_DELIMITER}8", fr=f"{FR}{ANSWER_DELIMITER}8")
    student = scorer(says)
    [alone, second] = student.score([ENGLISH, ENGLISH._replace(second="fr")])
    assert says.calls == [4]  # one, and two in English with one in French
    assert alone.lsi is None
    assert second.lsi is not None and second.lsi > 0
    assert second.lai == pytest.approx(alone.lai)


def test_an_empty_answer_has_no_lai(engine: TransformersEngine) -> None:
    deficit = measured(engine, ENGLISH, en="")
    assert deficit == Deficit(None, None, None, "no token of the answer to measure")


def test_the_answer_span_begins_behind_the_delimiter(engine: TransformersEngine) -> None:
    text = f"{EN}{ANSWER_DELIMITER}eight"
    [deficit] = scorer(Says(engine, en=text), lai_span="answer").score([ENGLISH])
    last = np.linspace(0.2, 0.9, len(text))[-len("eight") :]  # one token is one byte
    assert deficit.lai == pytest.approx(1 - last.mean())
    [missing] = scorer(Says(engine, en=EN), lai_span="answer").score([ENGLISH])
    assert missing.lai is None


def test_a_question_is_measured_once(engine: TransformersEngine) -> None:
    says = Says(engine, en=f"{EN}{ANSWER_DELIMITER}6", fr=f"{FR}{ANSWER_DELIMITER}6")
    student = scorer(says)
    first = student.score([FRENCH, FRENCH])
    assert student.score([FRENCH]) == first[:1]
    assert says.calls == [3, 0]


def test_the_same_question_gets_the_same_values_in_any_company(engine: TransformersEngine) -> None:
    alone = scorer(engine).score([FRENCH])
    others = [Asked(f"Combien de pattes ont {n} petits chiens ?", "fr") for n in range(5)]
    [*_, among] = scorer(engine).score([*others, FRENCH])
    assert among.lai == pytest.approx(alone[0].lai, abs=1e-4)
