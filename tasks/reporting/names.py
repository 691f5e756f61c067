"""Plain English for metrics, languages and settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from tasks.languages import HELD_OUT, LANGUAGES, TRAINED

AGGREGATES = {
    "mean": "mean of targets",
    "median": "median of targets",
    "pooled": "pooled items",
    "trained": "trained languages",
    "held-out": "held-out languages",
}
SCRIPTS = {"same-script": "same script", "other-script": "other script"}
EVERY_LANGUAGE = "all"
NOISE_FLOOR = "_noise_floor"
MINUS = " - "  # between the two targets of a difference
SCRIPT_DIFFERENCE = "other-script - same-script"
_TARGETS = {
    **{code: row.name for code, row in LANGUAGES.items()},
    **AGGREGATES,
    **SCRIPTS,
    EVERY_LANGUAGE: "all languages",
}


@dataclass(frozen=True)
class Metric:
    """How a metric is called and in which unit it is written."""

    title: str
    unit: str  # percent | points | ratio | count
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
    "coverage": Metric("Coverage", "percent", "share of answers that could be read"),
    "accuracy_parsed": Metric("Accuracy, readable answers", "percent", "of readable answers only"),
    "majority_accuracy": Metric("Majority accuracy", "percent", "of the most frequent answer"),
    "items_without_source_pass": Metric(
        "Items without source pass", "count", "which say nothing about transfer"
    ),
    "range": Metric("best − worst", "points", ""),
    "trimmed_range": Metric("best − second worst", "points", ""),
    "std": Metric("standard deviation", "points", ""),
    "std_corrected": Metric("standard deviation without noise", "points", ""),
    "iqr": Metric("interquartile range", "points", ""),
    "cv": Metric("standard deviation / mean", "ratio", ""),
    "gain_by_coverage": Metric(
        "Gained by readable form", "percent", "part of a difference in accuracy"
    ),
    "gain_by_accuracy": Metric(
        "Gained by better answers", "percent", "the other part: of answers that could be read"
    ),
    "held_out_change": Metric("Change in held-out languages", "percent", "of target accuracy"),
    "relative_tokens": Metric("Tokens", "ratio", "of answers, over those in the source language"),
    "relative_reasoning_tokens": Metric(
        "Reasoning tokens", "ratio", "of answers, over those in the source language"
    ),
}


def metric(name: str) -> Metric:
    """The words for a metric; one that has none is shown under its own name."""
    if name.endswith(NOISE_FLOOR):
        spread = metric(name.removesuffix(NOISE_FLOOR))
        return replace(spread, title=f"{spread.title}, noise floor")
    return METRICS.get(name) or Metric(name.replace("_", " "), "ratio", "")


def language_name(code: str | None) -> str:
    """The English name of a language, or what else a score was taken over."""
    if code is None:
        return "–"
    return " − ".join(_TARGETS.get(part, part) for part in code.split(MINUS))


def is_language(target: str) -> bool:
    """Whether a score of this target is that of one language."""
    return not (target in (*AGGREGATES, *SCRIPTS, EVERY_LANGUAGE) or MINUS in target)


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
