"""From graded samples to sufficient statistics per model, language and item.

Everything later is computed from these sums, so a score costs one pass over the samples. An answer
that is unparsed, truncated, empty or missing counts as 0; the share of others is the coverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from tasks.errors import BadInput
from tasks.scoring.columns import as_table, labels
from tasks.scoring.item_sources import (
    refuse_absent_source,
    refuse_two_spellings,
    respelled,
    sources_of_items,
)
from tasks.scoring.majority import majority_scores
from tasks.scoring.samples import (
    Samples,
    forms,
    same_per_item,
    sample_keys,
    samples,
    sum_order,
    temperatures,
)
from tasks.scoring.statistics import Array, Ints


@dataclass(frozen=True)
class PassRates:
    """Sums over the samples of one benchmark, arrays [model, language, item].

    Items of a benchmark that is not parallel are different ones in each language, whatever their
    ids. `source` [item] is an index into `languages`, -1 without source language or where nobody
    answered in it (`sourceless` names these); `unit` [item] is the resampling unit and `stratum`
    [unit] what is resampled apart.
    """

    benchmark: str
    models: tuple[str, ...]
    languages: tuple[str, ...]
    items: tuple[str, ...]
    parallel: bool
    source: Ints
    sourceless: tuple[str, ...]  # [such item], its source language
    unit: Ints
    stratum: Ints
    options: Array  # [item], NaN where the item has none
    temperature: Array  # [model], NaN where not stated
    form: tuple[str | None, ...]  # [model], how it was asked
    n: Array
    total: Array
    squares: Array
    parsed: Array
    truncated: Array
    majority: Array | None  # score of the most frequent answer; None: no answers are given
    tokens: Array | None  # mean over the samples, NaN where not counted; None: nowhere counted
    reasoning_tokens: Array | None
    remarks: tuple[str, ...]  # what is odd about rows, each as the rest of a sentence

    @property
    def has_transfer(self) -> bool:
        """Whether transfer scores are defined: parallel items with a source language."""
        return self.parallel and bool((self.source >= 0).any())

    def frame(self) -> pd.DataFrame:
        """One row per model, language and item with samples."""
        model, language, item = np.nonzero(self.n)
        columns = {"n": self.n, "sum": self.total, "squares": self.squares, "parsed": self.parsed}
        return pd.DataFrame(
            {
                "model": np.array(self.models, dtype=object)[model],
                "benchmark": self.benchmark,
                "language": np.array(self.languages, dtype=object)[language],
                "item_id": np.array(self.items, dtype=object)[item],
                **{name: values[model, language, item] for name, values in columns.items()},
            }
        )


def pass_rates(grades: pd.DataFrame | pa.Table, source: str = "en") -> Iterator[PassRates]:
    """The sums of each benchmark, by name; raises BadInput for grades that cannot be scored.

    `source` is the source language of all items when the grades have no `source_language` column.
    """
    table = as_table(grades)
    benchmarks = labels(table, "benchmark")
    refuse_absent_source(table, source)
    for code, benchmark in enumerate(benchmarks.names):
        # One benchmark at a time: the columns as numbers take several times the table's room.
        only = table.filter(pa.array(benchmarks.codes == code))
        yield _benchmark(benchmark, samples(only, source))


def _benchmark(name: str, rows: Samples) -> PassRates:
    parallel = _parallel(name, rows)
    refuse_two_spellings(name, rows)
    items, item = _item_axis(rows, parallel)
    models, languages = rows.model.names, rows.language.names
    shape = (len(models), len(languages), len(items))
    outer = rows.model.codes.astype(np.int64) * shape[1] + rows.language.codes
    cell = outer * shape[2] + item
    order = sum_order(rows.score, sample_keys(name, rows, cell))
    if order is not None:
        rows, item, cell = rows.taken(order), item[order], cell[order]

    def summed(weights: Array | None) -> Array:
        return np.bincount(cell, weights, np.prod(shape)).astype(float).reshape(shape)

    n = summed(None)
    of_item, sourceless = sources_of_items(name, rows, items, item, parallel)
    unit, stratum = _units(name, rows, items, item, parallel)
    votes = majority_scores(cell, rows.answer, rows.score, int(np.prod(shape)))
    found = PassRates(
        benchmark=name,
        models=tuple(models),
        languages=tuple(languages),
        items=tuple(items),
        parallel=parallel,
        source=of_item,
        sourceless=sourceless,
        unit=unit,
        stratum=stratum,
        options=same_per_item(name, "n_options", rows.options, items, item),
        temperature=temperatures(name, rows),
        form=tuple(forms(name, rows)),
        n=n,
        total=summed(rows.score),
        squares=summed(rows.score**2),
        parsed=summed(rows.parsed),
        truncated=summed(rows.truncated),
        majority=None if votes is None else votes.reshape(shape),
        tokens=_means(rows.tokens, cell, shape),
        reasoning_tokens=_means(rows.reasoning, cell, shape),
        remarks=(*rows.remarks, *(respelled(rows) if parallel else ())),
    )
    _has_source_answers(found)
    return found


def _means(values: Array, cell: Ints, shape: tuple[int, int, int]) -> Array | None:
    """Mean of what is counted in each cell; None where nothing is, or nothing but zeros."""
    known = ~np.isnan(values)
    if not values[known].any():
        return None
    cells = int(np.prod(shape))
    count = np.bincount(cell, known, cells)
    total = np.bincount(cell, np.where(known, values, 0.0), cells)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape)


def _parallel(name: str, rows: Samples) -> bool:
    stated = np.unique(np.where(np.isnan(rows.parallel), 1.0, rows.parallel))
    if len(stated) > 1:
        raise BadInput(f"benchmark {name!r} is parallel in some rows only: say one or the other.")
    return bool(stated[0])


def _item_axis(rows: Samples, parallel: bool) -> tuple[list[str], Ints]:
    """Item ids and each row's place among them; by language too where items are not parallel."""
    if parallel:
        return rows.item.names, rows.item.codes
    key = rows.language.codes.astype(np.int64) * len(rows.item.names) + rows.item.codes
    present, place = np.unique(key, return_inverse=True)
    return [rows.item.names[k % len(rows.item.names)] for k in present], place


def _has_source_answers(rates: PassRates) -> None:
    """Each model of a benchmark with transfer scores needs answers in a source language."""
    if not rates.has_transfer:
        return
    item = np.flatnonzero(rates.source >= 0)
    answered = rates.n[:, rates.source[item], item].sum(-1)
    for place, model in enumerate(rates.models):
        if answered[place] == 0:
            sources = "+".join(rates.languages[i] for i in np.unique(rates.source[item]))
            raise BadInput(
                f"model {model!r} has no answers in {sources!r}, the source language of benchmark "
                f"{rates.benchmark!r}, which its {int(rates.n[place].sum())} answers need; nothing "
                "was scored: add them, leave those rows out, or name another source."
            )


def _units(
    name: str, rows: Samples, items: list[str], item: Ints, parallel: bool
) -> tuple[Ints, Ints]:
    """The resampling unit of each item, and the stratum of each unit: its language or 0."""
    cluster = same_per_item(name, "cluster", rows.cluster.codes, items, item)
    alone = len(rows.cluster.names) + np.arange(len(items))
    language = np.zeros(len(items), dtype=np.int64)
    if not parallel:
        language[item] = rows.language.codes
    key = language * (len(rows.cluster.names) + len(items)) + np.where(cluster < 0, alone, cluster)
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, language[first]
