"""Plays a model whose transfer between languages is known, for tests, scale and faults.

Item k is answered rightly in language l with probability `slope(l) * s(k)`, where s(k) is the
item's pass rate in its source language, drawn from the profile's Beta distribution. So the
transfer profile is a line through the origin and every estimator of its slope has a known target.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from tasks.errors import BadInput
from tasks.models.engine import Completion, Hint, Prompt, Sampling

WRONG = "unknown"  # said where the hint offers nothing wrong to say; no number, no option letter


@dataclass(frozen=True)
class Profile:
    """A played model: `beta` shapes the source pass rates (None: always right)."""

    beta: tuple[float, float] | None
    slopes: Mapping[str, float]  # 1 in an item's source language, whatever is listed
    elsewhere: float  # slope of every language that `slopes` does not list


PROFILES = {
    # Graded by distance from English, held-out languages at the far end.
    "base": Profile(
        (2, 2),
        {"en": 1, "fr": 0.9, "es": 0.85, "pt": 0.8, "it": 0.8, "ar": 0.6}
        | {"de": 0.75, "ru": 0.65, "zh": 0.55, "ja": 0.5},
        elsewhere=0.4,
    ),
    # After training: better in every language, in the trained ones more than elsewhere.
    "student": Profile(
        (3, 2),
        {"en": 1, "fr": 0.97, "es": 0.95, "pt": 0.93, "it": 0.93, "ar": 0.85}
        | {"de": 0.85, "ru": 0.8, "zh": 0.7, "ja": 0.7},
        elsewhere=0.5,
    ),
    "teacher": Profile(None, {}, elsewhere=1.0),
    # Writes what the hint says: its caller supplies the text of generated questions.
    "writer": Profile(None, {}, elsewhere=1.0),
}


# Any slope and mean source pass rate, for trying out which differences can be found.
STATED = "slope-S-mean-M (S from 0 to 1, M between 0 and 1: slope-0.85-mean-0.70)"
_STATED = re.compile(r"slope-(0(?:\.\d+)?|1(?:\.0+)?)-mean-(0\.\d*[1-9]\d*)")
_CONCENTRATION = 4  # sum of the two parameters of the source pass rates' Beta distribution


def is_profile(name: str) -> bool:
    """Whether there is such a profile: one of PROFILES, or one written as STATED says."""
    return name in PROFILES or _STATED.fullmatch(name) is not None


def slope(profile: str, language: str, source_language: str | None = "en") -> float:
    """The true transfer from the source of a profile: what every estimator should find."""
    played = _profile(profile)
    if language == source_language:
        return 1.0
    return played.slopes.get(language, played.elsewhere)


def pass_rate(profile: str, key: str, language: str, source_language: str | None = "en") -> float:
    """Probability that item `key`, written in `source_language`, is answered rightly."""
    beta = _profile(profile).beta
    source = 1.0 if beta is None else float(_stream("rate", key).beta(*beta))
    return source * slope(profile, language, source_language)


# Tokens per second that a played model writes, of all its answers together; a worker's setting,
# for measuring how work is shared. Unset: as fast as they come.
PACE = "HOTFIXR_SIMULATED_TOKENS_PER_SECOND"


class SimulatedEngine:
    """The engine that needs no weights: it answers from `Prompt.hint` alone."""

    name = "simulated"
    device = "cpu"

    def __init__(self, profile: str) -> None:
        """Play `profile`. Raises BadInput unless `is_profile`."""
        _profile(profile)
        self.profile = profile
        self._pace = float(os.environ.get(PACE) or math.inf)

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """`sampling.n` answers to each prompt, independent over prompts, languages and samples."""
        began = time.monotonic()
        answers = [self._answers(prompt, sampling, seed) for prompt in prompts]
        written = sum(one.completion_tokens for completions in answers for one in completions)
        # Slept, not computed: many such engines on few cores must not be in each other's way.
        time.sleep(max(0.0, began + written / self._pace - time.monotonic()))
        return answers

    def close(self) -> None:
        """Nothing is held."""

    def _answers(self, prompt: Prompt, sampling: Sampling, seed: int) -> list[Completion]:
        hint = prompt.hint
        if hint is None:
            raise BadInput(
                f"simulated:{self.profile} cannot answer a prompt without a hint;"
                " this step needs a real model."
            )
        rate = pass_rate(self.profile, hint.key, hint.language, hint.source_language)
        # Stated profiles stand for different models, which must not err on the same samples.
        who = () if self.profile in PROFILES else (self.profile,)
        stream = _stream("answer", str(prompt.seed), hint.key, hint.language, *who)
        draws = stream.random((sampling.n, 2))
        if sampling.temperature == 0:
            draws[:] = draws[0]
        words = [_say(hint, right=right < rate, which=which) for right, which in draws.tolist()]
        return [_completion(prompt, word, rate, sampling) for word in words]


def _profile(name: str) -> Profile:
    if name in PROFILES:
        return PROFILES[name]
    stated = _STATED.fullmatch(name)
    if stated is None:
        raise BadInput(
            f"simulated:{name} is no profile; take one of {', '.join(PROFILES)}, {STATED}."
        )
    mean = float(stated[2])
    beta = (_CONCENTRATION * mean, _CONCENTRATION * (1 - mean))
    return Profile(beta, {}, elsewhere=float(stated[1]))


def _stream(*parts: str) -> np.random.Generator:
    # Lengths go into the digest so that ("a", "bc") and ("ab", "c") differ.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return np.random.default_rng(int.from_bytes(sha256(text.encode()).digest()))


def _say(hint: Hint, *, right: bool, which: float) -> str:
    if right:
        return hint.right
    return hint.wrong[int(which * len(hint.wrong))] if hint.wrong else WRONG


def _completion(prompt: Prompt, answer: str, rate: float, sampling: Sampling) -> Completion:
    """The answer as an engine would give it; tokens are words here, and they have no ids."""
    for stop in sampling.stop:
        answer = answer.partition(stop)[0]
    words = answer.split()
    if cut := len(words) > sampling.max_tokens:
        answer = " ".join(words[: sampling.max_tokens])
    spoken = len(answer.split())
    asked = prompt.text + " ".join(message["content"] for message in prompt.messages or ())
    # A model that is more often right is surer of its words, so that LAI means something here too.
    sureness = math.log(0.3 + 0.65 * rate)
    return Completion(
        text=f" {answer}",
        finish_reason="length" if cut else "stop",
        prompt_tokens=len(asked.split()),
        completion_tokens=spoken,
        reasoning_tokens=0,
        token_ids=(),
        top1=(sureness,) * spoken if sampling.top1 else None,
    )
