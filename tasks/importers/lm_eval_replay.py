"""The scores of repeats that lm-evaluation-harness drew but did not score.

Its usual filters keep the first of the repeats, or a vote, and its log has one score per document.
What it did to that one answer is stated beside the log (filters, arguments of exact_match) or is
nothing; done to the answers that it kept, it must give what is logged for every document of the
file, and only then is it done to the others.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

Step = Callable[[str], str]
METRIC = "exact_match"
VOTE = "majority_vote"
_SELECTING = ("take_first", "take_first_k", VOTE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)
# How exact_match may compare; the logged scores tell which of them it was.
COMPARED: tuple[Step, ...] = (
    lambda text: text,
    str.lower,
    lambda text: text.translate(_PUNCTUATION),
    lambda text: text.lower().translate(_PUNCTUATION),
)


class Replay(NamedTuple):
    """`extract` gives the answer in a response; `compared` is what is equal if it is right."""

    extract: Step
    compared: Step

    def score(self, answer: str, target: str) -> float:
        """1 where the answer is the target, else 0."""
        return float(self.compared(answer) == self.compared(target))


def replay(
    records: Iterable[dict[str, Any]], filter_name: str | None, vote: bool, config: dict[str, Any]
) -> Replay | None:
    """What reproduces answer and score of every record; None where nothing does.

    `records` are the lines of one filter whose responses are text; `vote` tells that it scores the
    most frequent answer rather than the first; `config` is the task's. None, too, where nothing
    was repeated.
    """
    extract = _extract(config.get("filter_list"), filter_name)
    ignored = _ignored(config.get("metric_list"))
    left = [Replay(extract, _after(ignored, one)) for one in COMPARED] if extract else []
    for record in records:
        repeated = len(record["resps"][0]) > 1
        left = [one for one in left if repeated and _reproduces(one, record, vote)]
        if not left:
            return None
    return left[0] if left else None


def _reproduces(one: Replay, record: dict[str, Any], vote: bool) -> bool:
    logged, score = record["filtered_resps"][0], record.get(METRIC)
    try:
        answers = [one.extract(said) for said in record["resps"][0]]
    except (IndexError, RecursionError):
        return False
    kept = logged if isinstance(logged, str) else logged[0] if len(logged) == 1 else None
    chosen = Counter(answers).most_common(1)[0][0] if vote else answers[0]
    return kept == chosen and one.score(kept, str(record["target"])) == score


def _extract(filters: Any, name: str | None) -> Step | None:
    """The steps of a filter before it selects; None for a step that is not known here."""
    steps: list[dict[str, Any]] = next(
        (f["filter"] for f in filters or () if f.get("name") == name), []
    )
    known = [_step(step) for step in steps if step.get("function") not in _SELECTING]
    return None if None in known else _chain([step for step in known if step])


def _step(step: dict[str, Any]) -> Step | None:
    simple: dict[Any, Step] = {
        "remove_whitespace": str.strip,
        "lowercase": str.lower,
        "uppercase": str.upper,
    }
    if step.get("function") != "regex":
        return simple.get(step.get("function"))
    try:
        pattern = re.compile(step["regex_pattern"])
    except (KeyError, TypeError, re.error):
        return None
    select, fallback = int(step.get("group_select", 0)), str(step.get("fallback", "[invalid]"))

    def found(text: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return fallback
        match = matches[select]
        groups = [match] if isinstance(match, str) else [group for group in match if group]
        return groups[0].strip() if groups else fallback

    return found


def _ignored(metrics: Any) -> Step:
    """What exact_match takes out of both sides before it compares."""
    stated: dict[str, Any] = next((m for m in metrics or () if m.get("metric") == METRIC), {})
    patterns: Sequence[str] = stated.get("regexes_to_ignore") or ()
    return _chain([partial(re.sub, pattern, "") for pattern in patterns])


def _after(first: Step, then: Step) -> Step:
    return _chain([first, then])


def _chain(steps: Sequence[Step]) -> Step:
    def through(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return through
