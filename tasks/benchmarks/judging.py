"""Answers before a judge, and the judge before answers whose worth is known.

A judge is only as good as its check: what it makes of blanks, of another item's gold, of an item's
own gold and of letters that are known to be wrong stands beside every score that it gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tasks.artifacts.schemas import VERDICTS
from tasks.benchmarks import graded_in
from tasks.benchmarks.grade_answers import BATCH, as_shown, items_of
from tasks.grading import JUDGED, LETTERS, grade
from tasks.grading.judge import Scale, question, read_verdict, response_of, settled
from tasks.models.engine import Completion, Engine, Hint, Prompt, Sampling, seed_from
from tasks.models.machine import Machine
from tasks.models.thinking import Thinking, room

ANSWER, BLANK, SHUFFLED, GOLD, WRONG_LETTER = "answer", "blank", "shuffled", "gold", "wrong letter"
_BLANKS = 5  # of a check: a judge that accepts one of them is at fault
Row = Mapping[str, Any]


class Judging(BaseModel):
    """Which model judges, and how it is asked. One greedy vote, or several sampled ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    machine: Machine | None = None  # None: the recipe's
    votes: int = Field(1, ge=1)
    temperature: float = Field(0.0, ge=0.0)
    max_tokens: int = Field(512, ge=1)  # of a vote
    thinking: Thinking | None = None  # before a vote, besides its tokens; None: the model's way
    checked: int = Field(20, ge=1)  # items of each benchmark and language whose golds it is shown

    @model_validator(mode="after")
    def _votes_differ(self) -> Judging:
        if self.votes > 1 and self.temperature == 0:
            raise ValueError(
                f"{self.votes} votes at temperature 0 are all the same; raise it, or take one"
            )
        return self

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes verdicts, besides which model gives them."""
        return self.model_dump(include={"votes", "temperature", "max_tokens", "thinking"})

    @property
    def sampling(self) -> Sampling:
        """How votes are drawn."""
        return Sampling(
            n=self.votes,
            temperature=self.temperature,
            max_tokens=self.max_tokens + room(self.thinking),
            thinking=self.thinking,
        )


class Case(NamedTuple):
    """One response to be judged."""

    name: str  # answer | blank | shuffled | gold | wrong letter
    item: Row  # of ITEMS
    sample: int | None
    question: str
    reference: tuple[str, ...]
    response: str
    right: bool  # by the item's own grader: what a simulated judge goes by

    def prompt(self, scale: Scale, part: str) -> Prompt:
        """What the judge is asked; `part` is what its replies belong to."""
        asked = question(scale, self.question, self.reference, self.response, self.item["language"])
        return Prompt(
            messages=({"role": "user", "content": asked},),
            seed=seed_from(asked),
            hint=Hint(
                key=f"{self.item['benchmark']}/{self.item['item_id']}/{self.response}",
                language=self.item["language"],
                right=scale.word(self.right),
                wrong=(scale.word(not self.right),),
                source_language=self.item["source_language"],
            ),
            part=part,
        )


class Judged(NamedTuple):
    """VERDICTS of one part, and what they took."""

    verdicts: pa.Table
    prompt_tokens: int
    completion_tokens: int


def answer_cases(items: pa.Table, answers: pa.Table) -> list[Case]:
    """Every row of ANSWERS, in order. Raises BadInput for one whose item is not there."""
    found = []
    for item, answer in items_of(items, answers.to_batches(BATCH)):
        options, gold = as_shown(item, answer)
        response = response_of(answer["text"])
        found.append(_case(ANSWER, item, answer["sample"], options, gold, response))
    return found


def check_cases(items: pa.Table, checked: int) -> list[Case]:
    """Cases of known worth from the first items: each gold, and another item's gold instead of it.

    Some blanks as well, and of a choice a letter that is wrong.
    """
    rows = items.slice(0, checked).to_pylist()
    return [
        _case(name, item, None, item["options"], item["gold"], response)
        for at, item in enumerate(rows)
        for name, response in _known(at, item, rows)
    ]


def _known(at: int, item: Row, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    gold = _gold(item)
    yield GOLD, gold
    if at < _BLANKS:
        yield BLANK, ""
    if item["options"] is not None:
        letters = LETTERS[: len(item["options"])]
        yield WRONG_LETTER, letters[(letters.index(gold) + 1) % len(letters)]
        return  # another item's letter is right as often as not
    others = (_gold(rows[(at + step) % len(rows)]) for step in range(1, len(rows)))
    other = next((one for one in others if not _right(item, item["gold"], None, one)), None)
    if other is not None:
        yield SHUFFLED, other


def _gold(item: Row) -> str:
    return str(item["gold"][0])


def _case(
    name: str,
    item: Row,
    sample: int | None,
    options: list[str] | None,
    gold: Sequence[str],
    response: str,
) -> Case:
    asked = item["question"]
    reference = tuple(gold)
    if item["kind"] == "translation":
        asked = f"Translate into English: {asked}"
    if options is not None:
        lines = [f"{letter}) {text}" for letter, text in zip(LETTERS, options, strict=False)]
        asked = "\n".join([asked, *lines])
        reference = tuple(line for line in lines if line[0] in gold)
    right = bool(response) and _right(item, gold, options, response)
    return Case(name, item, sample, asked, reference, response, right)


def _right(item: Row, gold: Sequence[str], options: list[str] | None, response: str) -> bool:
    kind = "span" if item["kind"] == JUDGED else item["kind"]
    code = graded_in(kind, item["language"])
    return grade(kind, code, gold, response, options=options).score == 1.0


def judge(
    cases: Mapping[str, Sequence[Case]], scale: Scale, settings: Judging, engine: Engine, seed: int
) -> dict[str, Judged]:
    """VERDICTS of the cases of each part, asked in one call.

    Equal answers to one item are asked about once, and blank ones not at all; a check's blanks are.
    """
    prompts: dict[tuple[str, str, str], Prompt] = {}
    for part, own in cases.items():
        for case in own:
            key = _key(part, case)
            if key not in prompts and (case.response or case.name != ANSWER):
                prompts[key] = case.prompt(scale, part)
    asked = list(prompts.values())
    drawn = engine.complete(asked, settings.sampling, seed) if asked else []
    replies = dict(zip(prompts, drawn, strict=True))
    return {
        part: _judged([(case, replies.get(_key(part, case), [])) for case in own], scale)
        for part, own in cases.items()
    }


def _judged(replied: Sequence[tuple[Case, Sequence[Completion]]], scale: Scale) -> Judged:
    rows = [_verdict(case, scale, replies) for case, replies in replied]
    each = {id(reply): reply for _, replies in replied for reply in replies}.values()
    return Judged(
        pa.Table.from_pylist(rows, VERDICTS),
        sum(reply.prompt_tokens for reply in each),
        sum(reply.completion_tokens for reply in each),
    )


def _key(part: str, case: Case) -> tuple[str, str, str]:
    """What is asked about once. The order of a choice's options is in its question."""
    return part, f"{case.item['item_id']}\n{case.question}", case.response


def _verdict(case: Case, scale: Scale, replies: Sequence[Completion]) -> dict[str, Any]:
    votes = [read_verdict(scale, one.text, one.finish_reason) for one in replies]
    return {
        "benchmark": case.item["benchmark"],
        "item_id": case.item["item_id"],
        "language": case.item["language"],
        "case": case.name,
        "sample": case.sample,
        "response": case.response,
        "replies": [one.text for one in replies],
        "votes": votes,
        "accepted": settled(scale, votes),
    }


def counts(verdicts: pa.Table) -> dict[str, dict[str, int]]:
    """Case -> how many responses were asked about, accepted, and left without a verdict."""
    found: dict[str, dict[str, int]] = {}
    for row in verdicts.select(["case", "replies", "accepted"]).to_pylist():
        if row["replies"]:
            count = found.setdefault(row["case"], {"asked": 0, "accepted": 0, "unparsed": 0})
            count["asked"] += 1
            count["accepted"] += row["accepted"] is True
            count["unparsed"] += row["accepted"] is None
    return found
