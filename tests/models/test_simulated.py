import os
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.errors import BadInput
from tasks.models.engine import Hint, Prompt, Sampling
from tasks.models.simulated import PROFILES, SimulatedEngine, pass_rate, slope

TEN = Sampling(n=10)


def verdicts(profile: str, language: str, run: int = 0, keys: int = 1000) -> NDArray[np.int64]:
    """Whether each sample of each item was right, asked as an evaluation asks: one seed each."""
    prompts = [
        Prompt(seed=1000 * run + key, hint=Hint(f"item-{key}", language, "42", ("41", "43")))
        for key in range(keys)
    ]
    answers = SimulatedEngine(profile).complete(prompts, TEN, 0)
    return np.array([[one.text == " 42" for one in row] for row in answers]).astype(int)


def hat_corrected(source: NDArray[np.int64], target: NDArray[np.int64]) -> float:
    passes, n = source.sum(axis=1), source.shape[1]
    square = passes * (passes - 1) / (n * (n - 1))
    return float((source.mean(axis=1) * target.mean(axis=1)).sum() / square.sum())


@pytest.mark.parametrize("profile", ["base", "student", "teacher"])
@pytest.mark.parametrize("language", ["fr", "ar", "ja", "xx"])
def test_the_estimator_finds_the_stated_slope(profile: str, language: str) -> None:
    found = hat_corrected(verdicts(profile, "en"), verdicts(profile, language))
    assert found == pytest.approx(slope(profile, language), abs=0.03)


def test_a_stated_profile_has_its_slope_in_all_languages_but_the_source() -> None:
    stated = "slope-0.85-mean-0.70"
    assert [slope(stated, code) for code in ("en", "ja", "xx")] == [1, 0.85, 0.85]
    found = hat_corrected(verdicts(stated, "en"), verdicts(stated, "ja"))
    assert found == pytest.approx(0.85, abs=0.03)


def test_a_stated_profile_has_its_mean_and_a_concentration_of_four() -> None:
    rates = [pass_rate("slope-0-mean-0.70", f"item-{key}", "en") for key in range(4000)]
    assert np.mean(rates) == pytest.approx(0.7, abs=0.02)
    assert np.var(rates) == pytest.approx(0.7 * 0.3 / 5, abs=0.005)  # m(1-m) / (concentration+1)
    assert pass_rate("slope-0-mean-0.70", "item-1", "ja") == 0


@pytest.mark.parametrize("profile", ["base", "student", "slope-0.5-mean-0.6"])
def test_an_item_is_best_answered_in_its_own_source_language(profile: str) -> None:
    own = pass_rate(profile, "k", "he", "he")
    assert own == pass_rate(profile, "k", "en", "en")
    assert pass_rate(profile, "k", "ja", "he") == slope(profile, "ja") * own
    hint = Hint("k", "he", "yes", ("no",), source_language="he")
    [said] = SimulatedEngine(profile).complete([Prompt(hint=hint)], Sampling(n=4000), 0)
    share = sum(one.text == " yes" for one in said) / 4000
    assert share == pytest.approx(own, abs=0.03)


def test_what_is_above_the_pass_rates_is_independent_over_languages_and_samples() -> None:
    english, french = verdicts("base", "en"), verdicts("base", "fr")
    rates = np.array([pass_rate("base", f"item-{key}", "en") for key in range(1000)])
    noise = english - rates[:, None]
    other = french - rates[:, None] * slope("base", "fr")
    assert abs(np.corrcoef(noise[:, 0], other[:, 0])[0, 1]) < 0.1
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 0.1


def test_the_source_pass_rate_belongs_to_the_item() -> None:
    rates = [pass_rate("base", f"item-{key}", "en") for key in range(2000)]
    assert np.mean(rates) == pytest.approx(0.5, abs=0.02)
    assert np.var(rates) == pytest.approx(0.05, abs=0.005)  # of Beta(2, 2)
    assert pass_rate("base", "item-1", "ja") == pytest.approx(0.5 * rates[1])


def test_the_same_seeds_give_the_same_answers_and_others_do_not() -> None:
    assert (verdicts("base", "fr") == verdicts("base", "fr")).all()
    assert (verdicts("base", "fr") != verdicts("base", "fr", run=1)).any()


def test_no_answer_depends_on_the_hash_seed_of_the_process() -> None:
    line = "from tasks.models.simulated import pass_rate; print(pass_rate('base', 'k', 'fr'))"
    said = {
        subprocess.check_output(
            [sys.executable, "-c", line], env=os.environ | {"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_student_is_better_than_the_base_in_every_language() -> None:
    base = PROFILES["base"].slopes
    assert all(slope("student", code) > slope("base", code) for code in base if code != "en")


def test_greedy_says_one_thing() -> None:
    prompt = Prompt(hint=Hint("k", "en", "yes", ("no",)))
    answers = SimulatedEngine("base").complete([prompt], Sampling(n=5, temperature=0), 1)
    assert len({one.text for one in answers[0]}) == 1


def test_the_writer_says_what_it_is_given_up_to_a_stop_and_the_limit() -> None:
    prompt = Prompt(text="write it", hint=Hint("k", "fr", "one two three</q> four"))
    engine = SimulatedEngine("writer")
    [[whole]] = engine.complete([prompt], Sampling(stop=("</q>",), top1=True), 0)
    assert (whole.text, whole.finish_reason, whole.prompt_tokens) == (" one two three", "stop", 2)
    assert whole.top1 is not None and len(whole.top1) == whole.completion_tokens == 3
    [[short]] = engine.complete([prompt], Sampling(max_tokens=2), 0)
    assert (short.text, short.finish_reason) == (" one two", "length")


def test_a_pace_makes_it_slow_without_computing_and_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = [Prompt(seed=key, hint=Hint(f"item-{key}", "de", "42", ("41",))) for key in range(20)]
    at_once = SimulatedEngine("base").complete(asked, TEN, 0)
    monkeypatch.setenv("HOTFIXR_SIMULATED_TOKENS_PER_SECOND", "400")
    began, busy = time.monotonic(), time.process_time()
    assert SimulatedEngine("base").complete(asked, TEN, 0) == at_once
    assert time.monotonic() - began >= 0.5  # 200 words
    assert time.process_time() - busy < 0.4


def test_a_prompt_without_hint_and_an_unknown_profile_are_refused() -> None:
    with pytest.raises(BadInput, match="without a hint"):
        SimulatedEngine("base").complete([Prompt(text="?")], TEN, 0)
    with pytest.raises(BadInput, match="nobody"):
        SimulatedEngine("nobody")
