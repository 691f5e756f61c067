"""Seeds out of Nemotron's rows: question, reasoning and answer, and what cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.artifacts.schemas import SEEDS
from tasks.benchmarks import read_seeds, seeds_revision
from tasks.errors import BadInput
from tests.benchmarks.test_nemotron import row, written

SOLVED = "The area is pi times the radius squared.\n\n\\boxed{4\\pi}"


def folder(path: Path, *, stem: int = 4, math: int = 4, chat: int = 4) -> str:
    said = {
        "stem": (stem, "Plants need carbon to make sugar. \\boxed{B}"),
        "math": (math, SOLVED),
        "chat": (chat, "<think>A short greeting is wanted here.</think>\nHello there!"),
    }
    for name, (count, reply) in said.items():
        rows = [
            row(f"{name}{n}", f"What is question {n} about?", reply, name) for n in range(count)
        ]
        written(path, name, *rows)
    return path.as_uri()


def test_categories_come_in_turn_behind_those_that_are_skipped(tmp_path: Path) -> None:
    found = read_seeds(folder(tmp_path), 7, skip=1)
    assert found.table.schema == SEEDS and not found.left_out
    ids = found.table.column("seed_id").to_pylist()
    assert ids == [f"nemotron-{name}" for name in
                   ("stem1", "math1", "chat1", "stem2", "math2", "chat2", "stem3")]  # fmt: skip
    assert seeds_revision(tmp_path.as_uri()) == seeds_revision(tmp_path.as_uri())


def test_reasoning_and_answer_are_told_apart(tmp_path: Path) -> None:
    stem, math, chat = read_seeds(folder(tmp_path), 3).table.to_pylist()
    assert (stem["reasoning"], stem["answer"]) == ("Plants need carbon to make sugar.", "B")
    assert (math["reasoning"], math["answer"]) == (
        "The area is pi times the radius squared.", "4\\pi",
    )  # fmt: skip
    assert (chat["reasoning"], chat["answer"]) == (
        "A short greeting is wanted here.", "Hello there!",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "reply", "reason"),
    [
        ("What is the area?", "It is four pi.", "math: no reasoning"),
        ("What is the area?", "\\boxed{4}", "math: no reasoning"),
        ("", SOLVED, "math: no question"),
        ("Wie groß ist die Fläche des Kreises, der den Radius zwei hat?", SOLVED,
         "math: not in English"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_seed_is_counted(
    tmp_path: Path, question: str, reply: str, reason: str
) -> None:
    source = folder(tmp_path)
    good = [row(f"m{n}", f"What is question {n} about?", SOLVED, "math") for n in range(2)]
    written(tmp_path, "math", row("bad", question, reply, "math"), *good)
    found = read_seeds(source, 6)
    assert found.left_out == {reason: 1}
    assert "nemotron-bad" not in found.table.column("seed_id").to_pylist()


def test_a_thought_is_the_reasoning_where_nothing_else_stands_before_the_box(
    tmp_path: Path,
) -> None:
    source = folder(tmp_path)
    reply = "<think>Two squared is four.</think>\\boxed{4}"
    written(tmp_path, "math", row("m", "What is two squared?", reply, "math"))
    assert read_seeds(source, 2).table.to_pylist()[1]["reasoning"] == "Two squared is four."


def test_a_data_set_is_not_taken_whole_and_not_stretched(tmp_path: Path) -> None:
    source = folder(tmp_path, math=2)
    with pytest.raises(BadInput, match="say how many with seed_rows"):
        read_seeds(source)
    with pytest.raises(BadInput, match="has 6 usable seeds, not 9; lower seed_rows"):
        read_seeds(source, 9)
