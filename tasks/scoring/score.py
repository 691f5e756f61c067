"""From graded samples to the table of scores: the one entry point."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tasks.artifacts.schemas import ANALYSES, PROFILES, SCORES
from tasks.errors import BadInput
from tasks.languages import HELD_OUT
from tasks.languages.codes import bare_code, spelled
from tasks.scoring.analyses import Analyses
from tasks.scoring.benchmark_scores import BenchmarkScores
from tasks.scoring.beside import count_rows, curved_profiles, notes_of, profile_rows, spread_rows
from tasks.scoring.columns import as_table
from tasks.scoring.comparisons import Pair, fair_pairs, pair_notes
from tasks.scoring.estimates import Estimates, Kind
from tasks.scoring.exclusion import Exclusion, with_and_without
from tasks.scoring.gain_split import split_rows
from tasks.scoring.intervals import resample_counts, seeded
from tasks.scoring.model_facts import ModelFacts
from tasks.scoring.pass_rates import PassRates, pass_rates
from tasks.scoring.sheet import Row, Sheet


class Scored(NamedTuple):
    """SCORES, PROFILES, ANALYSES, and what a reader should know beside them."""

    scores: pa.Table
    profiles: pa.Table
    analyses: pa.Table
    notes: list[str]


def score(
    grades: pd.DataFrame | pa.Table,
    *,
    source: str = "en",
    pairs: Sequence[tuple[str, str]] = (),
    reasoned: Collection[str] = (),
    languages: Sequence[tuple[str, str]] = (),
    models: Sequence[ModelFacts] = (),
    exclude: Exclusion | None = None,
    resamples: int = 1000,
    seed: int = 0,
    interval: Kind = "percentile",
    held_out: Sequence[str] = HELD_OUT,
) -> Scored:
    """All scores of all benchmarks, and differences from the same resamples.

    `grades` has the columns of GRADES; without `source_language`, `source` is that of all items.
    `pairs` are models (model, baseline) and `languages` targets that are compared; `reasoned` are
    models that may be compared though they were asked to reason otherwise, since that is their
    method. `models` are facts that analyses over models need. A benchmark with items that `exclude`
    names, or that are flagged in the grades, is scored with and without them. `interval` says which
    limits the bootstrap gives from 100 items on. Raises BadInput for grades that cannot be scored,
    and for differences across unequal sampling.
    """
    table, notes = with_and_without(as_table(grades), exclude)
    pairs, languages = _different(pairs), _different(languages)
    _refuse_strangers(table, pairs)
    scores: list[Row] = []
    profiles: list[Row] = []
    analyses: list[Row] = []
    for rates in pass_rates(table, source):
        counts = resample_counts(rates.stratum, resamples, seeded(seed, rates.benchmark))
        sheet, fair = Sheet(rates), tuple(fair_pairs(rates, pairs, reasoned))
        held = np.isin([bare_code(language) for language in rates.languages], list(held_out))
        compared = _places(rates, languages)
        one = BenchmarkScores(rates, sheet, counts, fair, compared, held, interval)
        over_models = Analyses(rates, sheet, models)
        found: list[Row] = []
        cells: dict[str, Estimates] = {}
        for estimated in one.estimated():
            found += one.rows(estimated)
            over_models.keep(estimated)
            cells[estimated.metric] = estimated.targets
        scores += found
        scores += split_rows(one, cells)
        scores += count_rows(rates, sheet)
        scores += spread_rows(rates, sheet, counts, fair, seed)
        profiles += profile_rows(rates, sheet)
        analyses += over_models.rows()
        notes += [*notes_of(rates), *curved_profiles(found, rates.languages)]
        notes += pair_notes(rates, pairs)
        notes += _uncompared(rates, sheet, compared, len(languages))
    return Scored(
        pa.Table.from_pylist(scores, SCORES),
        pa.Table.from_pylist(profiles, PROFILES),
        pa.Table.from_pylist(analyses, ANALYSES),
        notes,
    )


def _refuse_strangers(table: pa.Table, pairs: Sequence[tuple[str, str]]) -> None:
    known = set(pc.unique(table.column("model")).to_pylist()) if pairs else set()
    for name in sorted({name for pair in pairs for name in pair} - known):
        raise BadInput(
            f"there are no grades of model {name!r}, which is to be compared: "
            f"name one of {', '.join(sorted(map(str, known)))}."
        )


def _different(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each pair once; raises BadInput for a thing compared with itself."""
    for one, other in pairs:
        if one == other:
            raise BadInput(f"{one!r} is to be compared with itself: name two different ones.")
    return list(dict.fromkeys(pairs))


def _places(rates: PassRates, languages: Sequence[tuple[str, str]]) -> tuple[Pair, ...]:
    """The pairs of languages that a benchmark has both of."""
    place = {language: i for i, language in enumerate(rates.languages)}
    known = [tuple(spelled(one, place) for one in pair) for pair in languages]
    return tuple(Pair(place[a], place[b]) for a, b in known if a in place and b in place)


def _uncompared(rates: PassRates, sheet: Sheet, compared: Sequence[Pair], asked: int) -> list[str]:
    """Which of the `asked` pairs of languages come to nothing in a benchmark."""
    notes = []
    if len(compared) < asked:
        notes.append(
            f"{rates.benchmark}: {asked - len(compared)} of {asked} pairs of languages are not "
            f"compared, as it has no answers in both (only in {', '.join(rates.languages)})"
        )
    for place in sorted({place for pair in compared for place in pair}):
        if not sheet.targets[place]:
            notes.append(
                f"{rates.benchmark}: {rates.languages[place]} is the source and no target, so that "
                "no difference to it is defined; see xlt_gap"
            )
    return notes
