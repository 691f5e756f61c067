"""What stands beside the scores: counts, spread over languages, profiles for pictures, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tasks.scoring.comparisons import Pair
from tasks.scoring.estimates import Bools, difference, drawn
from tasks.scoring.metrics import accuracy, coverage, no_transfer, source_and_target
from tasks.scoring.pass_rates import PassRates
from tasks.scoring.scripts import unknown_scripts
from tasks.scoring.sheet import Row, Sheet, number
from tasks.scoring.spread import (
    FEWEST_LANGUAGES,
    SPREADS,
    answered_languages,
    noise_floors,
    of_languages,
    std_corrected,
)
from tasks.scoring.statistics import Array
from tasks.scoring.transfer import without_source_pass

LOW_COVERAGE = 0.95
TRUNCATED = 0.01  # share of answers above which the length limit is part of what is measured
COVERAGE_APART = 0.02  # between source and target; above it unreadable answers pass for transfer
BINS = 10  # of the observed source pass rate


def count_rows(rates: PassRates, sheet: Sheet) -> Iterator[Row]:
    """How many items no source sample solved, so that they say nothing about transfer."""
    if not rates.has_transfer:
        return
    both = source_and_target(rates)
    empty, items = without_source_pass(both), both.items.sum(-1)
    for model, target in np.argwhere(sheet.targets & (items > 0)).tolist():
        yield sheet.count(
            "items_without_source_pass",
            target,
            empty[model, target],
            Pair(model, -1),
            items[model, target],
        )


def spread_rows(
    rates: PassRates, sheet: Sheet, counts: Array, pairs: Sequence[Pair], seed: int
) -> Iterator[Row]:
    """Spread over languages beside its noise floor; differences of spreads with intervals."""
    answered = answered_languages(rates)
    enough = answered.sum(1) >= FEWEST_LANGUAGES
    if not enough.any():
        return
    accuracies = accuracy(rates).grouped(rates.unit)
    values, draws = accuracies.value(), accuracies.resampled(counts)
    floors = noise_floors(rates, seed)
    for model in np.flatnonzero(enough).tolist():
        found = of_languages(values[model], answered[model])
        shown = {name: number(value) for name, value in found.items()}
        shown["std_corrected"] = std_corrected(rates, model)
        shown |= {f"{name}_noise_floor": number(v) for name, v in floors[model].items()}
        for metric, value in shown.items():
            yield sheet.over_languages(metric, value, Pair(model, -1))
    for pair in pairs:
        one, other = answered[pair.model], answered[pair.baseline]
        if not enough[pair.model] or (one != other).any():
            continue
        first, second = ((of_languages(values[m], one), of_languages(draws[m], one)) for m in pair)
        for metric in SPREADS:
            between = difference(
                drawn(first[0][metric], first[1][metric]),
                drawn(second[0][metric], second[1][metric]),
            )
            yield sheet.over_languages(metric, between, pair)


def profile_rows(rates: PassRates, sheet: Sheet) -> Iterator[Row]:
    """Mean target pass rate in bins of the observed source pass rate: a picture, no estimate."""
    if not rates.has_transfer:
        return
    both = source_and_target(rates)
    bins = np.round(both.s[:, 0] * BINS).astype(int)  # [model, item]
    for model, name in enumerate(rates.models):
        within = (bins[model] == np.arange(BINS + 1)[:, None]).astype(float)  # [bin, item]
        paired = both.items[model]
        items = within @ paired.T  # [bin, target]
        sources = within @ (paired * both.s[model]).T
        targets = within @ (paired * both.t[model]).T
        for target, place in np.argwhere(items.T > 0).tolist():
            yield {
                "model": name,
                "benchmark": rates.benchmark,
                "source": sheet.source,
                "target": rates.languages[target],
                "source_rate": sources[place, target] / items[place, target],
                "target_rate": targets[place, target] / items[place, target],
                "n_items": int(items[place, target]),
            }


def notes_of(rates: PassRates) -> Iterator[str]:
    """Where transfer is not defined, what is missing, and what could not be read."""
    yield from (f"{rates.benchmark}: {remark}" for remark in rates.remarks)
    unknown = unknown_scripts(rates)
    if rates.has_transfer and unknown:
        yield (
            f"{rates.benchmark}: the script of {', '.join(unknown)} is not known, so that they are "
            "in neither group of scripts"
        )
    if not rates.has_transfer:
        yield f"{rates.benchmark}: no transfer scores: {no_transfer(rates)}"
    elif rates.sourceless:
        languages = ", ".join(sorted(set(rates.sourceless)))
        yield (
            f"{rates.benchmark}: {len(rates.sourceless)} items have no transfer score, since "
            f"nobody answered in their source language ({languages})"
        )
    yield from _missing_items(rates)
    yield from _cut(rates)
    yield from _unreadable(rates)
    if rates.has_transfer:
        yield from _single_samples(rates)


def curved_profiles(rows: Iterable[Row], languages: Sequence[str]) -> Iterator[str]:
    """Languages in which a line through the origin is the wrong picture of transfer."""
    for row in rows:
        if row["metric"] != "profile_curvature" or row["baseline"] or row["low"] is None:
            continue
        if row["target"] in languages and not row["low"] <= 0 <= row["high"]:
            yield (
                f"{row['benchmark']}: {row['model']} in {row['target']}: the profile is not a line "
                f"through 0 (hat_corrected - ratio_of_means {row['value']:+.3f}); see hat_integral"
            )


def _missing_items(rates: PassRates) -> Iterator[str]:
    if not rates.parallel:
        return
    answered = rates.n > 0
    anyone = np.asarray(answered.any(0))  # [language, item]
    lonely = anyone.sum(0) == 1
    if lonely.any() and len(rates.languages) > 1:
        yield (
            f"{rates.benchmark}: {int(lonely.sum())} items are in one language only and have no "
            f"transfer score{_one_of(rates, lonely)}"
        )
    for place, language in enumerate(rates.languages):
        missing = ~anyone[place]
        if missing.any():
            yield (
                f"{rates.benchmark}: {int(missing.sum())} of {len(rates.items)} items missing in "
                f"{language}{_one_of(rates, missing)}{_consequence(rates, place, missing)}"
            )
    for model, language in np.argwhere((answered != anyone).any(-1)).tolist():
        missing = anyone[language] & ~answered[model, language]
        yield (
            f"{rates.benchmark}: {rates.models[model]} has no answers to {int(missing.sum())} "
            f"items in {rates.languages[language]}{_one_of(rates, missing)}"
            f"{_consequence(rates, language, missing)}"
        )


def _one_of(rates: PassRates, which: Bools) -> str:
    return f", {rates.items[int(np.argmax(which))]!r} for one"


def _consequence(rates: PassRates, language: int, missing: Bools) -> str:
    """What becomes of items without answers in a language, beyond its own scores."""
    of = int((missing & (rates.source == language)).sum())
    return f"; it is the source of {of} of these, which count in no transfer score" if of else ""


def _single_samples(rates: PassRates) -> Iterator[str]:
    both = source_and_target(rates)
    single = np.asarray((both.items > both.repeated).any(1)).sum(-1)  # [model]
    for model in np.flatnonzero(single).tolist():
        yield (
            f"{rates.benchmark}: {rates.models[model]} has one source sample of {single[model]} "
            "items, which corrected scores leave out"
        )


def _cut(rates: PassRates) -> Iterator[str]:
    share = rates.truncated.sum(-1) / np.maximum(rates.n.sum(-1), 1)
    for model, language in np.argwhere(share > TRUNCATED).tolist():
        yield (
            f"{rates.benchmark}: {rates.models[model]} in {rates.languages[language]}: "
            f"{share[model, language]:.1%} of the answers reached the length limit before they "
            "came to an answer; raise the limit"
        )


def _unreadable(rates: PassRates) -> Iterator[str]:
    covered = coverage(rates)
    for model, language in np.argwhere(covered < LOW_COVERAGE).tolist():
        yield (
            f"{rates.benchmark}: {rates.models[model]} in {rates.languages[language]}: only "
            f"{covered[model, language]:.0%} of the answers could be graded"
        )
    if not rates.has_transfer:
        return
    apart = coverage_apart(rates)
    for model, language in np.argwhere(np.abs(apart) > COVERAGE_APART).tolist():
        yield (
            f"{rates.benchmark}: {rates.models[model]} in {rates.languages[language]}: coverage "
            f"is {100 * apart[model, language]:+.1f} points from the source's; see hat_parsed"
        )


def coverage_apart(rates: PassRates) -> Array:
    """Coverage of the target minus that of the source on the same items, [model, language]."""
    both = source_and_target(rates)
    item = np.arange(len(rates.items))
    share = rates.parsed / np.maximum(rates.n, 1)
    source = share[:, rates.source, item][:, None]
    return np.asarray(((share - source) * both.items).sum(-1) / np.maximum(both.items.sum(-1), 1))
