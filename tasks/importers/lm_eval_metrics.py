"""Which of the metrics and filters in an lm-evaluation-harness log is the score, and its scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sacrebleu

from tasks.errors import BadInput
from tasks.importers.asked import Asked, Notes, at_path
from tasks.importers.lm_eval_replay import VOTE
from tasks.importers.rows import is_missing, number

# The first of these that a log has is the score. Those of sacreBLEU run to 100, and are logged as
# the pair [reference, translation] that the tool scores as a whole corpus.
PRIMARY = ("exact_match", "acc", "acc_norm", "em", "f1", "pass@1", "chrf++", "chrf", "bleu")
OUT_OF_100 = ("chrf++", "chrf", "bleu")
_WORD_ORDER = {"chrf++": 2, "chrf": 0}
_NO_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
_LENIENT = "flexible-extract"  # preferred: the strict filters miss right answers in another form


@dataclass(frozen=True)
class Chosen:
    """The metric and filter that are read, and what their values are divided by.

    `vote` tells that the filter scores one vote over the repeats.
    """

    metric: str
    filter: str | None
    scale: float
    vote: bool


def chosen(
    where: str,
    records: Sequence[dict[str, Any]],
    config: dict[str, Any],
    asked: Asked,
    notes: Notes,
) -> Chosen:
    """The primary metric, or METRIC or METRIC,FILTER of `--column score`; raises BadInput."""
    if not records:
        raise BadInput(f"{where} has no lines: there is nothing to read from it.")
    metric, _, wanted = asked.columns.get("score", "").partition(",")
    filters = list(dict.fromkeys(record["filter"] for record in records if "filter" in record))
    votes = _votes(config, filters)
    name = _filter(where, filters, wanted, votes, metric, notes)
    kept = [record for record in records if record.get("filter", name) == name]
    metric = metric or _metric(where, kept[0], notes)
    values = [at_path(record, metric, where, "--column score") for record in kept]
    return Chosen(metric, name, _scale(metric, values, notes), name in votes)


def _votes(config: dict[str, Any], filters: Sequence[str]) -> set[str]:
    """The filters that score one vote over all repeats rather than an answer."""
    stated = {
        one.get("name")
        for one in config.get("filter_list") or ()
        if any(step.get("function") == VOTE for step in one.get("filter") or ())
    }
    return {name for name in filters if name in stated or name.startswith("maj@")}


def _filter(
    where: str, filters: list[str], wanted: str, votes: set[str], metric: str, notes: Notes
) -> str | None:
    if wanted:
        if wanted not in filters:
            raise BadInput(
                f"{where} has no filter {wanted!r} for --column score={metric},{wanted}: "
                f"it has {', '.join(filters)}."
            )
        return wanted
    answers = [name for name in filters if name not in votes] or filters
    name = _LENIENT if _LENIENT in answers else (answers[0] if answers else None)
    if len(answers) > 1 and name != _LENIENT:
        raise BadInput(
            f"{where} has the answers of several filters ({', '.join(filters)}): choose with "
            f"--column score={metric or 'METRIC'},FILTER."
        )
    if len(filters) > 1:
        others = ", ".join(other for other in filters if other != name)
        notes.say(
            f"lm-evaluation-harness: the filter is {name}; --column score=METRIC,FILTER takes "
            f"another ({others})."
        )
    return name


def _metric(where: str, record: dict[str, Any], notes: Notes) -> str:
    logged = list(record.get("metrics") or [n for n in record if n not in _NO_METRICS])
    usable = [name for name in logged if _usable(name, record[name])]
    known = [name for name in PRIMARY if name in usable] or usable
    if not known or (len(known) > 1 and known[0] not in PRIMARY):
        raise BadInput(
            f"{where} has no metric that is known to be a score of one answer: name it with "
            f"--column score=NAME, where NAME is one of {', '.join(logged)}."
        )
    others = ", ".join(name for name in logged if name != known[0])
    if others:
        notes.say(
            f"lm-evaluation-harness: the score is {known[0]}; --column score=NAME takes another "
            f"({others})."
        )
    return known[0]


def _usable(name: str, value: Any) -> bool:
    return isinstance(value, bool | int | float) or (name in _WORD_ORDER and _pair(value))


def _pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _scale(metric: str, values: Sequence[Any], notes: Notes) -> float:
    logged = [value for value in values if isinstance(value, int | float)]
    if metric not in OUT_OF_100 or not logged:
        return 1.0
    if max(logged) <= 1:
        notes.say(f"lm-evaluation-harness: {metric} is taken as it is, as no value is above 1.")
        return 1.0
    notes.say(f"lm-evaluation-harness: {metric} was divided by 100.")
    return 100.0


def value_of(record: dict[str, Any], choice: Chosen, where: str) -> float | None:
    """The score of a line in [0, 1]; None where the tool gave none. Raises BadInput."""
    value = at_path(record, choice.metric, where, "--column score")
    if is_missing(value):
        return None
    if choice.metric in _WORD_ORDER and _pair(value):
        reference, said = value
        order = _WORD_ORDER[choice.metric]
        return float(sacrebleu.sentence_chrf(said, [reference], word_order=order).score) / 100
    return number(value, where) / choice.scale
