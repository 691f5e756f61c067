"""A judge's check stands beside the scores it gave, and a bad one is called so."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.scoring.judges import judge_notes

SOUND = {"blank": (5, 0, 0), "shuffled": (20, 1, 0), "gold": (20, 19, 0)}


def facts(cases: dict[str, tuple[int, int, int]], votes: int = 1) -> dict[str, Any]:
    counts = {
        name: dict(zip(("asked", "accepted", "unparsed"), count, strict=True))
        for name, count in cases.items()
    }
    return {"model": "endpoint:lab/j", "scale": "yes-no", "votes": votes, "counts": counts}


def notes(**cells: dict[str, tuple[int, int, int]]) -> list[str]:
    return list(judge_notes({f"m/eclektic/{code}": facts(cases) for code, cases in cells.items()}))


def test_a_sound_judge_is_told_in_one_note() -> None:
    assert notes(de=SOUND, ko=SOUND) == [
        "eclektic: judged by endpoint:lab/j (yes-no), which accepts 0 of 10 blanks, 2 of 40 other "
        "items' golds, 38 of 40 golds"
    ]


@pytest.mark.parametrize(
    ("case", "count", "said"),
    [
        ("blank", (5, 1, 0), "it accepts 1 of 5 blanks"),
        ("shuffled", (20, 2, 0), "it accepts 2 of 20 other items' golds"),
        ("wrong letter", (20, 5, 0), "it accepts 5 of 20 wrong letters"),
        ("gold", (20, 18, 2), "it accepts 18 of 20 golds"),
    ],
)
def test_what_makes_a_judge_doubtful_has_a_note_of_its_own(
    case: str, count: tuple[int, int, int], said: str
) -> None:
    _, doubt = notes(de=SOUND | {case: count})
    assert doubt == f"eclektic: endpoint:lab/j (yes-no) is no sound judge in all languages: {said}"


def test_one_bad_language_among_good_ones_is_named() -> None:
    others = dict.fromkeys(("ko", "fr", "ja", "hi"), SOUND | {"shuffled": (20, 0, 0)})
    _, doubt = notes(de=SOUND | {"shuffled": (20, 3, 0)}, **others)
    assert "in de: it accepts 3 of 20" in doubt


def test_models_share_a_check_and_are_told_apart_in_what_could_not_be_read() -> None:
    judged = {
        "base/eclektic/de": facts(SOUND | {"answer": (40, 10, 3)}),
        "base/eclektic/ko": facts(SOUND | {"answer": (40, 10, 2)}),
        "student/eclektic/de": facts(SOUND | {"answer": (40, 30, 0)}),
    }
    first, *rest = judge_notes(judged)
    assert "0 of 10 blanks" in first
    assert rest == [
        "eclektic: base: the verdict of endpoint:lab/j (yes-no) could not be read for 5 of 80 "
        "answers, which lowers the coverage"
    ]


def test_votes_are_named() -> None:
    [note] = judge_notes({"m/eclektic/de": facts(SOUND, votes=5)})
    assert "(yes-no, 5 votes)" in note
