"""vLLM on this machine's CPU, in processes of its own: it changes the one that it runs in."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tasks.models.engine import Prompt, Sampling
from tasks.models.transformers_engine import TransformersEngine

SCRIPT = """
import json, resource, sys
from pathlib import Path
from tasks.models.engine import Prompt, Sampling
from tasks.models.vllm_engine import VllmEngine

folder, dtype, calls, adapter = json.loads(sys.argv[1])
engine = VllmEngine(
    Path(folder), dtype, "cpu", seed=3, max_model_len=256, kv_cache_gib=0.25,
    adapter=Path(adapter) if adapter else None,
)
drawn = []
for texts, sampling in calls:
    if sampling["thinking"] is None:
        prompts = [Prompt(text=text, seed=9) for text in texts]
    else:
        prompts = [Prompt(messages=({"role": "user", "content": text},)) for text in texts]
    sampling["stop"] = tuple(sampling["stop"])
    rows = engine.complete(prompts, Sampling(**sampling), 0)
    drawn.append([[one._asdict() for one in row] for row in rows])
engine.close()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
Path(sys.argv[2]).write_text(json.dumps({"drawn": drawn, "gib": peak, "device": engine.device}))
"""

TEXTS = ("short", "a somewhat longer prompt", "日本語", "x" * 80)
GREEDY = Sampling(n=1, max_tokens=12, temperature=0, top1=True)
FREE = Sampling(n=4, max_tokens=16)
THINKING = Sampling(n=8, max_tokens=40, thinking=6)


def run(
    folder: Path,
    dtype: str,
    calls: list[tuple[tuple[str, ...], Sampling]],
    out: Path,
    adapter: Path | None = None,
) -> dict[str, Any]:
    asked = [folder.as_posix(), dtype, [(texts, asdict(sampling)) for texts, sampling in calls]]
    asked.append(None if adapter is None else adapter.as_posix())
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(asked), str(out)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(out.read_text())
    return result


@pytest.fixture(scope="module")
def tiny(thinker: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    out = tmp_path_factory.mktemp("vllm") / "tiny.json"
    calls = [(TEXTS, GREEDY), (("again", "again"), FREE), (("think",), THINKING)]
    drawn: list[Any] = run(thinker, "float32", calls, out)["drawn"]
    return drawn


def test_greedy_and_top1_are_those_of_transformers(tiny_folder: Path, tiny: list[Any]) -> None:
    engine = TransformersEngine(tiny_folder, "float32", "cpu")
    wanted = engine.complete([Prompt(text=text) for text in TEXTS], GREEDY, 0)
    for [mine], [theirs] in zip(wanted, tiny[0], strict=True):
        assert tuple(theirs["token_ids"]) == mine.token_ids
        assert theirs["top1"] == pytest.approx(mine.top1, abs=1e-3)
        fields = ("text", "finish_reason", "prompt_tokens", "completion_tokens")
        assert [theirs[name] for name in fields] == [mine._asdict()[name] for name in fields]


def test_samples_of_a_prompt_and_of_its_repetition_differ(tiny: list[Any]) -> None:
    assert [len(row) for row in tiny[1]] == [4, 4]
    assert all(one["top1"] is None for row in tiny[1] for one in row)
    assert len({one["text"] for row in tiny[1] for one in row}) == 8


def test_a_thinking_budget_closes_the_thought(tiny: list[Any]) -> None:
    # vLLM counts all but one token of an opening mark into the budget; real marks are one token.
    long = [one for one in tiny[2][0] if one["completion_tokens"] > 21]
    assert long and all(one["text"].find("</think>") in range(13) for one in long)


def test_gemma_stops_samples_and_fits_into_memory(gemma_folder: Path, tmp_path: Path) -> None:
    asked = ("Spain: Madrid\nItaly: Rome\nFrance:", "España: Madrid\nFrancia: París\nItalia:")
    line = Sampling(max_tokens=8, temperature=0, stop=("\n",))
    result = run(gemma_folder, "bfloat16", [(asked, line), (asked, FREE)], tmp_path / "out.json")
    greedy, free = result["drawn"]
    assert [one["text"].strip() for [one] in greedy] == ["Paris", "Roma"]
    assert all(one["finish_reason"] == "stop" for [one] in greedy)
    assert [len(row) for row in free] == [4, 4]
    assert len({one["text"] for row in free for one in row}) > 4
    assert result["gib"] < 8 and result["device"] == "cpu"
