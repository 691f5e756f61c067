"""What is asked of a student scorer and what it says; a student that is played has one as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from tasks.models.engine import Hint, Prompt, Sampling
from tasks.models.simulated import SimulatedEngine, pass_rate


class Asked(NamedTuple):
    """A question, its language, and a second one to reason in where that is another."""

    question: str
    language: str
    second: str | None = None

    @property
    def other(self) -> str:
        """The language that reasoning in English is compared with."""
        return self.second or self.language


class Deficit(NamedTuple):
    """LAI in [0, 1], LSI and lsi_null in [0, 2]; None where undefined, with the reason."""

    lai: float | None
    lsi: float | None
    lsi_null: float | None
    reason: str | None


Score = Callable[[Sequence[Asked]], list[Deficit]]


def played_deficits(profile: str) -> Score:
    """Deficits of a simulated student.

    LAI is that of its answers' sureness; LSI is how much less often it is right in the other
    language, since it has no hidden states.
    """
    engine = SimulatedEngine(profile)

    def score(questions: Sequence[Asked]) -> list[Deficit]:
        return [_played(engine, asked) for asked in questions]

    return score


def _played(engine: SimulatedEngine, asked: Asked) -> Deficit:
    prompt = Prompt(text=asked.question, hint=Hint(asked.question, "en", right="so it is"))
    [[completion]] = engine.complete([prompt], Sampling(top1=True), 0)
    lai = 1.0 - fmean(map(math.exp, completion.top1 or ()))
    if asked.other == "en":
        return Deficit(lai, None, None, None)
    rates = [pass_rate(engine.profile, asked.question, code) for code in ("en", asked.other)]
    return Deficit(lai, rates[0] - rates[1], 0.0, None)
