"""Plain English for metrics, languages and settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tasks.languages import HELD_OUT, LANGUAGES, TRAINED

AGGREGATES = {"mean": "mean of targets", "median": "median of targets", "pooled": "pooled items"}


@dataclass(frozen=True)
class Metric:
    """How a metric is called and in which unit it is written."""

    title: str
    unit: str  # percent | ratio | count
    meaning: str


METRICS = {
    "target_accuracy": Metric("Target accuracy", "percent", "mean score in the target language"),
    "source_accuracy": Metric("Source accuracy", "percent", "mean score in the source language"),
    "xlt_gap": Metric("Gap", "percent", "source accuracy − target accuracy"),
    "hat": Metric("HAT", "ratio", "transfer score as published; noisy sources lower it"),
    "hat_corrected": Metric(
        "HAT, corrected", "ratio", "the transfer score without the noise of the source samples"
    ),
    "hat_chance_corrected": Metric(
        "HAT, chance-corrected", "ratio", "the same after lucky guesses are taken out"
    ),
    "hat_integral": Metric("HAT, integral", "ratio", "twice the area below a curved profile"),
    "hat_parsed": Metric("HAT, readable answers", "ratio", "corrected, of readable answers only"),
    "transfer_conditional": Metric(
        "Right given source right", "percent", "P(target right | source right)"
    ),
    "transfer_joint": Metric("Both right", "percent", "P(source and target right)"),
    "ratio_of_means": Metric("Ratio of accuracies", "ratio", "target / source accuracy"),
    "profile_curvature": Metric(
        "Profile curvature", "ratio", "0 where the profile is a line through the origin"
    ),
    "r2_coupling": Metric("R² of source and target", "ratio", "over models and targets"),
}


def metric(name: str) -> Metric:
    """The words for a metric; one that has none is shown under its own name."""
    return METRICS.get(name) or Metric(name.replace("_", " "), "ratio", "")


def language_name(code: str | None) -> str:
    """The English name of a language, or what else a score was taken over."""
    if code is None:
        return "–"
    if code in LANGUAGES:
        return LANGUAGES[code].name
    return AGGREGATES.get(code, code)


class Split(NamedTuple):
    """The languages that were trained, and what they and the others are called."""

    trained: tuple[str, ...]
    words: tuple[str, str] = ("trained", "held out")

    def role(self, code: str) -> str:
        """What a language is called."""
        return self.words[code not in self.trained]


# Where nothing was trained.
PLANNED = Split(TRAINED, ("the method's languages", "held out by it"))


def in_order(codes: Iterable[str], trained: Collection[str] = ()) -> list[str]:
    """Languages with the trained ones first, each group as the package lists them."""
    known = [*TRAINED, *HELD_OUT, *LANGUAGES]
    present = set(codes)
    ordered = [code for code in dict.fromkeys([*known, *sorted(present)]) if code in present]
    return sorted(ordered, key=lambda code: code not in trained)
