"""The models and benchmarks of a report over models, in the order of the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tasks.reporting.comparison.content import ModelsReport
from tasks.reporting.comparison.statements import Statement, read_statements
from tasks.reporting.figures import Look, look
from tasks.reporting.names import in_order
from tasks.reporting.scores import Score, Scores, read_scores
from tasks.scoring.metrics import NO_OPTIONS
from tasks.scoring.model_facts import ModelFacts
from tasks.untrusted import clean

# The score to compare: the first of these that any model has a mean of.
MAIN = ("hat_chance_corrected", "hat_corrected", "hat", "target_accuracy")
_VARIANT = " with"  # "mgsm without flagged items" is another look at "mgsm"
_LONGEST = 30


class Model(NamedTuple):
    """A model, and how it is told from the others."""

    number: int  # from 1, in the order of the page
    name: str
    facts: ModelFacts
    style: Look  # that of its family

    @property
    def label(self) -> str:
        """Number and name, the name's middle left out where it is long."""
        return f"{self.number} {abridged(self.name)}"


def abridged(text: str, longest: int = _LONGEST) -> str:
    """The text cleaned, with its middle left out where it is long."""
    text = clean(text).replace("\n", " ")
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}…{text[-half:]}"


@dataclass(frozen=True)
class Comparison:
    """What a report over models shows."""

    scores: Scores
    models: list[Model]
    statements: list[Statement]
    without_scores: list[str]  # models with facts and no scores

    @cached_property
    def benchmarks(self) -> list[str]:
        """The benchmarks, each followed by its variants."""
        given = self.scores.benchmarks
        return sorted(given, key=lambda name: (given.index(self.original(name)), given.index(name)))

    def original(self, benchmark: str) -> str:
        """The benchmark of which this is a variant without some items; itself where it is none."""
        known = self.scores.benchmarks
        return next((b for b in known if benchmark.startswith(b + _VARIANT)), benchmark)

    def main(self, benchmark: str) -> str:
        """The score to compare on a benchmark."""
        return next((name for name in MAIN if self.any_mean(benchmark, name)), MAIN[-1])

    def any_mean(self, benchmark: str, name: str) -> bool:
        """Whether any model has a mean of a metric over targets."""
        found = (self.find(model, benchmark, "mean", name) for model in self.models)
        return any(score is not None and score.value is not None for score in found)

    def has_mean(self, benchmark: str, name: str) -> bool:
        """Whether there are rows for a metric's mean over targets, defined or not.

        A metric of multiple choice is none of other benchmarks.
        """
        rows = [self.find(model, benchmark, "mean", name) for model in self.models]
        return any(row for row in rows if row and row.note != NO_OPTIONS)

    def languages(self, benchmark: str, name: str) -> list[str]:
        """The target languages of a benchmark for which there are rows of a metric."""
        return in_order(self.scores.targets(benchmark, name))

    def find(self, model: Model, benchmark: str, target: str, name: str) -> Score | None:
        """A model's own row of a metric."""
        return self.scores.find(model.name, benchmark, target, name)

    def said(self, analysis: str, benchmark: str, name: str, group: str) -> Statement | None:
        """The statement of a group; None where there is none."""
        key = (analysis, benchmark, name, group)
        return next((s for s in self.statements if s[:4] == key), None)


def compared(report: ModelsReport) -> Comparison:
    """The report's models and what was scored of them."""
    scores = read_scores(report.scores)
    scored = dict.fromkeys(row.model for row in scores.rows)
    facts = {fact.name: fact for fact in report.models}
    names = [*(name for name in facts if name in scored), *(n for n in scored if n not in facts)]
    known = [facts.get(name, ModelFacts(name)) for name in names]
    return Comparison(
        scores,
        _styled(known),
        read_statements(report.analyses),
        [name for name in facts if name not in scored],
    )


def _styled(known: list[ModelFacts]) -> list[Model]:
    """Numbered models; those of one family look alike."""
    families = list(dict.fromkeys(fact.family for fact in known))
    return [
        Model(place, fact.name, fact, look(1 + families.index(fact.family)))
        for place, fact in enumerate(known, 1)
    ]
