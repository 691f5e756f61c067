"""The student scorer against one that asks a question at a time: same values, questions a second.

python tests/bench/rewards.py [--model DIR] [--questions 64] [--alone 6] [--engines vllm ...]

The plain way is the published one: per question two calls of `generate` that keep the logits of
every step (reasoning in English, in the question's language), and for each a forward over prompt
and answer with logits and all hidden states. First both are given the same response tokens in
float32 and must say the same within 1e-3; then each is timed in bfloat16 on answers of its own.
Without --model Gemma 3 270M is unpacked first. Exits with 1 where a value is another one.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, set_seed

from tasks.benchmarks import load_items
from tasks.models.engine import Completion, Engine, Prompt, Sampling
from tasks.models.hidden_states import last_hidden
from tasks.models.mirror import materialise
from tasks.models.references import Reference
from tasks.models.tokens import before_stop, encode_prompt, load_tokenizer
from tasks.models.transformers_engine import TransformersEngine
from tasks.questions.deficits import Asked
from tasks.questions.prompts import ANSWER_DELIMITER, ASKED_LANGUAGES, STUDENT_STOP, student_prompt
from tasks.questions.settings import StudentScoring
from tasks.questions.student_scorer import StudentScorer
from tasks.text import identify_language

SCORING = StudentScoring(form="completion", answer_tokens=48, english_samples=1)
NEAR = 1e-3
FASTER = {"transformers": 5.0, "vllm": 8.0}


def questions(count: int) -> list[Asked]:
    """Bundled questions of the five languages in turn."""
    tables = {
        code: [
            question
            for name in ("facts", "numbers")
            for question in load_items(name, "bundled", code, None).items["question"].to_pylist()
        ]
        for code in ASKED_LANGUAGES
    }
    turns = zip(*(tables[code] for code in ASKED_LANGUAGES), strict=False)
    asked = [Asked(*pair) for turn in turns for pair in zip(turn, ASKED_LANGUAGES, strict=True)]
    return asked[:count]


class Plain:
    """One question at a time."""

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        self.tokenizer = load_tokenizer(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()

    def score(self, asked: Asked) -> None:
        """Both answers drawn, and what is made of them."""
        self.values(asked, {code: self._drawn(asked, code) for code in ("en", asked.language)})

    @torch.inference_mode()
    def _drawn(self, asked: Asked, code: str) -> list[int]:
        ids = torch.tensor([self._prompt(asked, code)])
        written = self.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=SCORING.temperature,
            top_k=0,
            max_new_tokens=SCORING.answer_tokens,
            stop_strings=list(STUDENT_STOP),
            tokenizer=self.tokenizer,
            return_dict_in_generate=True,
            output_logits=True,
        )
        torch.stack(written.logits).float().softmax(-1).amax(-1)  # as LAI is taken there
        drawn: list[int] = written.sequences[0, ids.shape[1] :].tolist()
        return drawn

    @torch.inference_mode()
    def values(self, asked: Asked, answers: dict[str, list[int]]) -> tuple[float, float | None]:
        """LAI and LSI of given response tokens, from full forwards."""
        lai, states = math.nan, {}
        for code, drawn in answers.items():
            prompt = self._prompt(asked, code)
            out = self.model(torch.tensor([[*prompt, *drawn]]), output_hidden_states=True)
            if code == "en":
                top = out.logits[0, len(prompt) - 1 : -1].float().softmax(-1).amax(-1)
                lai = 1.0 - float(top.mean())
            end = self._reasoning_end(drawn)
            reasoning = self.tokenizer.decode(drawn[:end]).strip() if end else ""
            if end and identify_language(reasoning) == code:
                states[code] = out.hidden_states[-1][0, len(prompt) + end - 1].float()
        if len(states) < 2:
            return lai, None
        return lai, 1.0 - float(torch.cosine_similarity(*states.values(), dim=0))

    def _prompt(self, asked: Asked, code: str) -> list[int]:
        prompt = student_prompt(asked.question, asked.language, code, SCORING.form)
        return encode_prompt(self.tokenizer, prompt)

    def _reasoning_end(self, drawn: Sequence[int]) -> int:
        """Tokens up to the delimiter and the blanks before it; 0 where there is none."""
        said = [
            self.tokenizer.decode(drawn[:n], skip_special_tokens=True)
            for n in range(len(drawn) + 1)
        ]
        before, found, _ = before_stop(said[-1], STUDENT_STOP).partition(ANSWER_DELIMITER)
        length = len(before.rstrip())
        return next(n for n, text in enumerate(said) if len(text) >= length) if found else 0


class Recorded:
    """An engine whose answers are kept."""

    name = device = "recorded"

    def __init__(self, engine: TransformersEngine) -> None:
        self.said: list[Completion] = []
        self._engine = engine

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """The engine's own answers."""
        drawn = self._engine.complete(prompts, sampling, seed)
        self.said += [one for [one] in drawn]
        return drawn

    def close(self) -> None:
        """Nothing of its own to let go of."""


