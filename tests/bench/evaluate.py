"""Our evaluation against lm-evaluation-harness (hf backend) and against bare `LLM.generate`.

python tests/bench/evaluate.py MODEL_FOLDER [--items 13] [--languages fr es ...]

Needs lm_eval 0.4.13 beside this package, and vLLM. All three draw ten samples for each of
the same prompts (multi-hop questions with their contexts and three worked examples) from the same
model, in bfloat16, at temperature 1, with the same stop strings and length limit; each in a process
of its own, one after the other. Loading a model is told apart. Ours is the whole step: prompts,
answers, grades, parts in a store. Ours and bare vLLM take turns, and the faster of two counts: what
else the machine does only slows. Leaves with 1 unless ours draws at least 1.5 times the harness's
samples a second and 0.95 of bare vLLM's. The harness is asked the first few items of each language.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

SAMPLES, SHOTS, MAX_TOKENS, CONTEXT, SEED = 10, 3, 16, 2048, 0
BENCHMARK, REASONING, SHORTEST = "multihop", "native", 300  # tokens of a prompt
LANGUAGES = ["fr", "es", "ar", "pt", "it", "de", "ja", "ru"]
ITEMS, OF_THE_HARNESS = 13, 3  # a language; the harness needs minutes for each
OF_HARNESS, OF_BARE = 1.5, 0.95


class Asked(NamedTuple):
    """What everybody is asked."""

    model: Path
    folder: Path
    items: int
    languages: list[str]

    def prompts(self) -> dict[str, list[str]]:
        """The prompts of each language."""
        from tasks.benchmarks import load_items
        from tasks.benchmarks.prompts import ask

        return {
            code: [
                one.prompt.text
                for one in ask(
                    BENCHMARK,
                    load_items(BENCHMARK, "bundled", code, self.items).items,
                    code,
                    form="completion",
                    few_shot=SHOTS,
                    samples=1,
                    seed=SEED,
                    reasoning=REASONING,
                )
            ]
            for code in self.languages
        }


def ours(asked: Asked) -> dict[str, float]:
    """The step, from prompts to graded parts in a store."""
    from tasks.artifacts.parts import publish_part, publish_table
    from tasks.artifacts.store import open_store
    from tasks.benchmarks import load_items
    from tasks.compute.step import Silent, Work, complete
    from tasks.evaluate import STEP, Evaluate
    from tasks.models import open_engine
    from tasks.models.machine import EngineSettings
    from tasks.recipe import Evaluation

    store = open_store(f"file://{asked.folder}/store")
    spec = Evaluate(
        label="base",
        model=publish_part(store, "prepare-models", "model", "0" * 64, asked.model, {}),
        items={
            f"{BENCHMARK}/{code}": publish_table(
                store,
                "prepare-data",
                f"items/{code}",
                f"{at:064}",
                load_items(BENCHMARK, "bundled", code, asked.items).items,
                {},
            )
            for at, code in enumerate(asked.languages)
        },
        engine=EngineSettings(
            engine="vllm", dtype="bfloat16", device="cpu", context=CONTEXT, profile=""
        ),
        settings=Evaluation(
            samples=SAMPLES,
            few_shot=SHOTS,
            max_tokens=MAX_TOKENS,
            form="completion",
            seed=SEED,
            reasoning=REASONING,
        ),
    )
    opening, loaded = open_engine.open_engine, []

    def timed(*settings: Any) -> Any:
        engine = opening(*settings)
        loaded.append(time.monotonic())
        return engine

    open_engine.open_engine = timed
    start = time.monotonic()
    made = complete(Work(store, STEP, Silent()), spec).parts
    answers = [part for name, part in made.items() if name.startswith("answers/")]
    return {
        "startup": loaded[0] - start,
        "seconds": time.monotonic() - loaded[0],
        "samples": sum(part.facts["rows"] for part in answers),
        "tokens": sum(part.facts["completion_tokens"] for part in answers),
    }


def bare(asked: Asked) -> dict[str, float]:
    """`LLM.generate` over the same prompts, and nothing else."""
    from tasks.benchmarks.prompts import stops
    from tasks.models.tokens import load_tokenizer
    from tasks.models.vllm_engine import GIB, require_vllm

    require_vllm("cpu")
    from vllm import LLM, SamplingParams

    start = time.monotonic()
    model = LLM(
        model=str(asked.model),
        dtype="bfloat16",
        max_model_len=CONTEXT,
        max_num_seqs=128,
        enable_prefix_caching=True,
        enforce_eager=True,
        kv_cache_memory_bytes=GIB,
        block_size=32,
    )
    loaded = time.monotonic()
    tokenizer = load_tokenizer(asked.model)
    texts = [text for found in asked.prompts().values() for text in found]
    ids = [[tokenizer.bos_token_id, *row] for row in tokenizer(texts).input_ids]
    assert min(map(len, ids)) >= SHORTEST, min(map(len, ids))
    sampling = SamplingParams(
        n=SAMPLES, temperature=1.0, max_tokens=MAX_TOKENS, stop=list(stops("completion", REASONING))
    )
    out = model.generate([{"prompt_token_ids": row} for row in ids], sampling, use_tqdm=False)
    drawn = [answer for one in out for answer in one.outputs]
    return {
        "startup": loaded - start,
        "seconds": time.monotonic() - loaded,
        "samples": len(drawn),
        "tokens": sum(len(answer.token_ids) for answer in drawn),
        "prompt": sum(map(len, ids)) / len(ids),
    }


def harness(asked: Asked) -> dict[str, float]:
    """The same prompts as a task of lm-evaluation-harness, drawn as often."""
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    file = asked.folder / "prompts.jsonl"
    texts = [text for found in asked.prompts().values() for text in found[:OF_THE_HARNESS]]
    file.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts))
    (asked.folder / "prompts.yaml").write_text(yaml.safe_dump(_task(file)))
    start = time.monotonic()
    model = HFLM(
        pretrained=str(asked.model),
        dtype="bfloat16",
        batch_size=64,
        add_bos_token=True,
        device="cpu",
    )
    loaded = time.monotonic()
    found = simple_evaluate(
        model,
        tasks=["prompts"],
        task_manager=TaskManager(include_path=str(asked.folder), include_defaults=False),
        log_samples=True,
    )
    texts = [text for row in found["samples"]["prompts"] for text in row["resps"][0]]
    return {
        "startup": loaded - start,
        "seconds": time.monotonic() - loaded,
        "samples": len(texts),
        "tokens": sum(map(len, model.tokenizer(texts).input_ids)),
    }


def _task(file: Path) -> dict[str, Any]:
    from tasks.benchmarks.prompts import stops

    return {
        "task": "prompts",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(file)}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "nothing",
        "repeats": SAMPLES,
        "generation_kwargs": {
            "until": list(stops("completion", REASONING)),
            "max_gen_toks": MAX_TOKENS,
            "do_sample": True,
            "temperature": 1.0,
        },
        "metric_list": [{"metric": "exact_match"}],
    }


RUNS: dict[str, Callable[[Asked], dict[str, float]]] = {
    "ours": ours,
    "bare vLLM": bare,
    "lm-evaluation-harness": harness,
}
TURNS = ("bare vLLM", "ours", "bare vLLM", "ours", "lm-evaluation-harness")


def measured(name: str) -> dict[str, float]:
    """One of them in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, *sys.argv[1:], "--run", name, "--folder", folder]
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "HOTFIXR_CACHE": f"{folder}/cache"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{name} did not finish")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    speed = found["samples"] / found["seconds"]
    print(
        f"{name}: {found['samples']} samples of {found['tokens'] / found['samples']:.1f} tokens in"
        f" {found['seconds']:.1f} s, {speed:.2f} a second, after {found['startup']:.1f} s to load",
        flush=True,
    )
    return found | {"speed": speed}


def main() -> None:
    parser = argparse.ArgumentParser(description="Times evaluations.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    parser.add_argument("--run", choices=RUNS)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    if chosen.run:
        asked = Asked(chosen.model, chosen.folder, chosen.items, chosen.languages)
        print(json.dumps(RUNS[chosen.run](asked)))
        return
    turns = [(name, measured(name)) for name in TURNS]
    best = {name: max(found["speed"] for one, found in turns if one == name) for name in RUNS}
    of_bare, of_harness = (
        best["ours"] / best[other] for other in ("bare vLLM", "lm-evaluation-harness")
    )
    print(f"prompts of {dict(turns)['bare vLLM']['prompt']:.0f} tokens on average")
    print(f"ours draws {of_harness:.2f} times the harness's samples, {of_bare:.3f} of bare vLLM's")
    raise SystemExit(of_harness < OF_HARNESS or of_bare < OF_BARE)


if __name__ == "__main__":
    main()
