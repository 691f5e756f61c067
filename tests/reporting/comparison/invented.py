"""Invented scores of many models: all parts of the report, any number of models and languages."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import ANALYSES, PROFILES, SCORES
from tasks.reporting import ModelsReport
from tasks.scoring.model_facts import ModelFacts
from tests.reporting.invented import score_row

LANGUAGES = (
    "fr", "es", "ar", "pt", "it", "de", "ja", "ru", "zh", "bn", "sw", "te", "th", "af",
    "cs", "hi", "hu", "id", "ko", "mr", "ne", "sr", "uk", "ur", "vi", "wo", "yo", "zu",
)  # fmt: skip
BENCHMARKS = ("choices", "sums", "sums without flagged items")
FAMILIES = ("Basalt", "Cirrus", "Dune", "Ember", "Fjord")
RATIOS = ("hat", "hat_corrected", "hat_chance_corrected", "ratio_of_means", "hat_integral")
ACCURACIES = ("source_accuracy", "target_accuracy", "xlt_gap", "coverage")
SPREADS = ("range", "trimmed_range", "std", "iqr", "cv")
SETTINGS: dict[str, Any] = {"source": "en", "resamples": 1000, "seed": 0}


def facts(count: int) -> list[ModelFacts]:
    """Models of five families; of every seventh nothing is known."""
    found = []
    for place in range(count):
        family = FAMILIES[place % len(FAMILIES)]
        name = f"{family}-{1 + place // len(FAMILIES)}-{2**place % 97}B"
        if place % 7 == 6:
            found.append(ModelFacts(name))
            continue
        released = f"{2024 + place % 3}-{1 + place % 12:02d}"
        found.append(ModelFacts(name, family, None, float(2**place % 97), released, "off"))
    return found


@cache
def many(models: int = 20, languages: int = 28, benchmarks: int = 3) -> ModelsReport:
    """A report with every part, always the same."""
    chance = random.Random(5)
    known = facts(models)
    names = [fact.name for fact in known]
    codes, asked = LANGUAGES[:languages], BENCHMARKS[:benchmarks]
    return ModelsReport(
        settings=SETTINGS,
        scores=pa.Table.from_pylist(list(_scores(chance, names, codes, asked)), SCORES),
        profiles=pa.Table.from_pylist(list(_profiles(chance, names, codes, asked)), PROFILES),
        analyses=analyses(list(_analyses(chance, known, codes, asked)) if models > 1 else []),
        models=known,
        notes=["choices: 2 items missing in de"],
    )


def report_of(rows: list[dict[str, Any]], **given: Any) -> ModelsReport:
    """A report of some rows of SCORES and nothing else."""
    parts: dict[str, Any] = {
        "settings": SETTINGS,
        "scores": pa.Table.from_pylist(rows, SCORES),
        "profiles": PROFILES.empty_table(),
        "analyses": ANALYSES.empty_table(),
        "models": [],
        "notes": [],
    }
    return ModelsReport(**parts | given)


def analyses(rows: list[dict[str, Any]]) -> pa.Table:
    """An ANALYSES table with what is not given left null."""
    return pa.Table.from_pylist([dict.fromkeys(ANALYSES.names) | row for row in rows], ANALYSES)


def statement(**given: Any) -> dict[str, Any]:
    """A row of ANALYSES with what is not given filled in."""
    row = {"analysis": "released", "benchmark": "sums", "metric": "hat", "group": "from 2025"}
    return dict.fromkeys(ANALYSES.names) | row | {"value": 0.95, "n_models": 9} | given


def _scores(
    chance: random.Random, models: Sequence[str], codes: Sequence[str], benchmarks: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for benchmark in benchmarks:
        for model in models:
            level = chance.uniform(0.45, 0.95)
            for name in (*ACCURACIES, *RATIOS):
                if name == "hat_chance_corrected" and benchmark != "choices":
                    continue
                yield from _cells(chance, benchmark, model, codes, name, level)
            yield from _script(chance, benchmark, model)
            yield from _tokens(chance, benchmark, model, codes)
            for name in SPREADS:
                shared = {"model": model, "benchmark": benchmark, "target": "all"}
                value = chance.uniform(0.02, 0.2)
                yield score_row(**shared, metric=name, value=value)
                yield score_row(**shared, metric=f"{name}_noise_floor", value=value / 3)
        yield from _pairs(chance, benchmark, models)


def _cells(
    chance: random.Random,
    benchmark: str,
    model: str,
    codes: Sequence[str],
    name: str,
    level: float,
) -> Iterator[dict[str, Any]]:
    for code in (*codes, "mean", "median", "pooled"):
        shared = {"model": model, "benchmark": benchmark, "target": code, "metric": name}
        shared |= {"n_items": 250, "n_samples": 2500, "coverage": chance.uniform(0.93, 1.0)}
        if code == "wo" and name in RATIOS:
            yield score_row(**shared, note="too few source passes")
            continue
        value = min(max(level + chance.gauss(0, 0.05), 0.02), 1.2)
        value = 0.1 * value if name == "xlt_gap" else value
        if name == "source_accuracy":
            value = min(level + 0.05, 0.99)
        low, high = (value - chance.uniform(0.01, 0.08), value + chance.uniform(0.01, 0.08))
        shared["n_targets"] = len(codes) - ("wo" in codes) if len(code) > 2 else None
        yield score_row(**shared, value=value, low=low, high=high, interval="bootstrap")


def _script(chance: random.Random, benchmark: str, model: str) -> Iterator[dict[str, Any]]:
    for target in ("same-script", "other-script", "other-script - same-script"):
        for name in ("hat_corrected", "hat_chance_corrected"):
            value = chance.gauss(-0.03, 0.04) + 0.8 * (" - " not in target)
            shared = {"model": model, "benchmark": benchmark, "target": target, "metric": name}
            yield score_row(**shared, value=value, low=value - 0.05, high=value + 0.05)


def _tokens(
    chance: random.Random, benchmark: str, model: str, codes: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for code in codes:
        for name in ("relative_tokens", "relative_reasoning_tokens"):
            shared = {"model": model, "benchmark": benchmark, "target": code, "metric": name}
            yield score_row(**shared, value=chance.uniform(0.98, 1.3))


def _pairs(
    chance: random.Random, benchmark: str, models: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for model, base in zip(models[1:4], models, strict=False):
        for name in ("target_accuracy", "hat_corrected", "hat_chance_corrected"):
            value = chance.gauss(0.0, 0.06)
            shared = {"model": model, "baseline": base, "benchmark": benchmark, "metric": name}
            yield score_row(
                **shared, target="mean", value=value, low=value - 0.05, high=value + 0.05
            )


def _profiles(
    chance: random.Random, models: Sequence[str], codes: Sequence[str], benchmarks: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for benchmark in benchmarks:
        for model in models:
            for code in codes:
                slope = chance.uniform(0.5, 0.95)
                for k in range(11):
                    rate = min(max(slope * k / 10 + chance.gauss(0, 0.05), 0.0), 1.0)
                    yield {
                        "model": model,
                        "benchmark": benchmark,
                        "source": "en",
                        "target": code,
                        "source_rate": k / 10,
                        "target_rate": rate,
                        "n_items": chance.randint(3, 60),
                    }


def _analyses(
    chance: random.Random,
    known: Sequence[ModelFacts],
    codes: Sequence[str],
    benchmarks: Sequence[str],
) -> Iterator[dict[str, Any]]:
    first, second = known[0].name, known[1].name
    anchors = {"before 2025": 0.75, "from 2025": 0.93}
    small = {"published_low": 0.5, "published_high": 0.8}
    for benchmark in benchmarks:
        main = "hat_chance_corrected" if benchmark == "choices" else "hat_corrected"
        said = {"benchmark": benchmark, "n_models": len(known)}
        yield statement(
            **said, analysis="coupling", metric="r2_coupling", group="", value=0.96, low=0.93,
            high=0.98, published_low=0.94,
        )  # fmt: skip
        for group, extra in (("per doubling of parameters", {}), ("1B to 4B", small)):
            yield statement(
                **said, analysis="size", metric=main, group=group, value=0.02, low=-0.01,
                high=0.05, **extra,
            )  # fmt: skip
        yield statement(
            **said, analysis="family", metric=main, group=f"{first} - {second}", value=-0.1,
            low=-0.15, high=-0.05,
        )  # fmt: skip
        for group, level in anchors.items():
            yield statement(
                **said, metric=main, group=group, value=level - 0.02, low=level - 0.05,
                high=level + 0.01, published_low=level, published_high=level,
            )  # fmt: skip
        yield statement(
            **said, metric=main, group="from 2025 - before 2025", value=0.18, low=0.1, high=0.25
        )
        for name in (main, "target_accuracy", "relative_tokens"):
            yield statement(
                **said, analysis="thinking", metric=name, group=f"{first}: medium - off",
                value=0.04, low=-0.01, high=0.09,
            )  # fmt: skip
        yield statement(
            **said, analysis="script", metric=main, group="other-script - same-script",
            value=-0.03, low=-0.06, high=-0.01,
        )  # fmt: skip
        for code in codes:
            for name in ("relative_tokens", "relative_reasoning_tokens"):
                yield statement(
                    **said, analysis="tokens", metric=name, group=code,
                    value=chance.uniform(1.02, 1.25), published_low=1.05, published_high=1.2,
                )  # fmt: skip
