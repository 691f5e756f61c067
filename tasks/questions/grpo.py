"""The GRPO trainer with what a question generator needs. Imported by the compute child only.

Three methods of the pinned trainer are replaced: prompts become tokens as the engines make them
(one BOS, even where the tokenizer forgets it), rollouts of base models end at a stop string, and on
CPU, where the trainer's fused head would project prompt positions too, the vocabulary projection is
done for completion tokens alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList
from trl import GRPOTrainer
from trl.models import unwrap_model_for_generation
from trl.trainer.utils import pad

from tasks.models.engine import Prompt
from tasks.models.tokens import encode_prompt, stop_reached


def with_dense_head(model: Any) -> Any:
    """Make the vocabulary projection see contiguous states.

    A slice of the last positions is not contiguous; torch then multiplies row by row and, in
    bfloat16 on CPU, copies the whole vocabulary matrix once per row: seconds and gigabytes.
    """
    head = model.get_output_embeddings()
    head.register_forward_pre_hook(lambda module, inputs: (inputs[0].contiguous(),))
    return model


class GeneratorTrainer(GRPOTrainer):
    """GRPO; `stops` end a rollout and belong to it."""

    def __init__(self, *args: Any, stops: Sequence[str], **kwargs: Any) -> None:
        self._stops = tuple(stops)
        super().__init__(*args, **kwargs)

    def _tokenize_prompts(self, prompts: list[Any]) -> tuple[list[list[int]], None, dict[str, Any]]:
        asked = [
            Prompt(text=prompt) if isinstance(prompt, str) else Prompt(messages=tuple(prompt))
            for prompt in prompts
        ]
        return [encode_prompt(self.processing_class, prompt) for prompt in asked], None, {}

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], *others: Any, **more: Any
    ) -> tuple[list[list[int]], Any]:
        # A rollout depends on the weights, the seed and the step alone, so a resumed run draws the
        # same ones as a run that was never interrupted.
        torch.manual_seed(self._step_seed)
        if self.use_vllm and self.vllm_mode == "server":
            # The server has a stream of its own; one seed per step starts it anew, and each of a
            # prompt's samples differs. (One that is colocated draws from this process's stream.)
            asked = {**self.vllm_generation.generation_kwargs, "seed": self._step_seed}
            self.vllm_generation.generation_kwargs = asked
        if self.use_vllm or not self._stops:
            sampled: tuple[list[list[int]], Any] = super()._generate_single_turn(
                prompt_ids, *others, **more
            )
            return sampled
        return self._generate_until_stop([torch.tensor(ids) for ids in prompt_ids]), None

    @property
    def _step_seed(self) -> int:
        """Of this process in this step."""
        place = self.state.global_step * self.accelerator.num_processes
        return int(self.args.seed * 1_000_003 + place + self.accelerator.process_index)

    def _generate_until_stop(self, prompts: list[torch.Tensor]) -> list[list[int]]:
        ids = pad(prompts, padding_value=self.processing_class.pad_token_id, padding_side="left")
        mask = pad([torch.ones_like(p) for p in prompts], padding_value=0, padding_side="left")
        stop = _StopString(self.processing_class, self._stops, ids.shape[1])
        with (
            torch.no_grad(),
            unwrap_model_for_generation(
                self.model_wrapped, self.accelerator, generation_kwargs=self.generation_kwargs
            ) as model,
        ):
            written = model.generate(
                input_ids=ids.to(self.accelerator.device),
                attention_mask=mask.to(self.accelerator.device),
                generation_config=self.generation_config,
                stopping_criteria=StoppingCriteriaList([stop]),
            )
        return [self._sampled(row) for row in written[:, ids.shape[1] :].tolist()]

    def _sampled(self, ids: list[int]) -> list[int]:
        """Without the padding: up to the end token, or the token that completes a stop string."""
        ends = [at + 1 for at, token in enumerate(ids) if token in self.eos_token_ids]
        kept = ids[: ends[0]] if ends else ids

        def stopped(length: int) -> bool:
            text = self.processing_class.decode(kept[:length])
            return any(stop in text for stop in self._stops)

        return kept[: bisect_left(range(len(kept)), True, key=stopped)]

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        **others: Any,
    ) -> tuple[torch.Tensor, torch.Tensor, None]:
        if input_ids.device.type != "cpu":
            on_device: tuple[torch.Tensor, torch.Tensor, None] = (
                super()._get_per_token_logps_and_entropies(
                    model, input_ids, attention_mask, logits_to_keep, batch_size, **others
                )
            )
            return on_device
        rows = batch_size or len(input_ids)
        scored = [
            self._score_completions(model, ids, mask, logits_to_keep)
            for ids, mask in zip(input_ids.split(rows), attention_mask.split(rows), strict=True)
        ]
        log_probs, entropies = (torch.cat(parts) for parts in zip(*scored, strict=True))
        return log_probs, entropies, None

    def _score_completions(
        self, model: Any, ids: torch.Tensor, mask: torch.Tensor, length: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probability of each completion token and the entropy there, both rows x length."""
        outputs = model(
            input_ids=ids, attention_mask=mask, logits_to_keep=length + 1, use_cache=False
        )
        logits = outputs.logits[:, :-1].float() / self.temperature
        total = logits.logsumexp(-1)
        chosen = logits.gather(-1, ids[:, -length:, None]).squeeze(-1)
        with torch.no_grad():
            expected = torch.stack([(row.softmax(-1) * row).sum(-1) for row in logits])
        return chosen - total, total.detach() - expected


class _StopString(StoppingCriteria):  # type: ignore[misc]
    """Ends a row whose newest token completed a stop string."""

    def __init__(self, tokenizer: Any, stops: Sequence[str], prompt_length: int) -> None:
        self._tokenizer = tokenizer
        self._stops = stops
        self._prompt_length = prompt_length

    def __call__(self, input_ids: torch.Tensor, scores: Any, **more: Any) -> torch.Tensor:
        rows = input_ids[:, self._prompt_length :].tolist()
        ended = [stop_reached(self._tokenizer, row, self._stops) for row in rows]
        return torch.tensor(ended, device=input_ids.device)
