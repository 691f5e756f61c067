"""Students x methods x seeds x rounds, and what each of these is called.

A name says only what differs within the recipe: with one student, one trained method, one seed and
one round there are just "base" and "student".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.methods import Method


@dataclass(frozen=True)
class Variant:
    """One evaluated model; a model that is not trained has neither seed nor round."""

    label: str  # in scores: the column `model`
    student: str  # name of the student
    method: str
    seed: int | None
    round: int | None  # from 1


@dataclass(frozen=True)
class Grid:
    """What a recipe multiplies."""

    students: tuple[str, ...]
    methods: tuple[Method, ...]
    seeds: tuple[int, ...]
    rounds: int  # of methods that train a generator; others have one

    def variants(self) -> Iterator[Variant]:
        """Every evaluated model, those of a student together, its untouched self first."""
        for student in self.students:
            for method in sorted(self.methods, key=lambda one: one.trains):
                if not method.trains:
                    yield Variant(self.name(student, method.name), student, method.name, None, None)
                    continue
                for seed in self.seeds:
                    for number in range(1, self.rounds_of(method) + 1):
                        label = self.label(student, method.name, seed, number)
                        yield Variant(label, student, method.name, seed, number)

    def rounds_of(self, method: Method) -> int:
        """How often a method is repeated on the student that it gave."""
        return self.rounds if method.questions == "generator" else 1

    def label(self, student: str, what: str, seed: int, number: int, alone: str = "student") -> str:
        """A name of the parts that differ; `alone` where none does. `what` is a method's name."""
        several = sum(method.trains for method in self.methods) > 1
        parts = [
            student if len(self.students) > 1 else "",
            what if several else "",
            f"s{seed}" if len(self.seeds) > 1 else "",
            f"r{number}" if self.rounds > 1 else "",
        ]
        return ".".join(part for part in parts if part) or alone

    def name(self, student: str, what: str) -> str:
        """The same of what has neither seed nor round."""
        return ".".join([*([student] if len(self.students) > 1 else []), what])


def pairs(variants: Sequence[Variant]) -> Iterator[tuple[str, str]]:
    """What is compared: each with its base, HOTFIXR with every other method, a round with its last.

    Of the same student and, where both have them, the same seed and round.
    """
    for one in variants:
        for other in variants:
            if one.student != other.student or one == other:
                continue
            if other.method == "base" or _rival(one, other) or _next_round(one, other):
                yield one.label, other.label


def _rival(one: Variant, other: Variant) -> bool:
    if one.method != "hotfixr" or other.method in {"hotfixr", "base"}:
        return False
    return other.seed in {None, one.seed} and other.round in {None, one.round}


def _next_round(one: Variant, other: Variant) -> bool:
    if one.round is None or other.round is None or one.method != other.method:
        return False
    return one.seed == other.seed and one.round == other.round + 1
