"""The parts of evaluate that stand beside published tables only; made where a recipe asks for them.

A part holds, of every answer, how near it is to its gold and whether a judge rates it 4 or 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.artifacts.schemas import PAPER_COMPAT
from tasks.artifacts.store import Store
from tasks.compute.specs import Spec
from tasks.compute.step import Work
from tasks.grading.judge import RATING
from tasks.grading.paper_compat import PAPER_COMPAT_VERSION, character_similarity, threshold
from tasks.judge_answers import Judge, check_of, judged_facts, planned, verdicts_of
from tasks.models.machine import Machine

PREFIX = "paper-compat/"
Texts = Sequence[tuple[str, Sequence[str]]]  # answers with their golds


class Compat(Spec):
    """What embeds answers, and whether they are rated."""

    embedding: str  # characters, or the reference of a model
    model: Part | None  # None: characters
    machine: Machine  # of the model
    judge: Judge | None  # None: no ratings

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes similarities."""
        if self.model is None:
            return {"embedding": self.embedding}
        return {"embedding": self.model, "dtype": self.machine.dtype, "device": self.machine.device}


def planned_compat(
    spec: Compat, done: Mapping[str, Part], cell: str, items: Part, answers: Part
) -> dict[str, Any]:
    """The part of a cell, behind the grades and the ratings that it is made of."""
    rated = planned(spec.judge, RATING, cell, items, answers) if spec.judge else {}
    needed = [f"grades/{cell}", *rated]
    if not set(needed) <= set(done):
        return rated
    shape = {"version": PAPER_COMPAT_VERSION, "items": items, **spec.shape}
    return rated | {PREFIX + cell: shape | {"of": [done[name] for name in needed]}}


def compare(spec: Compat, work: Work, items: Mapping[str, Part]) -> None:
    """Make what is missing of these parts."""
    for name in work.take(len(work.missing), PREFIX):
        cell = name.removeprefix(PREFIX)
        asked = {row["item_id"]: row for row in read_table(work.store, items[cell]).to_pylist()}
        graded = read_table(work.store, work.done[f"grades/{cell}"]).to_pylist()
        texts = [(row["answer"] or "", asked[row["item_id"]]["gold"]) for row in graded]
        near = _similarities(spec, work.store, texts)
        at_least = threshold(next(iter(asked.values()))["kind"] if asked else "")
        rated, facts = _ratings(spec, work, cell)
        rows = [
            {
                **{name: row[name] for name in ("benchmark", "item_id", "language", "sample")},
                "similarity": similarity,
                "near": similarity > at_least,
                "rated": rated.get((row["item_id"], row["sample"])),
            }
            for row, similarity in zip(graded, near, strict=True)
        ]
        scores = [_score("paper_embedding", "near", rows, _how(spec, at_least))]
        if spec.judge is not None:
            how = f"a rating of at least {RATING.accepts_from} by {spec.judge.settings.model}"
            scores.append(_score("paper_judge", "rated", rows, how))
        work.publish_table(name, pa.Table.from_pylist(rows, PAPER_COMPAT), scores=scores, **facts)


def _how(spec: Compat, at_least: float) -> str:
    what = "character n-grams" if spec.model is None else spec.embedding
    return f"cosine of {what} above {at_least}"


def _score(metric: str, column: str, rows: Sequence[Mapping[str, Any]], how: str) -> dict[str, Any]:
    """The share of answers; one without an answer or a readable rating counts as not right."""
    return {
        "metric": metric,
        "value": float(np.mean([row[column] is True for row in rows])) if rows else None,
        "n_items": len({row["item_id"] for row in rows}),
        "n_samples": len(rows),
        "note": f"{how}; for published tables only",
    }


def _similarities(spec: Compat, store: Store, texts: Texts) -> list[float]:
    if spec.model is None:
        return [character_similarity(answer, golds) if answer else 0.0 for answer, golds in texts]
    from tasks.models.cache import model_folder
    from tasks.models.embeddings import embed
    from tasks.models.hidden_states import cosine_distance

    said = {text for answer, golds in texts if answer for text in (answer, *golds)}
    distinct = {text: place for place, text in enumerate(sorted(said))}
    if not distinct:
        return [0.0] * len(texts)
    folder = model_folder(store, spec.model)
    vectors = embed(folder, spec.machine.dtype, spec.machine.device, list(distinct))

    def nearest(answer: str, golds: Sequence[str]) -> float:
        own = vectors[[distinct[answer]] * len(golds)]
        return float(1.0 - cosine_distance(own, vectors[[distinct[one] for one in golds]]).min())

    return [nearest(answer, golds) if answer else 0.0 for answer, golds in texts]


def _ratings(
    spec: Compat, work: Work, cell: str
) -> tuple[dict[tuple[str, int], bool | None], dict[str, Any]]:
    """Whether each answer is rated well, and the facts of its judge."""
    if spec.judge is None:
        return {}, {}
    said, check = (work.done[of(RATING, cell)] for of in (verdicts_of, check_of))
    table = read_table(work.store, said)
    columns = (table[name].to_pylist() for name in ("item_id", "sample", "accepted"))
    rated = {(item, sample): accepted for item, sample, accepted in zip(*columns, strict=True)}
    return rated, {"judge": judged_facts(spec.judge, RATING, said, check)}
