"""ANSWERS to GRADES: every answer meets its item as it was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa

from tasks.artifacts.schemas import GRADES
from tasks.benchmarks import graded_in
from tasks.benchmarks.layout import published_letter, shown_letter
from tasks.errors import BadInput
from tasks.grading import Grade, corpus_translation_scores, grade, grade_judged

BATCH = 10_000  # rows that are Python objects at a time

_FROM_ITEM = ("benchmark", "item_id", "source_language", "parallel", "cluster", "flags")
_FROM_ANSWER = ("sample", "completion_tokens", "reasoning_tokens", "temperature")

Row = Mapping[str, Any]
Accepted = Mapping[tuple[str, int], bool | None]  # (item id, sample) -> what its judge says


def grade_batches(
    model: str,
    items: pa.Table,
    answers: Iterable[pa.RecordBatch],
    language: str,
    form: str | None = None,
    *,
    reasoned: bool = False,
    verdicts: pa.Table | None = None,
) -> Iterator[pa.RecordBatch]:
    """GRADES of one benchmark's ANSWERS in one language, in their order and batch by batch.

    `form` says how they were asked for, such as "chat, 3 examples"; `reasoned`, that reasoning
    stands before the answers. With `verdicts`, VERDICTS of these answers, a judge's word is their
    grade.

    The `answer` of a choice is its letter in the published order: samples that saw the options in
    different orders must be comparable, or a majority vote would count places, not options.
    `text` was cut at the stop strings by the engine; no stop is known here any more.

    Raises:
        BadInput: an answer to an item that is not among `items`, or without a verdict.
    """
    accepted = None if verdicts is None else _accepted(verdicts)
    named = {"model": model, "form": form}
    pairs = items_of(items, answers)
    while batch := list(islice(pairs, BATCH)):
        graded = (
            _row(item, row, language, _grade(item, row, language, reasoned, accepted)) | named
            for item, row in batch
        )
        yield pa.RecordBatch.from_pylist(list(graded), GRADES)


def items_of(items: pa.Table, answers: Iterable[pa.RecordBatch]) -> Iterator[tuple[Row, Row]]:
    """Each answer behind its item. Raises BadInput for one whose item is not there."""
    known: dict[str, Row] = {row["item_id"]: row for row in items.to_pylist()}
    for batch in answers:
        for answer in batch.to_pylist():
            if answer["item_id"] not in known:
                raise BadInput(
                    f"there is an answer to {answer['item_id']!r} of {answer['benchmark']}, which "
                    "is not among the items; grade answers with the items that were asked"
                )
            yield known[answer["item_id"]], answer


def corpus_columns(items: pa.Table) -> tuple[str, ...]:
    """What `corpus_facts` reads of GRADES; nothing where items are no translations."""
    kinds = set(items["kind"].to_pylist())
    return ("item_id", "answer") if kinds == {"translation"} else ()


def corpus_facts(items: pa.Table, grades: pa.Table, language: str) -> dict[str, Any]:
    """Of translations, chrF++ and BLEU over all samples together, with their signatures.

    `grades` has the `corpus_columns`; without any there is nothing to tell.
    """
    answers = grades.to_pylist()
    if not grades.num_columns or not answers:
        return {}
    accepted = {row["item_id"]: row["gold"] for row in items.to_pylist()}
    golds = [accepted[row["item_id"]] for row in answers]
    code = graded_in("translation", language)
    texts = [row["answer"] or "" for row in answers]
    counts = {"n_items": len({row["item_id"] for row in answers}), "n_samples": len(answers)}
    return {"corpus": corpus_translation_scores(texts, golds, code) | counts}


def _accepted(verdicts: pa.Table) -> Accepted:
    columns = (verdicts[name].to_pylist() for name in ("item_id", "sample", "accepted"))
    return {(item, sample): accepted for item, sample, accepted in zip(*columns, strict=True)}


def _grade(
    item: Row, answer: Row, language: str, reasoned: bool, accepted: Accepted | None
) -> Grade:
    if accepted is not None:
        key = (answer["item_id"], answer["sample"])
        if key not in accepted:
            raise BadInput(
                f"there is no verdict on sample {key[1]} of {key[0]!r}; judge the answers that are "
                "graded"
            )
        return grade_judged(answer["text"], accepted[key], answer["finish_reason"])
    options, gold = as_shown(item, answer)
    found = grade(
        item["kind"],
        graded_in(item["kind"], language),
        gold,
        answer["text"],
        options=options,
        letters=answer["letters"],
        finish_reason=answer["finish_reason"],
        reasoned=reasoned,
    )
    return found._replace(answer=_as_published(found.answer, answer["order"]))


def _row(item: Row, answer: Row, language: str, result: Grade) -> dict[str, object]:
    return {
        **{name: item[name] for name in _FROM_ITEM},
        **{name: answer[name] for name in _FROM_ANSWER},
        "language": language,
        "status": result.status,
        "answer": result.answer,
        "score": result.score,
        "n_options": None if item["options"] is None else len(item["options"]),
    }


def as_shown(item: Row, answer: Row) -> tuple[list[str] | None, list[str]]:
    """Options and gold as the model saw them."""
    order = answer["order"]
    if item["options"] is None or order is None:
        return item["options"], item["gold"]
    return [item["options"][at] for at in order], [shown_letter(item["gold"][0], order)]


def _as_published(found: str | None, order: list[int] | None) -> str | None:
    return found if found is None or order is None else published_letter(found, order)