def scorer(engine: Engine, model: Any, tokenizer: Any) -> StudentScorer:
    """Ours."""
    return StudentScorer(engine, partial(last_hidden, model), tokenizer, SCORING)


def differences(folder: Path, asked: Sequence[Asked]) -> dict[str, Any]:
    """Largest distance of both values on the same response tokens, in float32."""
    engine = TransformersEngine(folder, "float32", "cpu")
    recorded = Recorded(engine)
    ours = scorer(recorded, engine.model, engine.tokenizer).score(asked)
    plain = Plain(folder, torch.float32)
    apart: dict[str, list[float]] = {"lai": [], "lsi": []}
    for at, (one, deficit) in enumerate(zip(asked, ours, strict=True)):
        english, other = (list(said.token_ids) for said in recorded.said[2 * at : 2 * at + 2])
        lai, lsi = plain.values(one, {"en": english, one.language: other})
        assert (lsi is None) == (deficit.lsi is None), (one, deficit)
        apart["lai"].append(abs(lai - (deficit.lai or 0.0)))
        if lsi is not None and deficit.lsi is not None:
            apart["lsi"].append(abs(lsi - deficit.lsi))
    largest = {name: max(values, default=math.nan) for name, values in apart.items()}
    return {"apart": largest, "lsi_of": len(apart["lsi"]), "questions": len(asked)}


def timed_plain(folder: Path, asked: Sequence[Asked]) -> float:
    """Questions a second, one at a time."""
    plain = Plain(folder, torch.bfloat16)
    set_seed(0)
    plain.score(asked[0])  # what is made at the first call is not timed
    started = time.monotonic()
    for one in asked:
        plain.score(one)
    return len(asked) / (time.monotonic() - started)


def timed_ours(name: str, folder: Path, asked: Sequence[Asked]) -> dict[str, float]:
    """Questions a second, all in one call; and how much of the time the answers take."""
    engine: Any
    if name == "vllm":
        from tasks.models.vllm_engine import VllmEngine

        engine = VllmEngine(folder, "bfloat16", "cpu", 0, 1024)
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    else:
        engine = TransformersEngine(folder, "bfloat16", "cpu")
        model = engine.model
    student = scorer(engine, model, engine.tokenizer)
    student.score(asked[:2])
    started = time.monotonic()
    runs = [run for one in asked[2:] for run in student._runs(one, with_lsi=True)]
    answers = student._answers(runs)
    answered = time.monotonic()
    student._states(answers)
    ended = time.monotonic()
    tokens = sum(answer.completion.completion_tokens for answer in answers.values())
    engine.close()
    return {
        "questions_a_second": (len(asked) - 2) / (ended - started),
        "share_answering": (answered - started) / (ended - started),
        "tokens_a_second": tokens / (answered - started),
    }


def main() -> int:
    """Print one line of JSON per measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path)
    parser.add_argument("--questions", type=int, default=64)
    parser.add_argument("--alone", type=int, default=6)
    parser.add_argument("--engines", nargs="*", default=list(FASTER))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotfixr-bench-") as scratch:
        folder = chosen.model or Path(scratch)
        if chosen.model is None:
            materialise(Reference("bundled", "gemma-3-270m"), folder)
        asked = questions(chosen.questions)
        found = differences(folder, asked[:10])
        print(json.dumps(found), flush=True)
        alone = timed_plain(folder, asked[: chosen.alone])
        print(json.dumps({"plain": alone, "threads": torch.get_num_threads()}), flush=True)
        for name in chosen.engines:
            ours = timed_ours(name, folder, asked)
            times = ours["questions_a_second"] / alone
            print(json.dumps({name: ours, "times": times, "wanted": FASTER[name]}), flush=True)
    return int(not all(value <= NEAR for value in found["apart"].values()))


if __name__ == "__main__":
    sys.exit(main())
