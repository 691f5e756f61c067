"""Which real rows a student's deficits choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pytest

from tasks.artifacts.schemas import QUESTIONS, SEEDS
from tasks.benchmarks import load_seeds
from tasks.errors import BadInput
from tasks.models.simulated import pass_rate
from tasks.questions.deficits import Asked, Deficit, played_deficits
from tasks.questions.filtering import SECOND_LANGUAGES, filter_rows, lsi_centered
from tasks.questions.generation import QuestionGeneration

WANTED = QuestionGeneration(form="completion", keep=10, max_attempts=20)
FAR = {"fr": 0.1, "es": 0.1, "ar": 0.7, "pt": 0.1, "it": 0.1}  # LSI of any question


class Student:
    """Knows less the later a question is asked; Arabic lies far away whatever is asked."""

    def __init__(self, unmeasured: Sequence[int] = ()) -> None:
        self.calls: list[int] = []
        self._asked = 0
        self._unmeasured = unmeasured

    def score(self, questions: Sequence[Asked]) -> list[Deficit]:
        self.calls.append(len(questions))
        return [self._one(question) for question in questions]

    def _one(self, asked: Asked) -> Deficit:
        at, self._asked = self._asked, self._asked + 1
        lsi = None if at in self._unmeasured else FAR[asked.other]
        reason = "the reasoning is not in en" if lsi is None else None
        return Deficit(0.01 * at, lsi, None, reason)


def silent(done: int, total: int, what: str) -> None:
    pass


def filtered(student: Student, seeds: pa.Table | None = None, batch: int | None = None) -> list:
    table = filter_rows(WANTED, student.score, seeds or load_seeds(), silent, batch)
    assert table.schema == QUESTIONS
    return table.to_pylist()


def test_twice_as_many_rows_as_are_wanted_are_measured_and_the_upper_half_kept() -> None:
    rows = filtered(Student())
    assert [row["kept"] for row in rows] == [False] * 10 + [True] * 10
    assert {row["reason"] for row in rows[:10]} == {"LAI + LSI is not in the upper half"}
    assert [row["lai"] for row in rows] == [0.01 * at for at in range(20)]


def test_second_languages_take_turns_and_none_is_favoured_for_lying_far_away() -> None:
    rows = filtered(Student())
    turns = [SECOND_LANGUAGES[at % 5] for at in range(20)]
    assert [row["lsi_language"] for row in rows] == turns
    assert [row["lsi"] for row in rows] == [FAR[code] for code in turns]
    assert Counter(row["lsi_language"] for row in rows if row["kept"]) == dict.fromkeys(FAR, 2)


def test_lsi_is_centered_within_its_language() -> None:
    rows = [("fr", 0.1), ("fr", 0.3), ("ar", 0.8), ("ar", 0.6)]
    found = lsi_centered([{"lsi_language": code, "lsi": lsi} for code, lsi in rows])
    assert found == pytest.approx([-0.1, 0.1, 0.1, -0.1])


def test_a_row_without_a_score_is_refused_with_the_reason_and_takes_no_place() -> None:
    rows = filtered(Student(unmeasured=range(4, 20, 2)))
    lost = [row for row in rows if row["lsi"] is None]
    assert len(lost) == 8
    assert {row["reason"] for row in lost} == {"not measured: the reasoning is not in en"}
    assert sum(row["kept"] for row in rows) == 6  # half of the other twelve


def test_no_score_at_all_is_an_error_that_says_why() -> None:
    with pytest.raises(BadInput, match=r"none of the 20 rows .*the reasoning is not in en"):
        filtered(Student(unmeasured=range(20)))


def test_rows_that_cannot_be_asked_are_not_measured_but_told_of() -> None:
    rows = load_seeds().to_pylist()
    for row in rows[:-8]:
        row["question"] = "Wie viele Seiten hat ein Vieleck mit der Winkelsumme von 720 Grad?"
    student = Student()
    found = filtered(student, pa.Table.from_pylist(rows, SEEDS))
    measured = [row for row in found if row["lai"] is not None]
    assert student.calls == [len(measured)] and len(measured) < 10
    assert {row["reason"] for row in found if row["lai"] is None} == {"in de, not en"}


def test_batches_change_nothing_but_the_calls() -> None:
    whole, parts = Student(), Student()
    assert filtered(whole) == filtered(parts, batch=8)
    assert (whole.calls, parts.calls) == ([20], [8, 8, 4])


def test_a_played_student_is_surer_of_what_it_knows_and_differs_by_its_slope() -> None:
    score = played_deficits("slope-0.5-mean-0.6")
    asked = [Asked(f"How much is {n} and {n}?", "en", "ar") for n in range(20)]
    deficits = score(asked)
    rates = [pass_rate("slope-0.5-mean-0.6", one.question, "en") for one in asked]
    assert [one.lai for one in deficits] == pytest.approx([0.7 - 0.65 * r for r in rates])
    assert [one.lsi for one in deficits] == pytest.approx([0.5 * r for r in rates])
    [english] = score([Asked("How much is it?", "en")])
    assert (english.lsi, english.reason) == (None, None)
