"""The transformers engine: batches of equal length, each prompt computed once for its samples.

`generate` of transformers computes a prompt once per sample and draws all rows from one stream;
here the loop is our own, so that
* equal prompts are prefilled once, and finished rows leave the batch;
* every prompt has its own random numbers, made from its seed (and, should prompts of one call
  share a seed, its number among them). So neither the batch size nor the other prompts change what
  is drawn, except where rounding turns a near tie;
* at most one row of logits per sample is held at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.thinking import family_of_template, told
from tasks.models.thoughts import ThoughtLimit, mark_ids
from tasks.models.tokens import (
    completion,
    encode_prompts,
    end_tokens,
    load_tokenizer,
    opens_thought,
    stop_reached,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

LOGITS = 2**26  # at most so many at a time: 256 MiB


@dataclass
class _Row:
    """One sample being drawn."""

    prompt: int
    prompt_ids: list[int]
    uniforms: NDArray[np.float32]  # one number in [0, 1) per token, in advance
    ids: list[int] = field(default_factory=list)
    top1: list[float] = field(default_factory=list)
    limit: ThoughtLimit | None = None


class TransformersEngine:
    """A causal language model loaded by transformers."""

    name = "transformers"

    def __init__(
        self,
        folder: Path,
        dtype: str,
        device: str,
        max_model_len: int = 4096,
        batch_tokens: int = 16_384,
        adapter: Path | None = None,
    ) -> None:
        """Load the model.

        Args:
            folder: the model folder.
            dtype: bfloat16, float16 or float32.
            device: "cpu" or "cuda".
            max_model_len: longest prompt with its completion, in tokens.
            batch_tokens: bounds a batch: rows x (prompt + completion) tokens.
            adapter: the folder of a trained adapter, which is added to the weights.
        """
        from transformers import AutoModelForCausalLM

        from tasks.models.lora import with_adapter

        self.tokenizer = load_tokenizer(folder)
        self.model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, dtype), trust_remote_code=False
        )
        if adapter is not None:
            self.model = with_adapter(self.model, adapter)
        self.model.to(device).eval()
        self.device = device if device == "cpu" else f"cuda:{torch.cuda.get_device_name()}"
        self._ends = end_tokens(folder, self.tokenizer)
        self._family = family_of_template(self.tokenizer.chat_template)
        self._max_model_len = max_model_len
        self._batch_tokens = batch_tokens

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """Completions in the order of the prompts, `sampling.n` each.

        `seed` does nothing: the prompts' own seeds say what is drawn, in whatever call.
        """
        done: list[list[Completion]] = [[] for _ in prompts]
        for batch in self._batches(self._rows(prompts, sampling), sampling.max_tokens):
            with torch.inference_mode():
                self._draw(batch, sampling)
            for row in batch:
                done[row.prompt].append(self._completion(row, sampling))
        return done

    def close(self) -> None:
        """Let go of the weights."""
        del self.model

    def _rows(self, prompts: Sequence[Prompt], sampling: Sampling) -> list[_Row]:
        """All samples, longest prompts first and equal prompts together."""
        rows = []
        seen: Counter[int] = Counter()
        room = self._max_model_len - sampling.max_tokens
        told_so = told(self._family, sampling.thinking)
        encoded = encode_prompts(self.tokenizer, prompts, room, told_so.variables)
        for number, (prompt, ids) in enumerate(zip(prompts, encoded, strict=True)):
            stream = np.random.default_rng([prompt.seed, seen[prompt.seed]])
            seen[prompt.seed] += 1
            drawn = stream.random((sampling.n, sampling.max_tokens), dtype=np.float32)
            rows += [
                _Row(number, ids, uniforms, limit=self._limit(ids, told_so.budget))
                for uniforms in drawn
            ]
        return sorted(rows, key=lambda row: (-len(row.prompt_ids), row.prompt_ids))

    def _limit(self, prompt_ids: list[int], budget: int | None) -> ThoughtLimit | None:
        if budget is None:
            return None
        marks = mark_ids(self.tokenizer, self._family.marks)
        return ThoughtLimit(*marks, budget, opens_thought(self.tokenizer, prompt_ids))

    def _batches(self, rows: list[_Row], max_tokens: int) -> Iterator[list[_Row]]:
        while rows:
            fits = self._batch_tokens // (len(rows[0].prompt_ids) + max_tokens)
            size = max(1, min(fits, LOGITS // self.model.config.get_text_config().vocab_size))
            yield rows[:size]
            rows = rows[size:]

    def _draw(self, rows: list[_Row], sampling: Sampling) -> None:
        """Draw every row of a batch to its end."""
        logits, cache, mask = self._prefill(rows)
        active = rows
        for step in range(sampling.max_tokens):
            self._choose(logits, active, step, sampling)
            keep = [at for at, row in enumerate(active) if not self._ended(row, sampling.stop)]
            if not keep or step + 1 == sampling.max_tokens:
                return
            if len(keep) < len(active):
                kept = torch.tensor(keep, device=mask.device)
                active, mask = [active[at] for at in keep], mask[kept]
                cache.batch_select_indices(kept)
            mask = torch.cat([mask, mask.new_ones(len(active), 1)], dim=1)
            newest = torch.tensor([[row.ids[-1]] for row in active], device=mask.device)
            logits = self._forward(newest, mask, cache)

    def _prefill(self, rows: list[_Row]) -> tuple[torch.Tensor, Any, torch.Tensor]:
        """Logits behind each row's prompt, the cache and the mask; equal prompts run once."""
        from transformers import DynamicCache

        groups = [(ids, len(list(same))) for ids, same in groupby(rows, lambda r: r.prompt_ids)]
        width = max(len(ids) for ids, _ in groups)
        pad = self.tokenizer.pad_token_id or 0
        device = self.model.device
        ids = torch.tensor([[pad] * (width - len(i)) + i for i, _ in groups], device=device)
        mask = torch.tensor(
            [[0] * (width - len(i)) + [1] * len(i) for i, _ in groups], device=device
        )
        cache = DynamicCache(config=self.model.config)
        logits = self._forward(ids, mask, cache)
        copies = torch.repeat_interleave(torch.tensor([count for _, count in groups])).to(device)
        cache.batch_select_indices(copies)
        return logits[copies], cache, mask[copies]

    def _forward(self, ids: torch.Tensor, mask: torch.Tensor, cache: Any) -> torch.Tensor:
        """Float logits behind the last token of each row, shape (rows, vocabulary)."""
        places = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        out = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=places,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return out.logits[:, -1].float()

    def _choose(
        self, logits: torch.Tensor, rows: list[_Row], step: int, sampling: Sampling
    ) -> None:
        """Append one token to each row, and the raw log-probability of the likeliest one."""
        if sampling.top1:
            likeliest = logits.amax(dim=-1) - logits.logsumexp(dim=-1)
            for row, value in zip(rows, likeliest.tolist(), strict=True):
                row.top1.append(value)
        uniforms = torch.from_numpy(np.array([row.uniforms[step] for row in rows]))
        chosen = choose(logits, uniforms.to(logits.device), sampling.temperature, sampling.top_p)
        for row, token in zip(rows, chosen.tolist(), strict=True):
            forced = None if row.limit is None else row.limit.forced(row.ids)
            row.ids.append(token if forced is None else forced)

    def _ended(self, row: _Row, stops: Sequence[str]) -> bool:
        return row.ids[-1] in self._ends or stop_reached(self.tokenizer, row.ids, stops)

    def _completion(self, row: _Row, sampling: Sampling) -> Completion:
        top1 = row.top1 if sampling.top1 else None
        return completion(
            self.tokenizer,
            row.prompt_ids,
            row.ids,
            top1,
            sampling.stop,
            self._ends,
            self._family.marks,
        )


