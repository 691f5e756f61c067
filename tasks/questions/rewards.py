"""Format, LAI and LSI as the three reward functions of a GRPO trainer, measured together.

What a rollout gets, best first:

    its question may be kept    format 1, LAI and LSI as measured (both at least 0)
    its question is refused     format 1, LAI and LSI 0: a gate's verdict is about the question
    it does not parse           format below 1, LAI and LSI 0
    it could not be measured    None from every function, so that it does not count at all

The last line is needed because the trainer adds up what is not None: a lone None would count as 0
and rank a question below all others because the *student* (or the scorer) failed. Questions in
English have no LSI; there a None from LSI alone is right, being the same for their whole group.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tasks.questions.deficits import Asked, Deficit
from tasks.questions.gates import refusal
from tasks.questions.parsing import Triple, format_score, parse
from tasks.questions.prompts import Form, written_text
from tasks.questions.settings import RewardWeights

logger = logging.getLogger(__name__)

NAMES = ("format", "lai", "lsi")
RewardFunction = Callable[..., list[float | None]]
Score = Callable[[Sequence[Asked], bool], list[Deficit]]


class Rollout(NamedTuple):
    """One completion of the generator; a row of ROLLOUTS."""

    step: int
    seed_id: str
    language: str
    completion: str
    format: float
    lai: float | None
    lsi: float | None
    lsi_null: float | None
    reason: str | None


class Rewards:
    """Scores each batch of completions once and keeps its rollouts until they are taken."""

    def __init__(self, weights: RewardWeights, form: Form, score: Score) -> None:
        self._rollouts: list[Rollout] = []
        self._weights = weights
        self._form = form
        self._score = score
        self._seen: tuple[int, tuple[str, ...]] | None = None
        self._values: list[dict[str, float | None]] = []
        self._failed_before = False

    def take(self) -> list[Rollout]:
        """What was scored since this was last asked."""
        taken, self._rollouts = self._rollouts, []
        return taken

    def functions(self) -> tuple[list[RewardFunction], list[float]]:
        """The functions of weight above 0, with their weights."""
        weighed = [(name, getattr(self._weights, name)) for name in NAMES]
        used = [(name, weight) for name, weight in weighed if weight]
        return [self._function(name) for name, _ in used], [weight for _, weight in used]

    def _function(self, name: str) -> RewardFunction:
        def reward(
            prompts: Sequence[Any], completions: Sequence[Any], **columns: Any
        ) -> list[float | None]:
            self._measure([_text(completion) for completion in completions], columns)
            return [values[name] for values in self._values]

        reward.__name__ = name
        return reward

    def _measure(self, texts: list[str], columns: dict[str, Any]) -> None:
        """Score a batch, unless another of the functions has already done so."""
        step = columns["trainer_state"].global_step + 1
        if self._seen == (step, tuple(texts)):
            return
        self._seen = step, tuple(texts)
        shown = [written_text(text, self._form, stopped=False) for text in texts]
        verdicts = _verdicts(shown, columns["language"], columns["question"])
        kept = [
            Asked(verdict.question, language)
            for verdict, language in zip(verdicts, columns["language"], strict=True)
            if isinstance(verdict, Triple)
        ]
        deficits = iter(self._deficits(kept))
        rows = [
            Rollout(step, seed_id, language, text, format_score(text), *_outcome(verdict, deficits))
            for text, verdict, seed_id, language in zip(
                shown, verdicts, columns["seed_id"], columns["language"], strict=True
            )
        ]
        self._rollouts += rows
        self._values = [row_rewards(row, self._weights) for row in rows]

    def _deficits(self, kept: list[Asked]) -> list[Deficit]:
        """Measured on the student. A failure is None for the batch; a second in a row is raised."""
        if not kept or not self._weights.lai + self._weights.lsi:
            return [Deficit(None, None, None, None) for _ in kept]
        try:
            deficits = self._score(kept, self._weights.lsi > 0)
        except RuntimeError as error:
            if self._failed_before:
                raise
            self._failed_before = True
            first_line = str(error).partition("\n")[0]
            logger.warning("the student could not be measured for this batch: %s", first_line)
            return [Deficit(None, None, None, f"scorer failed: {first_line}") for _ in kept]
        self._failed_before = False
        return deficits


def row_rewards(row: Rollout, weights: RewardWeights) -> dict[str, float | None]:
    """What each reward function returns for a rollout; the rules of this module's first lines."""
    needed = [name for name in NAMES if getattr(weights, name)]
    if row.language == "en" and "lsi" in needed:
        needed.remove("lsi")
    values: dict[str, float | None] = {name: getattr(row, name) for name in NAMES}
    if any(values[name] is None for name in needed):
        return dict.fromkeys(NAMES)
    return values


def _verdicts(
    texts: Sequence[str], languages: Sequence[str], references: Sequence[str]
) -> list[Triple | str]:
    """A triple that may be kept, or why there is none; of near-duplicates the first is kept."""
    verdicts: list[Triple | str] = []
    accepted: list[str] = []
    for text, language, reference in zip(texts, languages, references, strict=True):
        parsed = parse(text)
        if isinstance(parsed, Triple):
            reason = refusal(parsed.question, language, reference, accepted)
            if reason is None:
                accepted.append(parsed.question)
            verdicts.append(reason or parsed)
        else:
            verdicts.append(parsed)
    return verdicts


def _outcome(verdict: Triple | str, deficits: Any) -> Deficit:
    return Deficit(0.0, 0.0, None, verdict) if isinstance(verdict, str) else next(deficits)


def _text(completion: Any) -> str:
    """A completion as text; a conversation's is its one message."""
    return completion if isinstance(completion, str) else completion[0]["content"]
