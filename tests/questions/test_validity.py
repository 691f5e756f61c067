"""A student's deficits beside its own grades, and the part that says so before any training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.parts import publish_part, publish_table, read_table
from tasks.artifacts.schemas import GRADES, ITEMS, VALIDITY
from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, load_seeds
from tasks.compute.step import Silent, Work, complete
from tasks.questions.deficits import Asked, Deficit
from tasks.questions.settings import GeneratorTraining, StudentScoring
from tasks.questions.validity import student_validity
from tasks.steps import STEPS
from tasks.train_generator import TrainGenerator, plan

# TRL's and transformers' own.
pytestmark = pytest.mark.filterwarnings("ignore")

LANGUAGES = ("en", "fr", "ar", "de")
CELLS = [(benchmark, code) for benchmark in ("facts", "multihop") for code in LANGUAGES]


def rate(item: int, language: str) -> float:
    """Even items are known in English; French knows a half of them, Arabic none."""
    share = {"en": 1.0, "fr": 0.5 if item % 4 else 1.0, "ar": 0.0, "de": 0.0}
    return share[language] if item % 2 == 0 else 0.0


@pytest.fixture(scope="module")
def items() -> dict[str, pa.Table]:
    return {f"{b}/{code}": load_items(b, "bundled", code, 8).items for b, code in CELLS}


@pytest.fixture(scope="module")
def grades(items: dict[str, pa.Table]) -> dict[str, pa.Table]:
    return {
        cell: pa.Table.from_pylist(
            [
                {"benchmark": row["benchmark"], "item_id": row["item_id"],
                 "language": row["language"], "sample": sample,
                 "score": float(sample < 2 * rate(at, row["language"]))}
                for at, row in enumerate(table.to_pylist())
                for sample in range(2)
            ],
            GRADES,
        )
        for cell, table in items.items()
    }  # fmt: skip


def told(table: pa.Table) -> dict[tuple[str, str | None], dict[str, Any]]:
    assert table.schema == VALIDITY
    rows = [row for row in table.to_pylist() if row["benchmark"] is None]
    return {(row["measure"], row["language"]): row for row in rows}


class Student:
    """Is unsure of what it cannot answer, and says nothing of Arabic."""

    def __init__(self, items: dict[str, pa.Table]) -> None:
        self.asked: list[Asked] = []
        self._place = {
            row["question"]: at for t in items.values() for at, row in enumerate(t.to_pylist())
        }

    def score(self, questions: Sequence[Asked]) -> list[Deficit]:
        self.asked += questions
        return [self._one(asked) for asked in questions]

    def _one(self, asked: Asked) -> Deficit:
        [at] = {self._place[line] for line in asked.question.split("\n") if line in self._place}
        own, english = rate(at, asked.language), rate(at, "en")
        lsi = None if asked.language in ("en", "ar") else english - own + 0.01 * at
        return Deficit(1.0 - own, lsi, None, None)


def test_deficits_stand_beside_the_students_own_pass_rates(
    items: dict[str, pa.Table], grades: dict[str, pa.Table]
) -> None:
    student = Student(items)
    seen: list[tuple[int, int]] = []
    table = student_validity(
        student.score, items, grades, 0, lambda done, total, what: seen.append((done, total))
    )
    found = told(table)
    assert {asked.language for asked in student.asked} == {"en", "fr", "ar"}  # never held out
    assert found["lai_auroc", None]["n_questions"] == 6 * 8 == seen[-1][1]
    assert found["lai_auroc", "en"]["value"] == 1.0
    assert found["lsi_spearman", "fr"]["value"] > 0.5
    assert found["lsi_spearman", "ar"]["n_unmeasured"] == 2 * 8
    assert ("lsi_spearman", "en") not in found


def test_questions_are_asked_with_what_is_needed_to_answer_them(
    items: dict[str, pa.Table], grades: dict[str, pa.Table]
) -> None:
    student = Student(items)
    student_validity(student.score, items, grades, 0, lambda *_: None)
    texts = {asked.question for asked in student.asked}
    [fact] = items["facts/fr"].to_pylist()[:1]
    assert "\n".join([fact["question"], *_lettered(fact["options"])]) in texts
    [hop] = items["multihop/fr"].to_pylist()[:1]
    assert "\n".join([*hop["context"], hop["question"]]) in texts


def _lettered(options: list[str]) -> list[str]:
    return [f"{letter}) {option}" for letter, option in zip("ABCDEFGHIJ", options, strict=False)]


def test_items_without_grades_or_that_are_not_parallel_take_no_part(
    items: dict[str, pa.Table], grades: dict[str, pa.Table]
) -> None:
    rows = [row | {"parallel": False} for row in items["facts/fr"].to_pylist()]
    given = {**items, "facts/fr": pa.Table.from_pylist(rows, ITEMS)}
    known = {cell: table for cell, table in grades.items() if cell != "multihop/ar"}
    student = Student(items)
    student_validity(student.score, given, known, 0, lambda *_: None)
    assert len(student.asked) == 4 * 8


def test_the_part_is_measured_on_the_student_and_changes_no_generator(
    file_store: Store,
    items: dict[str, pa.Table],
    grades: dict[str, pa.Table],
    taught_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOTFIXR_CACHE", str(tmp_path / "cache"))
    model = publish_part(file_store, "prepare-models", "m", "m", taught_folder, {})

    def parts(step: str, tables: dict[str, pa.Table]) -> dict[str, Any]:
        return {
            cell: publish_table(file_store, step, cell, cell.replace("/", "-"), table, {})
            for cell, table in tables.items()
        }

    spec = TrainGenerator(
        generator=model,
        student=model,
        seeds=publish_table(file_store, "prepare-data", "seeds", "s", load_seeds(), {}),
        items=parts("prepare-data", items),
        grades=parts("evaluate", grades),
        validity_items=5,
        settings=GeneratorTraining(
            form="completion",
            dtype="float32",
            device="cpu",
            student=StudentScoring(form="completion", answer_tokens=6),
            steps=1,
            prompts_per_step=1,
            rollouts=2,
            micro_batch=2,
            max_completion_tokens=8,
        ),
    )
    without = spec.model_copy(update={"items": {}, "grades": {}, "validity_items": 30})
    assert list(plan(spec, {})) == ["validity", "generator"]
    assert plan(without, {}) == {"generator": plan(spec, {})["generator"]}
    done = complete(Work(file_store, STEPS["train-generator"], Silent()), spec).parts
    assert set(done) == {"validity", "generator"}
    rows = told(read_table(file_store, done["validity"]))
    assert rows["lai_auroc", None]["n_questions"] == 2 * 3 * 5
    assert rows["lsi_spearman", "fr"]["n_questions"] > 0
    assert rows["lai_auroc", None]["value"] is not None
