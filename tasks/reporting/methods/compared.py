"""Students, methods and seeds of a report, and the numbers of single students."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tasks.methods import ALL_REWARDS, METHODS, Method
from tasks.methods.variants import Variant
from tasks.reporting.methods.content import MethodsReport
from tasks.reporting.methods.estimates import Cell, Estimate, mean, over_seeds
from tasks.reporting.methods.paper_tasks import MEASURED, Measured
from tasks.reporting.methods.published import paper_student, paper_students
from tasks.reporting.names import NOISE_FLOOR, in_order, is_language
from tasks.reporting.scores import Score, Scores, read_scores
from tasks.scoring.repeats import Repeats

LEVEL = "target_accuracy"
SOURCE_LEVEL = "source_accuracy"
BASE, HOTFIXR = "base", "hotfixr"
NOT_RUN = "not run"

Quantity = Callable[[Variant, str], Estimate | None]  # of a benchmark; None: it has no such number


class Asked(NamedTuple):
    """The languages of a benchmark."""

    targets: tuple[str, ...]
    source: str | None  # of all its items


@dataclass(frozen=True)
class Grid:
    """What was compared."""

    scores: Scores
    repeats: Repeats
    variants: tuple[Variant, ...]
    references: dict[str, str]  # student -> its model

    @property
    def students(self) -> list[str]:
        """Their names, as the recipe lists them."""
        return list(self.references)

    @property
    def methods(self) -> list[Method]:
        """What was run, in the order of the table of methods."""
        run = {one.method for one in self.variants}
        return [method for method in METHODS.values() if method.name in run]

    @cached_property
    def paper_names(self) -> dict[str, str | None]:
        """Student -> what the paper calls it."""
        return {name: paper_student(model) for name, model in self.references.items()}

    @property
    def are_the_papers(self) -> bool:
        """Whether the students are the paper's, so that means over them can be compared."""
        return sorted(map(str, self.paper_names.values())) == sorted(paper_students())

    def benchmarks(self, task: str) -> list[Measured]:
        """The benchmarks of the run that stand for a task."""
        known = self.scores.benchmarks
        return [row for row in MEASURED if row.task == task and row.benchmark in known]

    @cached_property
    def without_task(self) -> list[str]:
        """Benchmarks that stand for none of the paper's tasks, or leave some items out."""
        known = {row.benchmark for row in MEASURED}
        return [name for name in self.scores.benchmarks if name not in known]

    def differs(self, tasks: Sequence[str]) -> str:
        """In what our numbers of some tasks are others than the paper's."""
        rows = [row for task in tasks for row in self.benchmarks(task)]
        absent = [f"without {task}" for task in tasks if not self.benchmarks(task)]
        told = [text for row in rows if (text := self.differs_of(row))]
        return "; ".join(dict.fromkeys([*told, *absent]))

    def differs_of(self, measured: Measured) -> str:
        """In what our numbers of a benchmark are others than the paper's."""
        elsewhere = measured.elsewhere(self.languages(measured.benchmark))
        return "; ".join(part for part in (measured.differs, elsewhere) if part)

    def seeds(self, student: str, method: str, number: int = 1) -> list[Variant]:
        """The variants of a method after a round, one per training seed."""
        return [
            one
            for one in self.variants
            if one.student == student and one.method == method and one.round in {None, number}
        ]

    def other(self, variant: Variant, method: str, number: int | None = None) -> Variant | None:
        """The variant of another method (or round) that one is compared with."""
        number = variant.round if number is None else number
        found = self.seeds(variant.student, method, number or 1)
        return next((one for one in found if one.seed in {None, variant.seed}), None)

    @cached_property
    def _asked(self) -> dict[str, Asked]:
        """Benchmark -> the languages in which it was asked."""
        targets: dict[str, set[str]] = defaultdict(set)
        sources: dict[str, set[str | None]] = defaultdict(set)
        for row in self.scores.rows:
            if row.metric == LEVEL and is_language(row.target):
                targets[row.benchmark].add(row.target)
                sources[row.benchmark].add(row.source)  # what is beside grades states none
        return {
            name: Asked(
                tuple(sorted(targets[name])),
                next(iter(sources[name])) if len(sources[name]) == 1 else None,
            )
            for name in self.scores.benchmarks
        }

    def languages(self, benchmark: str) -> list[str]:
        """The languages of a benchmark, its source among them."""
        targets, source = self._asked[benchmark]
        return in_order([*targets, *([source] if source else [])])

    def targets(self, benchmark: str) -> tuple[str, ...]:
        """The target languages of a benchmark."""
        return self._asked[benchmark].targets

    def source(self, benchmark: str) -> str | None:
        """The source language of all items of a benchmark."""
        return self._asked[benchmark].source

    def level(self, variant: Variant, benchmark: str, target: str = "mean") -> Estimate | None:
        """Accuracy in a language, or its mean over target languages."""
        asked = self._asked[benchmark]
        where, name = target, LEVEL
        if target == asked.source and target not in asked.targets:
            where, name = "mean", SOURCE_LEVEL  # which is said beside every target
        found = self.scores.find(variant.label, benchmark, where, name)
        repeats = self._repeats(variant, benchmark, target)
        return None if found is None else _estimate(found, 100.0, repeats)

    def spread(self, variant: Variant, benchmark: str, name: str) -> Estimate | None:
        """How far languages lie apart; its note says what noise alone comes to."""
        find = self.scores.find
        found = find(variant.label, benchmark, "all", name)
        if found is None:
            return None
        return _estimate(found, 1.0 if name == "cv" else 100.0)

    def noise(self, variant: Variant, benchmark: str, name: str) -> Estimate | None:
        """What a spread comes to when the languages of each question are shuffled."""
        return self.spread(variant, benchmark, name + NOISE_FLOOR) if name != "cv" else None

    def change(
        self,
        variant: Variant,
        other: Variant | None,
        benchmark: str,
        target: str = "mean",
        name: str = LEVEL,
    ) -> Estimate | None:
        """A student minus another, from the same resamples of the same items."""
        if other is None:
            return Estimate(note=NOT_RUN)
        found = self.scores.find(variant.label, benchmark, target, name, other.label)
        return None if found is None else _estimate(found, 100.0)

    def of_method(self, method: str) -> list[Variant]:
        """All variants of a method."""
        return [one for one in self.variants if one.method == method]

    def has_round(self, method: str, number: int) -> bool:
        """Whether a method was repeated so often."""
        return any(one.round == number for one in self.of_method(method))

    def only(self, benchmark: str) -> Quantity:
        """The level on one benchmark, and on no other of its task."""
        return lambda variant, asked: self.level(variant, asked) if asked == benchmark else None

    def cell(
        self, method: str, tasks: Sequence[str], quantity: Quantity, students: Sequence[str] = ()
    ) -> Cell:
        """A number of a method: mean over benchmarks, then tasks, then students, then seeds."""
        students = students or self.students
        per_student = [self.seeds(student, method) for student in students]
        if not all(per_student):
            return Cell(note=NOT_RUN)
        asked = [task for task in tasks if self.benchmarks(task)]
        if not asked:
            return Cell(note=not_asked(tasks))
        found = [
            mean([self._of_tasks(variant, asked, quantity) for variant in seed], same_items=True)
            for seed in zip(*per_student, strict=True)
        ]
        cell = over_seeds(found)
        return cell if per_student[0][0].seed is not None else cell._replace(n_seed=None)

    def _of_tasks(self, variant: Variant, tasks: Sequence[str], quantity: Quantity) -> Estimate:
        """The mean over the tasks that have the quantity."""
        found = []
        for task in tasks:
            known = [quantity(variant, row.benchmark) for row in self.benchmarks(task)]
            if given := [one for one in known if one is not None]:
                found.append(mean(given))
        return mean(found)

    def _repeats(self, variant: Variant, benchmark: str, target: str) -> tuple[float, ...]:
        """Each evaluation's level."""
        codes = self._asked[benchmark].targets if target == "mean" else (target,)
        rows = [self.repeats.get((variant.label, benchmark, code), ()) for code in codes]
        if len({len(row) for row in rows}) != 1:
            return ()
        return tuple(100 * sum(values) / len(values) for values in zip(*rows, strict=True))


def _estimate(score: Score, factor: float, repeats: tuple[float, ...] = ()) -> Estimate:
    value, low, high = (
        None if number is None else factor * number
        for number in (score.value, score.low, score.high)
    )
    return Estimate(
        value, low, high, score.n_items, score.n_samples, score.coverage, repeats, score.note or ""
    )


def compared(report: MethodsReport) -> Grid:
    """The grid of a report."""
    return Grid(read_scores(report.scores), report.repeats, tuple(report.variants), report.students)


def not_asked(tasks: Sequence[str]) -> str:
    """Why there is nothing of some tasks."""
    return f"no {' or '.join(tasks)} asked"


def is_ablation(method: Method) -> bool:
    """Whether a method is HOTFIXR without some of its rewards."""
    return method.questions == "generator" and method.rewards != ALL_REWARDS


def main_methods() -> list[Method]:
    """The methods of the paper's main tables."""
    return [method for method in METHODS.values() if not is_ablation(method)]


def ablations() -> list[Method]:
    """The rewards that are added one by one, HOTFIXR last."""
    return [*filter(is_ablation, METHODS.values()), METHODS[HOTFIXR]]
