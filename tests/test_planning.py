"""What a recipe takes, said before it is run: against what parts recorded, and where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from typer.testing import CliRunner

from deployments.cli import app
from flows.here import run_here, write_node
from flows.pipeline import pipeline
from flows.planning import Planner, StepPlan
from flows.summary import markdown_plan
from tasks.artifacts.store import Store
from tasks.devices import DEVICES, Load, device_named
from tasks.errors import BadInput
from tasks.read_recipe import known_recipes, read_recipe
from tasks.runs import recorded_step
from tasks.workload import SIZES, billions
from tests.silent import Silent

SMALL: dict[str, Any] = {"benchmarks": [{"name": "sums", "items": 5}], "languages": ["en", "de"]}


def planned(store: Store, recipe: str, device: str = "cpu", **changes: Any) -> Planner:
    return Planner(store, read_recipe(recipe, changes), device_named(device), 1.0)


def by_label(planner: Planner) -> Mapping[str, StepPlan]:
    return {step.label: step for step in planner.steps()}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("bundled:gemma-3-270m", 0.27),
        ("hf:Qwen/Qwen2.5-7B-Instruct", 7.0),
        ("hf:Qwen/Qwen3-30B-A3B", 30.0),
        ("hf:Qwen/Qwen3-Embedding-0.6B@main", 0.6),
        ("hf:meta-llama/Llama-3.1-8B-Instruct", 8.0),
        ("hf:prometheus-eval/prometheus-7b-v2.0", 7.0),
        ("hf:google/gemma-4-E2B-it", None),
        ("simulated:base", 0.0),
    ],
)
def test_a_models_name_tells_its_size(name: str, size: float | None) -> None:
    assert billions(name) == size


def test_a_load_takes_longer_on_a_slower_device_and_for_a_larger_model() -> None:
    small, large = (Load("m", size, reads=1e6, writes=1e5, trains=1e5) for size in (1.0, 7.0))
    h100, cpu = DEVICES["h100"], DEVICES["cpu"]
    assert large.seconds(h100) == pytest.approx(7 * (small.seconds(h100) or 0))
    assert (small.seconds(cpu) or 0) > 50 * (small.seconds(h100) or 0)
    assert Load("m", None, reads=1.0).seconds(h100) is None
    with pytest.raises(BadInput, match="device 'h99' is not known; write one of cpu, l4"):
        device_named("h99")


def test_every_benchmark_has_a_size() -> None:
    from tasks.benchmarks import BENCHMARKS

    assert set(SIZES) == set(BENCHMARKS)


@pytest.mark.parametrize("recipe", known_recipes())
def test_every_recipe_has_a_plan(file_store: Store, recipe: str) -> None:
    planner = planned(file_store, recipe, "h100")
    loads = planner.loads()
    labels = {label for label in loads if label.startswith("evaluate-")}
    assert labels and all(load.tokens >= 0 for own in loads.values() for load in own)
    assert planner.storage() > 0


def test_several_devices_cost_more_and_take_less(file_store: Store) -> None:
    one = by_label(planned(file_store, "quickstart"))["evaluate-base"]
    two = by_label(planned(file_store, "quickstart", **{"machine.tensor_parallel": 2}))
    shared = two["evaluate-base"]
    assert (one.devices, shared.devices) == (1, 2)
    assert (one.seconds or 0) > (shared.seconds or 0) and (one.money or 0) < (shared.money or 0)


# The quickstart's settings with three benchmarks of 24 items in six languages, and its arms at 24
# rows: seconds and tokens that its parts recorded, on two cores with nothing else to do.
MEASURED: dict[str, Any] = {
    "languages": ["en", "fr", "es", "ar", "de", "ru"],
    "benchmarks": [{"name": name, "items": 24} for name in ("facts", "multihop", "numbers")],
    "methods": ["base", "untrained", "selection-gt"],
    "questions": {"keep": 48, "max_attempts": 720, "batch": 72, "max_tokens": 160},
    "student_training.rows": 24,
    "student_training.epochs": 3,
}
RECORDED = {
    "prepare-models": (33.7, None),
    "evaluate-base": (74.9, 348_058),
    "generate-questions-untrained": (83.7, None),
    "label-questions-untrained": (66.4, None),
    "train-student-selection-gt": (61.3, None),
    "evaluate-selection-gt": (80.6, 349_398),
}


def test_estimates_are_right_within_a_factor_of_one_and_a_half(file_store: Store) -> None:
    steps = by_label(planned(file_store, "quickstart", **MEASURED))
    for label, (seconds, tokens) in RECORDED.items():
        assert 1 / 1.5 < (steps[label].seconds or 0) / seconds < 1.5, label
        if tokens is not None:
            assert 1 / 1.5 < (steps[label].tokens or 0) / tokens < 1.5, label
    total = sum(steps[label].seconds or 0 for label in RECORDED)
    assert 0.8 < total / sum(seconds for seconds, _ in RECORDED.values()) < 1.25


def test_what_is_done_is_not_counted(file_store: Store) -> None:
    recipe = read_recipe("simulated", SMALL | {"scoring.resamples": 20})
    planner = planned(file_store, "simulated", **SMALL, **{"scoring.resamples": 20})
    assert not any(step.done for step in planner.steps())
    run_here(file_store, recipe, Silent())
    again = planned(file_store, "simulated", **SMALL, **{"scoring.resamples": 20})
    steps = list(again.steps())
    assert all(step.done and step.known == "parts" and step.money == 0.0 for step in steps)
    more = {**SMALL, "scoring.resamples": 20, "evaluation.samples": 11}
    some = by_label(planned(file_store, "simulated", **more))
    assert some["prepare-data"].done and not some["evaluate-base"].done


def test_an_endpoint_is_paid_by_the_token(file_store: Store) -> None:
    endpoint = {"price_input": 2.0, "price_output": 10.0}
    changes = {
        "student": "endpoint:x/y", "form": "chat", "machine.engine": "endpoint",
        "machine.endpoint": endpoint, **SMALL,
    }  # fmt: skip
    planner = planned(file_store, "simulated", **changes)
    [load] = planner.loads()["evaluate-base"]
    step = by_label(planner)["evaluate-base"]
    assert step.money == pytest.approx((load.shown * 2.0 + load.writes * 10.0) / 1e6)


def test_what_a_person_approves_says_what_the_rest_takes(file_store: Store) -> None:
    recipe = read_recipe("simulated", SMALL | {"scoring.resamples": 20})
    run_here(file_store, recipe, Silent())
    more: dict[str, Any] = {**SMALL, "languages": ["en", "de", "fr"], "evaluation.samples": 11}
    planner = planned(file_store, "simulated", **more)
    nodes = pipeline(planner.recipe)
    held = {"prepare-data": write_node(file_store, "next", nodes[0], {})}
    rows = markdown_plan(planner, nodes, "plan", held).splitlines()
    assert rows[0].startswith("**Go on past the plan?** 0 of 4 steps are done. Left: ")
    assert "estimated, for the device cpu." in rows[0]
    # Two of three languages are there already; the seeds are a part as well.
    assert any(row.startswith("| prepare-data | cpu | 3 of 4 parts | ") for row in rows)
    [evaluated] = [row.split(" | ") for row in rows if "evaluate-base" in row]
    assert evaluated[2] == "no" and float(evaluated[3].removesuffix("k")) > 0
    assert evaluated[-1] == "estimate |"


def test_what_is_done_or_forced_again_is_said(file_store: Store) -> None:
    settings = {**SMALL, "scoring.resamples": 20}
    run = run_here(file_store, read_recipe("simulated", settings), Silent())
    again = planned(file_store, "simulated", **settings)
    nodes = pipeline(again.recipe)
    assert markdown_plan(again, nodes, "plan", {}).count("| yes |") == 4
    forced = planned(file_store, "simulated", **settings)
    forced.force = ("evaluate",)
    found = recorded_step(file_store, run, "evaluate", "base")
    assert found is not None
    said = markdown_plan(forced, nodes, "plan", {"evaluate-base": found.spec}).splitlines()
    assert [row for row in said if "| evaluate-base | cpu | yes, forced again | " in row]
    assert sum("| yes |" in row for row in said) == 1


def test_the_command_says_it_all(tmp_path: Any) -> None:
    words = ["plan", "paper-qwen2.5-14b", "--store", f"file://{tmp_path}", "--device", "h200"]
    said = CliRunner().invoke(app, words).stdout
    for wanted in (
        "methods base, eng-reason, selection-gt", "train-generator-hotfixr", "0 of ", " h200 hours",
        "US dollars at 5 an hour", "storage: about", "on other devices",
    ):  # fmt: skip
        assert wanted in said, said
