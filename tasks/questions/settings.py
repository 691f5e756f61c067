"""How the question generator is trained and how the frozen student is measured meanwhile.

The defaults are the reference run's: 12 prompts x 4 rollouts, 41 steps, learning rate 1e-6.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tasks.questions.prompts import Form

Positive = Annotated[int, Field(ge=1)]
Weight = Annotated[float, Field(ge=0.0)]
Dtype = Literal["float32", "bfloat16"]


class Frozen(BaseModel):
    """Settings are compared and digested, so they never change and never hold unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StudentScoring(Frozen):
    """How LAI and LSI are measured on the frozen student."""

    form: Form
    answer_tokens: Positive = 512
    temperature: Annotated[float, Field(gt=0.0)] = 0.7
    english_samples: Literal[1, 2] = 2  # the second gives lsi_null; 1 saves a third of the tokens
    lai_span: Literal["response", "answer"] = "response"
    lsi_position: Literal["last", "mean"] = "last"
    lsi_layer: int = -1  # of the hidden states; -1 is the final layer, normalised
    seed: int = 0


class RewardWeights(Frozen):
    """Weights of the reward's components; one of weight 0 is not measured at all."""

    format: Weight = 1.0
    lai: Weight = 1.0
    lsi: Weight = 1.0

    @model_validator(mode="after")
    def _some_reward(self) -> RewardWeights:
        if not self.format + self.lai + self.lsi:
            raise ValueError("all reward weights are 0; set at least one above 0")
        return self


class Lora(Frozen):
    """The low-rank adapter on all linear layers; 0 dropout keeps rollouts and updates alike."""

    r: Positive = 16
    alpha: Positive = 32
    dropout: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0


class Vllm(Frozen):
    """How vLLM samples the rollouts; on GPUs only.

    `colocated`: on the GPUs that train. `served`: on others, by a server at `server`, started with
    the generator's own model, which takes new weights at each step:

        VLLM_SERVER_DEV_MODE=1 vllm serve FOLDER --logprobs-mode processed_logprobs
        --weight-transfer-config '{"backend": "nccl"}'
    """

    mode: Literal["colocated", "served"] = "colocated"
    server: str = ""  # URL of a served one
    memory: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.3  # share of a GPU for a colocated one
    tensor_parallel: Positive = 1  # processes that share one colocated model
    sleeps: bool = False  # a colocated one gives its memory back while weights are updated

    @model_validator(mode="after")
    def _addressed(self) -> Vllm:
        if (self.mode == "served") != bool(self.server):
            raise ValueError("vllm.mode served needs vllm.server, its URL, and colocated has none")
        return self


class GeneratorTraining(Frozen):
    """GRPO of the question generator."""

    form: Form
    dtype: Dtype
    device: str  # "cpu", "cuda"
    student: StudentScoring
    steps: Positive = 41
    prompts_per_step: Positive = 12
    rollouts: Annotated[int, Field(ge=2)] = 4  # completions of one prompt: GRPO's group
    micro_batch: Positive = 4  # completions in one forward and backward of a process
    processes: Positive = 1  # each on a GPU of its own, started by accelerate
    student_device: str = ""  # such as "cuda:3"; empty: the device of the process that trains
    learning_rate: Annotated[float, Field(gt=0.0)] = 1e-6
    temperature: Annotated[float, Field(gt=0.0)] = 1.0
    max_prompt_tokens: Positive = 4_096
    max_completion_tokens: Positive = 1_024
    lora: Lora = Lora()
    weights: RewardWeights = RewardWeights()
    checkpoint_every: Positive = 20
    collapse_window: Positive = 64  # questions looked back at by the collapse monitor
    collapse_below: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5  # share of distinct ones
    seed: int = 0
    rollout_engine: Literal["transformers", "vllm"] = "transformers"
    vllm: Vllm = Vllm()
    gradient_checkpointing: bool = False

    @model_validator(mode="after")
    def _whole_micro_batches(self) -> GeneratorTraining:
        completions = self.prompts_per_step * self.rollouts
        if completions % self.processes:
            raise ValueError(
                f"processes {self.processes} does not divide the {completions} completions of a "
                f"step (prompts_per_step x rollouts); use a divisor of {completions}"
            )
        own = completions // self.processes
        if own % self.micro_batch:
            raise ValueError(
                f"micro_batch {self.micro_batch} does not divide the {own} completions of a step "
                f"(prompts_per_step x rollouts / processes); use a divisor of {own}"
            )
        return self

    @model_validator(mode="after")
    def _on_gpus(self) -> GeneratorTraining:
        if self.rollout_engine == "vllm" and self.device == "cpu":
            raise ValueError("rollout_engine vllm needs device: cuda; write transformers on a CPU")
        if self.vllm.mode == "colocated" and self.processes % self.vllm.tensor_parallel:
            raise ValueError(
                f"vllm.tensor_parallel {self.vllm.tensor_parallel} does not divide processes "
                f"{self.processes}: so many of them share one model"
            )
        return self
