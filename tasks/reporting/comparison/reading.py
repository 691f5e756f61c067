"""What the scores say and do not say, in one paragraph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from tasks.reporting.comparison.compared import Comparison, abridged
from tasks.reporting.comparison.statements import anchors
from tasks.reporting.comparison.tables import NO_REASON, differences
from tasks.reporting.names import SCRIPT_DIFFERENCE, metric
from tasks.reporting.scores import Score, side_of_zero

_NAMED = 4  # models that a sentence names
_SIDES = (
    ("excludes 0: higher", "above 0"),
    ("excludes 0: lower", "below 0"),
    ("includes 0", "not shown either way (interval includes 0)"),
    ("no interval", "undefined or without interval"),
)


def reading(c: Comparison) -> list[tuple[str, str]]:
    """(what about, sentences) that the tables bear out; what was not shown is said as plainly."""
    originals = [b for b in c.benchmarks if c.original(b) == b]
    found: list[tuple[str, str]] = [
        (benchmark, _of_benchmark(c, benchmark)) for benchmark in originals
    ]
    if len(c.models) > 1 and not any(row.baseline for row in differences(c)):
        found.append(("Differences", _NO_PAIRS))
    found.append(("Beside the HAT paper", _anchored(c)))
    found.append(("Undefined", _undefined(c)))
    return [(about, said) for about, said in found if said]


_NO_PAIRS = (
    "no pairs of models were compared on the same resamples, so that the intervals are those of "
    "single models and say little about differences."
)


def _of_benchmark(c: Comparison, benchmark: str) -> Markup:
    """The level of the models, the differences between them, and between scripts."""
    name = c.main(benchmark)
    between = [r for r in differences(c) if r.baseline and r.benchmark == benchmark]
    scripts = [c.find(model, benchmark, SCRIPT_DIFFERENCE, name) for model in c.models]
    parts = [_level(c, benchmark)]
    for one in dict.fromkeys(row.metric for row in between):
        rows = [row for row in between if row.metric == one]
        parts.append(_tally(f"differences in {metric(one).title}", rows))
    if rows := [row for row in scripts if row]:
        parts.append(_tally("other script less same script", rows))
    return Markup("{}.").format(Markup("; ").join(parts))


def _level(c: Comparison, benchmark: str) -> str | Markup:
    """Where the models lie in the score to compare."""
    name = c.main(benchmark)
    title = metric(name).title
    found = [
        (row.value, f"{row.shown} {row.limits}".strip(), model.name)
        for model in c.models
        if (row := c.find(model, benchmark, "mean", name)) and row.value is not None
    ]
    if not found:
        return f"no model has a mean of {title}"
    _, least, lowest = min(found)
    _, most, highest = max(found)
    if len(found) == 1:
        return Markup("{} of {} is {}").format(title, _isolated(lowest), least)
    return Markup("{} from {} ({}) to {} ({}), {} models").format(
        title, least, _isolated(lowest), most, _isolated(highest), len(found)
    )


def _isolated(name: str) -> Markup:
    """A model's name, whose script does not turn the order of the words and numbers around it."""
    return Markup("<bdi>{}</bdi>").format(abridged(name))


def _tally(what: str, rows: Sequence[Score]) -> Markup:
    """How many intervals lie on which side of 0, naming those that exclude it."""
    parts = []
    for side, words in _SIDES:
        who = [_who(row) for row in rows if side_of_zero(row.low, row.high) == side]
        if side.startswith("excludes") and 0 < len(who) <= _NAMED:
            parts.append(Markup("{} {} ({})").format(len(who), words, Markup(", ").join(who)))
        elif who:
            parts.append(Markup("{} {}").format(len(who), words))
    return Markup("{}: {}").format(what, Markup(", ").join(parts))


def _who(row: Score) -> Markup:
    if row.baseline is None:
        return _isolated(row.model)
    return Markup("{} − {}").format(_isolated(row.model), _isolated(row.baseline))


def _anchored(c: Comparison) -> str:
    """How many of the paper's figures ours agree with."""
    counts = Counter(s.against_published for s in anchors(c.statements))
    said = ", ".join(f"{count} “{words}”" for words, count in counts.most_common())
    return f"of {counts.total()} figures, {said}." if counts else ""


def _undefined(c: Comparison) -> str:
    """How many scores have no value, and why most of them have none."""
    absent = [row for row in c.scores.rows if row.value is None]
    if not absent:
        return "no score; every one has a value."
    reasons = Counter(row.note or NO_REASON for row in absent)
    said = "; ".join(f"{note} ({count:,})" for note, count in reasons.most_common(3))
    more = " and other reasons" if len(reasons) > 3 else ""
    return f"{len(absent):,} of {len(c.scores.rows):,} scores: {said}{more}; see Notes."
