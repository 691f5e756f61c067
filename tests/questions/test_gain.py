"""Two generators on the same held-out prompts, really written and measured."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.artifacts.parts import publish_part, publish_table, read_table
from tasks.artifacts.schemas import GAIN, WRITTEN
from tasks.artifacts.store import Store
from tasks.benchmarks import load_seeds
from tasks.compute.step import Silent, Work, complete
from tasks.errors import BadInput
from tasks.generate_questions import generation_seeds
from tasks.models.hidden_states import last_hidden
from tasks.models.transformers_engine import TransformersEngine
from tasks.questions.deficits import Asked, Deficit
from tasks.questions.gain import held_out_prompts, measured, write
from tasks.questions.prompts import ASKED_LANGUAGES
from tasks.questions.settings import GeneratorTraining, StudentScoring
from tasks.questions.student_scorer import StudentScorer
from tasks.steps import STEPS
from tasks.train_generator import (
    GAIN_TABLE,
    GAINED,
    PART,
    WRITTEN_TABLE,
    TrainGenerator,
    plan,
    training_seeds,
)

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's and transformers' own

SETTINGS = GeneratorTraining(
    form="completion",
    dtype="float32",
    device="cpu",
    student=StudentScoring(form="completion", answer_tokens=6),
    steps=1,
    prompts_per_step=1,
    rollouts=2,
    micro_batch=2,
    max_prompt_tokens=4_000,
    max_completion_tokens=16,
)


def texts_of(*questions: str) -> list[str]:
    return [
        f"<question>{question}</question>\n<reasoning>x</reasoning>\n<answer>y</answer>"
        for question in questions
    ]


def unsure(questions: Sequence[Asked]) -> list[Deficit]:
    return [Deficit(0.5, None, None, "no reasoning") for _ in questions]


def test_held_out_prompts_are_of_seeds_that_train_nothing_in_every_language_asked() -> None:
    seeds = generation_seeds(load_seeds())
    prompts = held_out_prompts(SETTINGS, seeds, 100)
    trained = set(training_seeds(load_seeds()).column("seed_id").to_pylist())
    assert len({one.name for one in prompts}) == len({one.prompt.seed for one in prompts}) == 100
    assert not {one.seed["seed_id"] for one in prompts} & trained
    assert [one.language for one in prompts[:5]] == list(ASKED_LANGUAGES)
    with pytest.raises(BadInput, match="compared_prompts is 1000, but 48 held-out seeds make only"):
        held_out_prompts(SETTINGS, seeds, 1000)


def test_a_text_is_judged_alone_and_repetition_is_told_beside_it() -> None:
    prompts = held_out_prompts(SETTINGS, generation_seeds(load_seeds()), 3)
    same = "Combien de pattes ont trois chiens noirs ?"
    texts = [*texts_of(same, same), "nothing of use"]
    asked = [one._replace(language="fr") for one in prompts]
    first, again, none = measured("trained", asked, texts, unsure)
    assert first["passed"] and again["passed"] and (first["lai"], first["lsi"]) == (0.5, None)
    assert (first["repeated"], again["repeated"], none.get("repeated")) == (False, True, None)
    assert (none["passed"], none["lai"], none["lsi"]) == (False, 0.0, 0.0)
    assert "not exactly one" in none["reason"]


def test_a_question_in_another_language_is_worth_nothing_and_says_so() -> None:
    prompts = held_out_prompts(SETTINGS, generation_seeds(load_seeds()), 1)
    [row] = measured("trained", prompts, texts_of("How many legs have three black dogs?"), unsure)
    assert (row["passed"], row["lai"], row["detected_language"]) == (False, 0.0, "en")


def test_the_same_generator_writes_the_same_and_both_draw_alike(taught_folder: Path) -> None:
    prompts = held_out_prompts(SETTINGS, generation_seeds(load_seeds()), 10)
    engine = TransformersEngine(taught_folder, "float32", "cpu")
    one, other = (write(engine, SETTINGS, prompts) for _ in range(2))
    assert one == other and len(set(one)) > 1
    scorer = StudentScorer(
        engine, partial(last_hidden, engine.model), engine.tokenizer, SETTINGS.student
    )
    rows = measured("trained", prompts, one, scorer.score)
    assert pa.Table.from_pylist(rows, WRITTEN).num_rows == 10
    assert any(row["passed"] and row["lai"] for row in rows)


def test_the_comparison_is_a_part_that_follows_the_training(
    file_store: Store, taught_folder: Path
) -> None:
    model = publish_part(file_store, "prepare-models", "model", "m", taught_folder, {})
    seeds = publish_table(file_store, "prepare-data", "seeds", "s", load_seeds(), {})
    spec = TrainGenerator(
        generator=model, student=model, seeds=seeds, compared_prompts=10, settings=SETTINGS
    )
    assert set(plan(spec, {})) == {PART}
    manifest = complete(Work(file_store, STEPS["train-generator"], Silent()), spec)
    assert set(manifest.parts) == {PART, GAINED}
    table = read_table(file_store, manifest.parts[GAINED], file=GAIN_TABLE)
    written = read_table(file_store, manifest.parts[GAINED], file=WRITTEN_TABLE)
    assert (table.schema, written.schema, written.num_rows) == (GAIN, WRITTEN, 20)
    fewer = spec.model_copy(update={"compared_prompts": 5})
    assert plan(fewer, {})[PART] == plan(spec, {})[PART]
    assert plan(fewer, manifest.parts)[GAINED] != plan(spec, manifest.parts)[GAINED]
