"""score: grades to transfer scores with intervals, and differences between models."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.recipe import Scoring
from tasks.scoring.model_facts import ModelFacts

VERSION = 4
PART = "scores"
SCORES, PROFILES, ANALYSES = "scores.parquet", "profiles.parquet", "analyses.parquet"


class Score(Spec):
    """All grades of all models, and which models are compared."""

    grades: dict[str, Part]  # "student/facts/de" -> GRADES
    models: dict[str, Part]  # whose they are; simulated models have none
    pairs: tuple[tuple[str, str], ...]  # (model, baseline)
    reasoned: tuple[str, ...] = ()  # models whose method is how they are asked to reason
    facts: tuple[ModelFacts, ...] = ()  # for analyses over models
    beside: dict[str, Part]  # "student/paper-compat/facts/de" -> what is no grade
    settings: Scoring


def plan(spec: Score, done: Mapping[str, Part]) -> Plan:
    """One part: SCORES, PROFILES and ANALYSES."""
    # Facts of grades are no part of their content, but are told beside the scores.
    return {PART: {"version": VERSION, "spec": spec} | _told(spec)}


def _told(spec: Score) -> dict[str, Any]:
    """By kind of fact, what the parts of each cell say besides their rows."""
    wanted = {
        "judged": (spec.grades, "judge"),
        "rated": (spec.beside, "judge"),
        "beside": (spec.beside, "scores"),
        "corpus": (spec.grades, "corpus"),
    }
    found = {
        name: {cell: part.facts[fact] for cell, part in parts.items() if fact in part.facts}
        for name, (parts, fact) in wanted.items()
    }
    return {name: facts for name, facts in found.items() if facts}


def _without_grades(told: Mapping[str, Any]) -> list[pa.Table]:
    """The rows of SCORES that are not made of grades."""
    from tasks.scoring.beside_grades import beside_rows, corpus_rows

    return [beside_rows(told.get("beside", {})), corpus_rows(told.get("corpus", {}))]


def compute(spec: Score, work: Work) -> None:
    """One joint bootstrap over all models and languages."""
    from tasks.scoring import score
    from tasks.scoring.judges import judge_notes

    for name in work.take():
        grades = pa.concat_tables([read_table(work.store, part) for part in spec.grades.values()])
        scored = score(
            grades,
            source=spec.settings.source,
            pairs=spec.pairs,
            reasoned=spec.reasoned,
            languages=spec.settings.languages,
            models=spec.facts,
            resamples=spec.settings.resamples,
            seed=spec.settings.seed,
            interval=spec.settings.interval,
        )
        told = _told(spec)
        scores = pa.concat_tables([scored.scores, *_without_grades(told)])
        notes = [*scored.notes, *judge_notes(told.get("judged", {}))]
        notes += judge_notes(told.get("rated", {}))
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            pq.write_table(scores, Path(scratch) / SCORES)
            pq.write_table(scored.profiles, Path(scratch) / PROFILES)
            pq.write_table(scored.analyses, Path(scratch) / ANALYSES)
            work.publish(name, Path(scratch), rows=scores.num_rows, notes=notes)


STEP = Step("score", Score, plan, compute, in_child=False)
