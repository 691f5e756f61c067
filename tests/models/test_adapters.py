"""Students that are an adapter beside their base: served by both engines, evaluated by the step."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from peft import get_peft_model
from transformers import AutoModelForCausalLM

from flows.pipeline import pipeline
from tasks.artifacts.parts import publish_part, read_table
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.compute.step import Silent, Work, complete
from tasks.models.engine import Prompt, Sampling
from tasks.models.lora import lora_config, with_adapter
from tasks.models.transformers_engine import TransformersEngine
from tasks.read_recipe import read_recipe
from tasks.steps import STEPS
from tests.models.test_vllm_engine import GREEDY, TEXTS, run

PROMPTS = [Prompt(text=text) for text in TEXTS]


@pytest.fixture(scope="module")
def adapter(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter that changes every answer."""
    folder = tmp_path_factory.mktemp("adapter")
    model = get_peft_model(
        AutoModelForCausalLM.from_pretrained(tiny_folder), lora_config(4, 32, 0.0)
    )
    torch.manual_seed(5)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.2)
    model.save_pretrained(folder)
    return folder


def texts(engine: TransformersEngine) -> list[str]:
    drawn = engine.complete(PROMPTS, Sampling(max_tokens=12, temperature=0), 0)
    return [one.text for [one] in drawn]


def test_transformers_adds_the_adapter_to_its_base(
    tiny_folder: Path, adapter: Path, tmp_path: Path
) -> None:
    merged = with_adapter(AutoModelForCausalLM.from_pretrained(tiny_folder), adapter)
    merged.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((tiny_folder / "tokenizer.json").read_bytes())
    config = "tokenizer_config.json"
    (tmp_path / config).write_bytes((tiny_folder / config).read_bytes())
    whole = texts(TransformersEngine(tmp_path, "float32", "cpu"))
    assert texts(TransformersEngine(tiny_folder, "float32", "cpu", adapter=adapter)) == whole
    assert texts(TransformersEngine(tiny_folder, "float32", "cpu")) != whole


def test_vllm_computes_the_adapter_beside_its_base(
    tiny_folder: Path, adapter: Path, tmp_path: Path
) -> None:
    drawn = run(tiny_folder, "float32", [(TEXTS, GREEDY)], tmp_path / "out.json", adapter)["drawn"]
    wanted = texts(TransformersEngine(tiny_folder, "float32", "cpu", adapter=adapter))
    assert [one["text"] for [one] in drawn[0]] == wanted


def test_the_student_of_a_recipe_with_adapters_is_evaluated(
    file_store: Store, tiny_folder: Path, adapter: Path
) -> None:
    recipe = read_recipe(
        "smoke",
        {
            "machine.engine": "transformers", "student_training.output": "adapter",
            "benchmarks": [{"name": "facts", "items": 2}], "languages": ["en"],
            "evaluation.samples": 1,
        },
    )  # fmt: skip
    nodes = {node.label: node for node in pipeline(recipe)}
    data = complete(
        Work(file_store, STEPS["prepare-data"], Silent()), nodes["prepare-data"].spec({})
    )

    def made(step: str, name: str, folder: Path) -> Manifest:
        part = publish_part(file_store, step, name, step, folder, {})
        return Manifest(step=step, spec="s", parts={name: part})

    done = {
        "prepare-data": data,
        "prepare-models": made("prepare-models", "bundled:tiny-random", tiny_folder),
        "train-student": made("train-student", "student", adapter),
    }
    assert set(nodes["evaluate-student"].needs) == set(done)
    answers = {}
    for label in ("evaluate-base", "evaluate-student"):
        found = complete(Work(file_store, STEPS["evaluate"], Silent()), nodes[label].spec(done))
        rows = read_table(file_store, found.parts["answers/facts/en"]).to_pylist()
        answers[label] = [row["text"] for row in rows]
    assert len(answers["evaluate-base"]) == 2
    assert answers["evaluate-base"] != answers["evaluate-student"]
