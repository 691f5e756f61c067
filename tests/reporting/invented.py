"""An invented report: two models, four benchmarks, ten languages, all parts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import (
    LABELS,
    PROFILES,
    QUESTIONS,
    ROLLOUTS,
    SCORES,
    TRAINING_LOG,
    VALIDITY,
)
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED
from tasks.reporting import Report
from tasks.scoring.validity import UNINFORMATIVE

BENCHMARKS = ("facts", "numbers", "reading", "translation")
TARGETS = (*TRAINED[1:], *HELD_OUT)
SETTINGS: dict[str, Any] = {
    "student": "hf:example/student-270m@0123abc",
    "generator": "",
    "teacher": "hf:example/teacher-4b@4567def",
    "methods": ["base", "hotfixr"],
    "machine": {"engine": "transformers", "dtype": "bfloat16", "device": "cuda"},
    "form": "completion",
    "seed": 0,
    "languages": [*TRAINED, *HELD_OUT],
    "evaluation": {"samples": 10, "temperature": 1.0, "few_shot": 3},
    "scoring": {"source": "en", "resamples": 1000, "seed": 0},
}
WORDS = {
    "en": "A train leaves at nine and needs 45 minutes. When does it arrive?",
    "fr": "Un train part à neuf heures et met 45 minutes. À quelle heure arrive-t-il ?",
    "es": "Un tren sale a las nueve y tarda 45 minutos. ¿A qué hora llega?",
    "ar": "ينطلق قطار في الساعة التاسعة ويحتاج إلى 45 دقيقة. متى يصل؟",
    "pt": "Um trem parte às nove e leva 45 minutos. A que horas chega?",
    "it": "Un treno parte alle nove e impiega 45 minuti. A che ora arriva?",
}
VALID: list[dict[str, Any]] = [
    {"measure": "lai_auroc", "benchmark": None, "language": None, "value": 0.62, "low": 0.55,
     "high": 0.69, "n_items": 70, "n_questions": 410, "n_unmeasured": 10, "note": None},
    {"measure": "lai_auroc", "benchmark": "facts", "language": None, "value": 0.58, "low": 0.47,
     "high": 0.69, "n_items": 30, "n_questions": 180, "n_unmeasured": 0, "note": UNINFORMATIVE},
    {"measure": "lsi_spearman", "benchmark": None, "language": None, "value": 0.04, "low": -0.1,
     "high": 0.18, "n_items": 64, "n_questions": 300, "n_unmeasured": 50, "note": UNINFORMATIVE},
    {"measure": "lsi_spearman", "benchmark": None, "language": "ar", "value": None, "low": None,
     "high": None, "n_items": 2, "n_questions": 2, "n_unmeasured": 68,
     "note": "fewer than 3 items were measured"},
]  # fmt: skip


def score_row(**given: Any) -> dict[str, Any]:
    """A row of SCORES with what is not given filled in."""
    row: dict[str, Any] = dict.fromkeys(SCORES.names)
    row |= {"model": "base", "benchmark": "facts", "source": "en", "target": "de"}
    row |= {"metric": "hat", "n_items": 200, "n_samples": 10, "coverage": 0.99}
    return row | {"temperature": 1.0} | given


def report_of(scores: list[dict[str, Any]], **given: Any) -> Report:
    """A report of some rows of SCORES and nothing else."""
    tables = {
        "settings": SETTINGS,
        "scores": pa.Table.from_pylist(scores, schema=SCORES),
        "profiles": PROFILES.empty_table(),
        "notes": [],
    }
    return Report(**tables | given)


def questions(rows: list[dict[str, Any]]) -> pa.Table:
    """A QUESTIONS table."""
    return pa.Table.from_pylist([dict.fromkeys(QUESTIONS.names) | r for r in rows], QUESTIONS)


@cache
def invented() -> Report:
    """Everything that a report can hold, always the same."""
    chance = random.Random(7)
    return Report(
        settings=SETTINGS,
        scores=pa.Table.from_pylist(list(_scores(chance)), schema=SCORES),
        profiles=pa.Table.from_pylist(list(_profiles(chance)), schema=PROFILES),
        notes=["reading: 3 items were left out because their source text is missing."],
        validity=pa.Table.from_pylist(VALID, schema=VALIDITY),
        generator_log=pa.Table.from_pylist(list(_generator_log(chance)), schema=TRAINING_LOG),
        rollouts=pa.Table.from_pylist(list(_rollouts(chance)), schema=ROLLOUTS),
        questions=questions(list(_questions(chance))),
        labels=pa.Table.from_pylist(list(_labels(chance)), schema=LABELS),
        student_log=pa.Table.from_pylist(list(_student_log(chance)), schema=TRAINING_LOG),
    )


def _scores(chance: random.Random) -> Iterator[dict[str, Any]]:
    for benchmark in BENCHMARKS:
        metrics = ["source_accuracy", "target_accuracy", "hat", "hat_corrected"]
        metrics += ["hat_chance_corrected"] if benchmark == "facts" else []
        for metric in metrics:
            for target in (*TARGETS, "mean"):
                yield from _cells(chance, benchmark, metric, target)
        for metric in ("range", "std", "range_noise_floor", "std_noise_floor"):
            for model in ("base", "student"):
                value = chance.uniform(0.02, 0.2)
                yield score_row(
                    model=model, benchmark=benchmark, target="mean", metric=metric, value=value
                )


def _cells(
    chance: random.Random, benchmark: str, metric: str, target: str
) -> Iterator[dict[str, Any]]:
    values = {}
    defined = 8 if benchmark == "numbers" and metric.startswith("hat") else 9
    for model in ("base", "student"):
        shared = {"model": model, "benchmark": benchmark, "target": target, "metric": metric}
        shared["n_targets"] = defined if target == "mean" else None
        shared["coverage"] = chance.uniform(0.93, 1.0)
        if benchmark == "numbers" and target == "ar" and metric.startswith("hat"):
            yield score_row(**shared, note="too few source passes")
            continue
        value = min(chance.uniform(0.35, 0.8) + 0.06 * (model == "student"), 1.1)
        values[model] = value
        yield score_row(
            **shared,
            value=value,
            low=value - chance.uniform(0.02, 0.06),
            high=value + chance.uniform(0.02, 0.06),
            interval="bootstrap",
        )
    if len(values) == 2 and metric != "source_accuracy":
        gain = values["student"] - values["base"]
        shared = {"model": "student", "baseline": "base", "benchmark": benchmark}
        shared |= {"target": target, "metric": metric, "interval": "bootstrap"}
        shared["n_targets"] = 9 if target == "mean" else None
        yield score_row(**shared, value=gain, low=gain - 0.05, high=gain + 0.05)


def _profiles(chance: random.Random) -> Iterator[dict[str, Any]]:
    for benchmark in BENCHMARKS:
        for model in ("base", "student"):
            for target in TARGETS:
                slope = chance.uniform(0.5, 0.95)
                for k in range(11):
                    rate = min(max(slope * k / 10 + chance.gauss(0, 0.05), 0.0), 1.0)
                    yield {
                        "model": model,
                        "benchmark": benchmark,
                        "source": "en",
                        "target": target,
                        "source_rate": k / 10,
                        "target_rate": rate,
                        "n_items": chance.randint(5, 60),
                    }


def _generator_log(chance: random.Random) -> Iterator[dict[str, Any]]:
    for step in range(1, 42):
        for metric, start, end in (
            ("format", 0.6, 0.97),
            ("lai", 0.2, 0.34),
            ("lsi", 0.12, 0.2),
            ("lsi_null", 0.1, 0.11),
        ):
            level = end + (start - end) * math.exp(-step / 12)
            for code in (None, *TRAINED):
                value = level + chance.gauss(0, 0.02 if code else 0.008)
                yield {"step": step, "metric": metric, "language": code, "value": value}


def _student_log(chance: random.Random) -> Iterator[dict[str, Any]]:
    for step in range(1, 121):
        value = 0.8 + 1.4 * math.exp(-step / 30) + chance.gauss(0, 0.03)
        yield {"step": step, "metric": "loss", "language": None, "value": value}


def _rollouts(chance: random.Random) -> Iterator[dict[str, Any]]:
    for place in range(96):
        refused = chance.random() < 0.2
        yield {
            "step": place // 48,
            "seed_id": f"s{place}",
            "language": TRAINED[place % len(TRAINED)],
            "completion": "<question>…</question>",
            "format": 1.0,
            "reason": "near-duplicate of another question" if refused else None,
        }


def _questions(chance: random.Random) -> Iterator[dict[str, Any]]:
    for place in range(210):
        code = TRAINED[place % len(TRAINED)]
        parsed, kept = chance.random() < 0.9, chance.random() < 0.8
        reason = None if kept else chance.choice(["in en, not fr", "question too long"])
        yield {
            "question_id": f"q{place}",
            "seed_id": f"s{place}",
            "language": code,
            "domain": "math",
            "text": f"<question>{WORDS[code]}",
            "parsed": parsed,
            "question": WORDS[code] if parsed else None,
            "reasoning": LANGUAGES[code].reasoning_word if parsed else None,
            "answer": "9:45" if parsed else None,
            "kept": parsed and kept,
            "reason": reason if parsed else "no closing answer tag",
        }


def _labels(chance: random.Random) -> Iterator[dict[str, Any]]:
    for place in range(150):
        code = TRAINED[place % len(TRAINED)]
        agreement = chance.choice([0.25, 0.5, 0.75, 1.0, 1.0])
        yield {
            "question_id": f"q{place}",
            "language": code,
            "domain": "math",
            "question": WORDS[code],
            "reasoning": "9:00 + 0:45 = 9:45",
            "answer": "9:45",
            "answers": ["9:45", "9:45", "10:45", "9:45"],
            "agreement": agreement,
            "kept": agreement >= 0.5,
            "reason": None if agreement >= 0.5 else "agreement below 0.5",
        }
