"""The prompts of an evaluation: one per item and sample, few-shot examples first.

Base and trained models are asked in the same form: `completion` (text to continue) or `chat`
(messages, examples as earlier turns). What is asked for is a direct answer, or reasoning in the
question's language or in English and then the answer; translations are always asked for directly.

Options are shuffled anew for every item, language and sample: a liking for a letter that all
languages share would otherwise look like transfer. Random streams are never shared between
languages for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from tasks.benchmarks import Benchmark, benchmark_named
from tasks.benchmarks.layout import Layout
from tasks.benchmarks.published import Published
from tasks.errors import BadInput
from tasks.languages import LANGUAGES, Reasoning
from tasks.languages import language as language_row
from tasks.models.engine import Hint, Prompt

Form = Literal["completion", "chat"]
Order = tuple[int, ...] | None


@dataclass(frozen=True)
class Asked:
    """One prompt, and what grading must know about how the item was shown."""

    item_id: str
    sample: int
    prompt: Prompt
    order: Order  # choice: shown position -> published position
    letters: tuple[str, ...] | None  # choice: the letters shown


class _Shot(NamedTuple):
    """A worked example as it is shown."""

    question: str
    answer: str
    working: str | None  # None: a direct answer


class _Draw(NamedTuple):
    """What names one sample: everything that is random about it derives from this."""

    seed: int
    benchmark: str
    item_id: str
    language: str
    sample: int

    def number(self, purpose: str) -> int:
        """63 bits, independent for every purpose."""
        text = "\n".join([purpose, *map(str, self)])
        return int.from_bytes(sha256(text.encode()).digest()[:8]) >> 1

    def order(self, item: Published) -> Order:
        """The item's options, shuffled."""
        if item.options is None:
            return None
        positions = range(len(item.options))
        return tuple(sorted(positions, key=lambda at: self.number(f"option {at}")))


def ask(
    benchmark: str,
    items: pa.Table,
    language: str,
    *,
    form: Form,
    few_shot: int,
    samples: int,
    seed: int,
    reasoning: Reasoning = "none",
) -> list[Asked]:
    """Every row of ITEMS `samples` times, in the table's order, the samples of an item together.

    Raises:
        BadInput: an unknown benchmark or language, more examples than there are, or examples that
            are not worked out in the language to reason in.
    """
    row = benchmark_named(benchmark)
    layout = Layout(row.kind, language_row(language), row.reasoning(reasoning))
    shots = _shots(row, layout, few_shot)
    asked: list[Asked] = []
    for item in map(_item, items.to_pylist()):
        draws = [_Draw(seed, benchmark, item.item_id, language, at) for at in range(samples)]
        orders = [draw.order(item) for draw in draws]
        # Equal prompts are one object: ten samples of long contexts are held once.
        prompts = {order: _prompt(layout, shots, item, order, form) for order in set(orders)}
        for draw, order in zip(draws, orders, strict=True):
            hint = _hint(layout, item, order, draw)
            prompt = replace(prompts[order], seed=draw.number("sample"), hint=hint)
            asked.append(Asked(item.item_id, draw.sample, prompt, order, layout.letters(item)))
    return asked


def stops(form: Form, reasoning: Reasoning = "none") -> tuple[str, ...]:
    """Where a completion ends: direct answers have one line, and base models go on to a question.

    Reasoning has as many lines as it likes, up to a line that opens a new question, or a paragraph
    that opens its context. The labels of all languages, so that languages are sampled in one call.
    A chat model ends its turn itself.
    """
    if form == "chat":
        return ()
    if reasoning == "none":
        labels = (f"{row.question_word}{row.colon}".rstrip() for row in LANGUAGES.values())
        return ("\n", *dict.fromkeys(labels))
    openings = ((row, row.colon.rstrip()) for row in LANGUAGES.values())
    # Models of languages with wide or spaced colons write the plain one as well.
    found = [
        opening
        for row, colon in openings
        for mark in (colon, ":")
        for opening in (f"\n{row.question_word}{mark}", f"\n\n{row.context_word}{mark}")
    ]
    return tuple(dict.fromkeys(found))


def _item(row: Mapping[str, Any]) -> Published:
    options = row["options"]
    return Published(
        row["item_id"],
        row["question"],
        tuple(row["gold"]),
        tuple(row["context"]),
        None if options is None else tuple(options),
        row["source_language"],
    )


def _shots(benchmark: Benchmark, layout: Layout, few_shot: int) -> list[_Shot]:
    """Examples keep the published order of their options, in every prompt and language."""
    examples = benchmark.examples(layout.row.code)
    if few_shot > len(examples):
        raise BadInput(
            f"few_shot is {few_shot}, but benchmark {benchmark.name!r} has {len(examples)} "
            "examples; ask for no more than these"
        )
    shown = examples[:few_shot]
    return [
        _Shot(layout.question(item, order), layout.right(item, order), working)
        for item, working in zip(shown, _workings(benchmark, layout, shown), strict=True)
        for order in [None if item.options is None else tuple(range(len(item.options)))]
    ]


def _workings(
    benchmark: Benchmark, layout: Layout, examples: Sequence[Published]
) -> list[str | None]:
    """How each example is worked out in the language to reason in; None for direct answers."""
    if layout.reasoning == "none":
        return [None] * len(examples)
    english = layout.reasoning == "english"
    worked = benchmark.examples("en")[: len(examples)] if english else examples
    if not all(example.working for example in worked):
        raise BadInput(
            f"the examples of benchmark {benchmark.name!r} are not worked out in "
            f"{layout.row.name}; with reasoning {layout.reasoning} write few_shot: 0"
        )
    return [example.working for example in worked]


def _prompt(
    layout: Layout, shots: Sequence[_Shot], item: Published, order: Order, form: Form
) -> Prompt:
    question = layout.question(item, order)
    if form == "chat":
        return Prompt(messages=tuple(_turns(layout, shots, question)))
    blocks = [layout.instruction]
    blocks += [f"{shot.question}\n{layout.worked(shot.working, shot.answer)}" for shot in shots]
    blocks.append(f"{question}\n{layout.opening}")
    return Prompt(text="\n\n".join(blocks))


def _turns(layout: Layout, shots: Sequence[_Shot], question: str) -> Iterator[dict[str, str]]:
    """No system turn: several chat templates refuse it."""
    opening = f"{layout.instruction}\n\n"
    for shot in shots:
        yield {"role": "user", "content": opening + shot.question}
        yield {"role": "assistant", "content": layout.said(shot.working, shot.answer)}
        opening = ""
    yield {"role": "user", "content": opening + question}


def _hint(layout: Layout, item: Published, order: Order, draw: _Draw) -> Hint:
    key = f"{draw.benchmark}/{item.item_id}"
    right, wrong = layout.right(item, order), layout.wrong(item, order)
    return Hint(key, draw.language, right, wrong, item.source_language)
