"""What was compared, under which settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import pyarrow as pa

from tasks.languages import HELD_OUT, TRAINED
from tasks.reporting.content import Report
from tasks.reporting.names import PLANNED, Split, in_order, language_name
from tasks.reporting.scores import Scores

# Words, and where the recipe says it.
_SETTINGS = (
    ("Student", "student"),
    ("Question generator", "generator"),
    ("Teacher", "teacher"),
    ("Engine", "machine.engine"),
    ("Number format", "machine.dtype"),
    ("Device", "machine.device"),
    ("Answers per item (N)", "evaluation.samples"),
    ("Temperature", "evaluation.temperature"),
    ("Worked examples in the prompt", "evaluation.few_shot"),
    ("Seed", "seed"),
)
_THE_STUDENT = ("generator", "teacher")  # an empty reference means the student


def setting(settings: dict[str, Any], key: str) -> Any:
    """A setting by its dotted key; None where the settings have no such key."""
    found: Any = settings
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def is_simulated(settings: dict[str, Any]) -> bool:
    """Whether any answers came from a simulation instead of a model."""
    listed = [
        str(one.get("model")) for one in settings.get("models") or () if isinstance(one, dict)
    ]
    models = [str(setting(settings, "student")), *listed]
    played = any(model.startswith("simulated:") for model in models)
    return played or setting(settings, "machine.engine") == "simulated"


def split_languages(labels: pa.Table | None) -> Split:
    """The method's languages, whether or not each kept a label: held out is what is never asked."""
    return PLANNED if labels is None else Split(TRAINED)


def comparison(report: Report, scores: Scores, split: Split) -> list[tuple[str, str | None]]:
    """(words, value) of what is compared; None where the settings do not say."""
    rows: list[tuple[str, str | None]] = [("Compared", _compared(scores))]
    for words, key in _SETTINGS:
        value = setting(report.settings, key)
        if value == "" and key in _THE_STUDENT:
            value = "the student"
        rows.append((words, None if value is None else str(value)))
    learned = "Languages the method trains on" if report.labels is None else "Trained languages"
    rows.append((learned, _listed(split.trained)))
    rows.append(("Held-out languages", _listed(_held_out(scores, split.trained))))
    if report.labels is not None:
        rows.append(("Labels learned", _learned(report.labels)))
    return rows


def _learned(labels: pa.Table) -> str:
    """How many labels of each trained language were kept; a language may have none."""
    rows = labels.select(["language", "kept"]).to_pylist()
    counts = Counter(row["language"] for row in rows if row["kept"])
    return ", ".join(f"{language_name(code)} {counts[code]}" for code in TRAINED)


def _compared(scores: Scores) -> str:
    pairs = [f"{model} against {baseline}" for model, baseline in scores.pairs]
    alone = [model for model in scores.models if not any(model in pair for pair in scores.pairs)]
    return "; ".join([*pairs, *(f"{model}, by itself" for model in alone)])


def _held_out(scores: Scores, trained: Collection[str]) -> list[str]:
    targets = {
        target
        for benchmark in scores.benchmarks
        for target in scores.targets(benchmark, "target_accuracy")
    }
    return [code for code in in_order(targets or HELD_OUT, trained) if code not in trained]


def _listed(codes: Collection[str]) -> str:
    return ", ".join(language_name(code) for code in codes) or "none"
