"""The repeats in one line of an lm-evaluation-harness log, each with a score of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tasks.errors import BadInput
from tasks.grading import grade
from tasks.importers.asked import KIND, Asked, Notes
from tasks.importers.lm_eval_metrics import Chosen, value_of
from tasks.importers.lm_eval_replay import COMPARED, METRIC, Replay, replay
from tasks.importers.rows import Row, status

_NO_ANSWER = ("[invalid]", "")
_OPTION = re.compile(r"(option|mc_answer|answer|choice)_?([a-j]|\d)")
_GRADED_HERE = "lm-evaluation-harness: {n} answers were graded here, as --value kind asks."
_REPLAYED = (
    "lm-evaluation-harness: {n} repeats that the tool did not score were scored by its own filter "
    "and exact_match, which give the logged score of every document."
)
_LEFT_OUT = (
    "lm-evaluation-harness: {n} repeats were left out, as the tool's filter scores one answer per "
    "document; --value kind=KIND (number, choice, span, math, translation) grades all of them here."
)
_VOTED = "lm-evaluation-harness: {n} scores are of a vote over the repeats, not of an answer."


def options(record: dict[str, Any]) -> list[str]:
    """The options of a choice, from the document or from the likelihoods asked for; else none."""
    doc = record["doc"] if isinstance(record["doc"], dict) else {}
    for name in ("choices", "options", "endings"):
        found = doc.get(name)
        found = found.get("text") if isinstance(found, dict) else found
        if isinstance(found, list) and found:
            return [str(option) for option in found]
    lettered = [str(value) for name, value in doc.items() if _OPTION.fullmatch(name) and value]
    if len(lettered) > 1:
        return lettered
    return [str(i) for i in range(len(record["resps"]))] if not generated(record) else []


def generated(record: dict[str, Any]) -> bool:
    """Whether the model wrote an answer rather than rated given ones."""
    resps = record["resps"]
    return len(resps) == 1 and all(isinstance(said, str) for said in resps[0])


@dataclass(frozen=True)
class Reading:
    """How the lines of one file are read."""

    choice: Chosen
    replay: Replay | None
    asked: Asked
    notes: Notes


def reading(
    records: Iterable[dict[str, Any]],
    choice: Chosen,
    config: dict[str, Any],
    asked: Asked,
    notes: Notes,
) -> Reading:
    """The scores of repeats that have none are looked for where there may be such repeats."""
    replayed = None
    if choice.metric == METRIC and KIND not in asked.constants:
        of_filter = (r for r in records if r.get("filter", choice.filter) == choice.filter)
        replayed = replay(filter(generated, of_filter), choice.filter, choice.vote, config)
    return Reading(choice, replayed, asked, notes)


def repeats(
    record: dict[str, Any], language: str | None, how: Reading, where: str
) -> Iterator[Row]:
    """sample, score, status and answer of each repeat that has a score, or that `kind` grades."""
    said: list[str] = record["resps"][0] if generated(record) else []
    if said and KIND in how.asked.constants:
        how.notes.say(_GRADED_HERE, len(said))
        yield from _graded(record, said, how.asked.constants[KIND], language or "en")
        return
    score = value_of(record, how.choice, where)
    if score is None:
        how.notes.say("{n} documents of lm-evaluation-harness have no score and were left out.", 1)
        return
    if not said:
        yield {"sample": 0, "score": score, "status": status(score, None, True)}
        return
    for sample, row in enumerate(_scored(record, said, score, how, where)):
        yield {"sample": sample} | row


def _scored(
    record: dict[str, Any], said: list[str], score: float, how: Reading, where: str
) -> Iterator[Row]:
    kept = record["filtered_resps"][0]
    if isinstance(kept, list) and len(kept) > 1:
        each = _apart(record, kept, score, where)
        if len(said) > len(kept):
            how.notes.say(_LEFT_OUT, len(said) - len(kept))
        yield from map(_answer, each, said, kept)
    elif len(said) > 1 and how.replay:
        how.notes.say(_REPLAYED, len(said) - (not how.choice.vote))
        for text in said:
            answer = how.replay.extract(text)
            yield _answer(how.replay.score(answer, str(record["target"])), text, answer)
    else:
        if len(said) > 1:
            how.notes.say(*((_VOTED, 1) if how.choice.vote else (_LEFT_OUT, len(said) - 1)))
        yield _answer(score, said[0], kept[0] if isinstance(kept, list) else kept)


def _answer(score: float, said: str, answer: Any) -> Row:
    found = str(answer) not in _NO_ANSWER
    return {
        "score": score,
        "status": status(score, said, found),
        "answer": str(answer) if found else None,
    }


def _apart(record: dict[str, Any], filtered: list[str], mean: float, where: str) -> list[float]:
    """The 0/1 scores of all repeats, of which the tool logs the mean. Raises BadInput."""
    for compared in COMPARED:
        target = compared(str(record["target"]))
        found = [float(compared(str(answer)) == target) for answer in filtered]
        if abs(sum(found) / len(found) - mean) < 1e-9:
            return found
    if mean in (0.0, 1.0):
        return [mean] * len(filtered)
    raise BadInput(
        f"{where} has one score, {mean:g}, for {len(filtered)} repeats together, and comparing "
        "them with the target does not give it: give --value kind=KIND to have them graded here."
    )


def _graded(record: dict[str, Any], said: list[str], kind: str, language: str) -> Iterator[Row]:
    offered = options(record) if kind == "choice" else None
    gold = str(record["target"]).strip()
    gold = gold.strip("() ") if kind == "choice" else gold
    for sample, text in enumerate(said):
        found = grade(kind, language, gold, text, options=offered)
        yield {
            "sample": sample,
            "score": found.score,
            "status": found.status,
            "answer": found.answer,
        }
