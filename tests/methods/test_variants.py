"""What students x methods x seeds x rounds are called, and what is compared with what."""

from __future__ import annotations

import pytest

from tasks.errors import BadInput
from tasks.methods import ALL_REWARDS, METHODS, method_named
from tasks.methods.variants import Grid, pairs


def grid(
    *methods: str,
    students: tuple[str, ...] = ("student",),
    seeds: tuple[int, ...] = (0,),
    rounds: int = 1,
) -> Grid:
    return Grid(students, tuple(METHODS[name] for name in methods), seeds, rounds)


def labels(of: Grid) -> list[str]:
    return [one.label for one in of.variants()]


def test_a_name_says_only_what_differs() -> None:
    assert labels(grid("base", "hotfixr")) == ["base", "student"]
    assert labels(grid("base", "hotfixr", "untrained")) == ["base", "hotfixr", "untrained"]
    assert labels(grid("base", "hotfixr", seeds=(1, 2))) == ["base", "s1", "s2"]
    assert labels(grid("base", "hotfixr", rounds=2)) == ["base", "r1", "r2"]
    two = grid("base", "hotfixr", students=("big", "small"))
    assert labels(two) == ["big.base", "big", "small.base", "small"]


def test_only_methods_that_train_a_generator_have_rounds() -> None:
    found = labels(grid("base", "selection-gt", "hotfixr", rounds=2, seeds=(1, 2)))
    assert found == [
        "base", "selection-gt.s1.r1", "selection-gt.s2.r1", "hotfixr.s1.r1", "hotfixr.s1.r2",
        "hotfixr.s2.r1", "hotfixr.s2.r2",
    ]  # fmt: skip


def test_labels_are_distinct_in_every_grid() -> None:
    for students in (("a",), ("a", "b")):
        for seeds in ((0,), (0, 1)):
            for rounds in (1, 3):
                found = labels(grid(*METHODS, students=students, seeds=seeds, rounds=rounds))
                assert len(set(found)) == len(found)


def test_each_is_compared_with_its_base_hotfixr_with_all_and_rounds_with_the_last() -> None:
    variants = list(grid("base", "eng-reason", "untrained", "hotfixr", rounds=2).variants())
    assert set(pairs(variants)) == {
        ("eng-reason", "base"), ("untrained.r1", "base"), ("hotfixr.r1", "base"),
        ("hotfixr.r2", "base"), ("hotfixr.r1", "eng-reason"), ("hotfixr.r2", "eng-reason"),
        ("hotfixr.r1", "untrained.r1"), ("hotfixr.r2", "hotfixr.r1"),
    }  # fmt: skip


def test_students_and_seeds_are_never_compared_across() -> None:
    variants = list(
        grid("base", "untrained", "hotfixr", students=("a", "b"), seeds=(1, 2)).variants()
    )
    for one, other in pairs(variants):
        assert one[0] == other[0]
        if not other.endswith("base"):
            assert one.endswith(other[-2:])


def test_the_table_of_methods_is_whole() -> None:
    for method in METHODS.values():
        assert method.trains == (method.labels is not None)
        assert bool(method.rewards) == (method.questions == "generator")
        assert set(method.rewards) <= set(ALL_REWARDS)
    rewarded = [method.rewards for method in METHODS.values() if method.rewards]
    assert len(set(rewarded)) == len(rewarded)
    with pytest.raises(BadInput, match="'hotfix' is not known; write one of base, eng-reason"):
        method_named("hotfix")