def choose(
    logits: torch.Tensor, uniforms: torch.Tensor, temperature: float, top_p: float
) -> torch.Tensor:
    """One token per row by inverting the cumulative distribution; greedy at temperature 0.

    Args:
        logits: shape (rows, vocabulary), float32.
        uniforms: one number in [0, 1) per row.
        temperature: divides the logits.
        top_p: keeps the likeliest tokens until their probabilities reach it.
    """
    if temperature == 0:
        return logits.argmax(dim=-1)
    shares = (logits / temperature).softmax(dim=-1)
    if top_p == 1:
        return _invert(shares, uniforms).squeeze(1)
    # Sorting the whole vocabulary takes longer than the model; mostly a few tokens suffice.
    return _from_likeliest(shares, uniforms, top_p, among=1024).squeeze(1)


def _from_likeliest(
    shares: torch.Tensor, uniforms: torch.Tensor, top_p: float, among: int
) -> torch.Tensor:
    vocabulary = shares.shape[-1]
    best, tokens = shares.topk(min(among, vocabulary), dim=-1)
    flat = best.sum(dim=-1) < top_p
    # A token stays if those before it have not reached top_p; the first always does.
    best = best.masked_fill(best.cumsum(dim=-1) - best >= top_p, 0.0)
    chosen = tokens.gather(1, _invert(best, uniforms))
    if among < vocabulary and bool(flat.any()):
        chosen[flat] = _from_likeliest(shares[flat], uniforms[flat], top_p, vocabulary)
    return chosen


def _invert(shares: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    cumulative = shares.cumsum(dim=-1)
    total = cumulative[:, -1:]
    # Strictly below the total, else rounding could pass over the last possible token.
    at = torch.minimum(uniforms[:, None] * total, total.nextafter(torch.zeros_like(total)))
    return torch.searchsorted(cumulative, at, right=True)
