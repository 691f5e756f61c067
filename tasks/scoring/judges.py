"""What a judge's own check says, as notes beside the scores that it gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

MOST_WRONG = 0.05  # of blanks, shuffled references and wrong letters that a sound judge accepts
FEWEST_GOLD = 0.95  # of an item's own golds that it accepts
# How the cases of a check are called, in the order in which they are told.
_CASES = {
    "blank": "blanks",
    "shuffled": "other items' golds",
    "wrong letter": "wrong letters",
    "gold": "golds",
}
Facts = Mapping[str, Any]
Counts = Mapping[str, Mapping[str, int]]


def judge_notes(judged: Mapping[str, Facts]) -> Iterator[str]:
    """One note for each judge of each benchmark, and one for whatever makes it doubtful.

    `judged` is MODEL/[KIND/]BENCHMARK/LANGUAGE -> the facts `judge` of its grades or ratings.
    """
    for (benchmark, judge), cells in _by_judge(judged).items():
        checks = {language: facts["counts"] for (_, language), facts in cells.items()}
        yield f"{benchmark}: judged by {judge}, which accepts {_told(_summed(checks.values()))}"
        for place, case, count in _doubtful(checks):
            yield (
                f"{benchmark}: {judge} is no sound judge in {place}: it accepts "
                f"{count['accepted']} of {count['asked']} {_CASES[case]}"
            )
        yield from _unread(benchmark, judge, cells)


def _by_judge(judged: Mapping[str, Facts]) -> dict[tuple[str, str], dict[tuple[str, str], Facts]]:
    """(Benchmark, judge) -> (model, language) -> facts."""
    found: dict[tuple[str, str], dict[tuple[str, str], Facts]] = defaultdict(dict)
    for cell, facts in judged.items():
        model, *_, benchmark, language = cell.split("/")
        votes = f", {facts['votes']} votes" if facts["votes"] > 1 else ""
        scale = f"{facts['model']} ({facts['scale']}{votes})"
        found[benchmark, scale][model, language] = facts
    return found


def _summed(checks: Any) -> dict[str, dict[str, int]]:
    total: dict[str, dict[str, int]] = {}
    for counts in checks:
        for case, count in counts.items():
            known = total.setdefault(case, dict.fromkeys(count, 0))
            for name, number in count.items():
                known[name] += number
    return total


def _told(counts: Counts) -> str:
    return ", ".join(
        f"{counts[case]['accepted']} of {counts[case]['asked']} {name}"
        for case, name in _CASES.items()
        if case in counts
    )


def _doubtful(checks: Mapping[str, Counts]) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """Place, case and its counts where too many are accepted, or of golds too few.

    One language at a time only where all of them together are well.
    """
    whole = _summed(checks.values())
    for case in (case for case in _CASES if case in whole):
        if _is_doubtful(case, whole[case]):
            yield "all languages", case, whole[case]
            continue
        for language, counts in checks.items():
            if case in counts and _is_doubtful(case, counts[case]):
                yield language, case, counts[case]


def _is_doubtful(case: str, count: Mapping[str, int]) -> bool:
    share = count["accepted"] / count["asked"]
    return share < FEWEST_GOLD if case == "gold" else share > MOST_WRONG


def _unread(benchmark: str, judge: str, cells: Mapping[tuple[str, str], Facts]) -> Iterator[str]:
    """Answers without a verdict count as unparsed: how many, of each model."""
    answers: dict[str, list[Counts]] = defaultdict(list)
    for (model, _), facts in cells.items():
        answers[model].append(facts["counts"])
    for model, counts in answers.items():
        total = _summed(counts).get("answer", {"unparsed": 0, "asked": 0})
        if total["unparsed"]:
            yield (
                f"{benchmark}: {model}: the verdict of {judge} could not be read for "
                f"{total['unparsed']} of {total['asked']} answers, which lowers the "
                "coverage"
            )
