"""What a recipe will take, said before anything is spent: steps, time, money and storage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from flows.pipeline import Node, pipeline
from flows.places import Place
from flows.weights import weighted
from tasks import workload
from tasks.artifacts.records import Manifest
from tasks.artifacts.store import Store
from tasks.compute.step import find_manifest
from tasks.devices import Device, Load, device_named
from tasks.errors import BadInput, StoreError
from tasks.estimate import Cost, cost_of, earlier_costs
from tasks.methods import method_named
from tasks.methods.variants import Variant
from tasks.model_list import ModelsRecipe
from tasks.recipe import Recipe
from tasks.steps import STEPS

BYTES_AN_ANSWER = 800  # of a row of answers and of grades
BYTES_A_TOKEN = 5  # of text
BYTES_A_BILLION = 2e9  # of weights in 16 bits
FIXED = {"prepare-data": 2.0, "prepare-models": 10.0, "score": 10.0, "report": 5.0}  # seconds
WHILE_SHARING = 0.8  # of a device's speed, where several share a model
FETCHED = 60.0  # seconds for a billion parameters, unpacked or from a hub


class StepPlan(NamedTuple):
    """One step; None where nobody can say."""

    label: str
    done: bool
    known: str  # where time and tokens come from: parts | earlier run | estimate
    tokens: float | None
    seconds: float | None
    devices: int
    money: float | None


class Totals(NamedTuple):
    """What is left of a plan: tokens, seconds one step after the other, seconds of devices, money,
    and the steps whose time nobody can say."""

    tokens: float
    seconds: float
    device_seconds: float
    money: float
    unknown: list[str]


def left_of(steps: Iterable[StepPlan]) -> Totals:
    """The sums over what is not done."""
    left = [step for step in steps if not step.done]
    return Totals(
        sum(step.tokens or 0.0 for step in left),
        sum(step.seconds or 0.0 for step in left),
        sum((step.seconds or 0.0) * step.devices for step in left),
        sum(step.money or 0.0 for step in left),
        [step.label for step in left if step.seconds is None],
    )


def usual_device(recipe: Recipe | ModelsRecipe) -> Device:
    """What a recipe is planned for where nobody says."""
    return device_named("cpu" if recipe.machine.device == "cpu" else "a100")


def short(count: float | None) -> str:
    """`348.1k`, for a number of tokens; a dash where there is none."""
    if count is None:
        return "-"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}"
    return f"{count:.0f}"


@dataclass
class Planner:
    """Reads a recipe against a store and a device; steps of `force` do not count as done."""

    store: Store
    recipe: Recipe | ModelsRecipe
    device: Device
    price: float
    done: dict[str, Manifest] = field(default_factory=dict)
    force: tuple[str, ...] = ()

    def steps(self) -> Iterator[StepPlan]:
        """Every step in order."""
        nodes = pipeline(self.recipe)
        settings = self.recipe.model_dump(mode="json")
        earlier = earlier_costs(self.store, "", settings, nodes)
        loads = self.loads()
        for node in nodes:
            self._find(node)
            yield self._planned(node, earlier.get(node.label), loads.get(node.label, []))

    def storage(self) -> float:
        """Bytes of what is kept: models, trained students and generators, answers."""
        kept = [workload.billions(str(one)) for one in weighted(self.recipe)]
        texts = 0.0
        for label, loads in self.loads().items():
            if label.startswith(("train-student", "train-generator")):
                # The model, and the two newest checkpoints of an adapter while it is trained.
                kept.append(_size(loads))
            texts += sum(load.tokens for load in loads) * BYTES_A_TOKEN
        return BYTES_A_BILLION * sum(one or 0.0 for one in kept) + texts

    def loads(self) -> dict[str, list[Load]]:
        """What the models of each step have to do, by label."""
        recipe = self.recipe
        if isinstance(recipe, ModelsRecipe):
            return {
                f"evaluate-{one.name}": list(
                    workload.evaluation(recipe, one.model, recipe.evaluation_of(one))
                )
                for one in recipe.models
            }
        found: dict[str, list[Load]] = {}
        for variant in recipe.grid.variants():
            found |= _loads(recipe, variant)
        return found

    def _find(self, node: Node) -> None:
        """Whether all parts of a step are there; nobody can say where its inputs are not."""
        if node.step in self.force or not set(node.needs) <= set(self.done):
            return
        try:
            manifest = find_manifest(self.store, STEPS[node.step], node.spec(self.done))
        except (BadInput, StoreError):  # published files that cannot be reached from here
            return
        if manifest is not None:
            self.done[node.label] = manifest

    def _planned(self, node: Node, earlier: Cost | None, loads: list[Load]) -> StepPlan:
        if node.label in self.done:
            cost = cost_of(self.done[node.label])
            return StepPlan(node.label, True, "parts", cost.tokens, cost.seconds, 0, 0.0)
        tokens, known = sum(load.tokens for load in loads) or None, "estimate"
        seconds = self._seconds(node, loads)
        if earlier is not None and earlier.seconds is not None:
            seconds, known = earlier.seconds, "earlier run"
            tokens = earlier.tokens or tokens
        devices = self._devices(node)
        return StepPlan(
            node.label, False, known, tokens, seconds, devices, self._money(loads, seconds, devices)
        )

    def _seconds(self, node: Node, loads: list[Load]) -> float | None:
        fixed = FIXED.get(node.step, 0.0)
        if node.step == "prepare-models":
            sizes = [workload.billions(str(one)) or 0.0 for one in weighted(self.recipe)]
            return fixed + FETCHED * sum(sizes)
        own = [load.seconds(self.device) for load in loads if not _elsewhere(load)]
        if None in own:
            return None
        return fixed + sum(one or 0.0 for one in own) / _together(self._sharing(node))

    def _sharing(self, node: Node) -> int:
        """Devices that share the work of a step."""
        if node.step == "train-generator" and isinstance(self.recipe, Recipe):
            return self.recipe.generator_training.processes
        return 1 if node.step == "train-student" else self.recipe.machine.tensor_parallel

    def _devices(self, node: Node) -> int:
        if node.pool == "cpu":
            return 0
        apart = 0
        if node.step == "train-generator" and isinstance(self.recipe, Recipe):
            apart = bool(self.recipe.generator_training.student_device)
        return self._sharing(node) + apart

    def _money(self, loads: list[Load], seconds: float | None, devices: int) -> float | None:
        """Of devices by the hour, and of endpoints by the token at the recipe's prices."""
        asked = self.recipe.machine.endpoint
        paid = sum(
            (load.shown or load.reads) * asked.price_input + load.writes * asked.price_output
            for load in loads
            if _elsewhere(load)
        )
        if seconds is None:
            return None
        return paid / 1e6 + devices * self.price * seconds / 3600.0


def _loads(recipe: Recipe, variant: Variant) -> Mapping[str, list[Load]]:
    """Of the steps that lead to one evaluated model, by label."""
    student = recipe.student_models[variant.student]
    method = method_named(variant.method)
    evaluated = workload.evaluation(
        recipe, student, recipe.evaluation, reasoned=method.english_reasoning
    )
    found = {f"evaluate-{variant.label}": list(evaluated)}
    if variant.seed is None:
        return found
    at = Place.of(recipe, variant)
    if method.questions == "generator":
        validated = at.validated_on(recipe) is not None
        taught = workload.generator_training(recipe, student, validated)
        found[at.node("train-generator")] = list(taught)
    steps = {
        "generate-questions": workload.writing,
        "label-questions": workload.labelling,
        "train-student": workload.student_training,
    }
    return found | {
        at.node(step): list(load(recipe, method, student)) for step, load in steps.items()
    }


def _together(devices: int) -> float:
    """How much faster several devices are than one; a fifth of each is lost to waiting."""
    return 1.0 if devices == 1 else WHILE_SHARING * devices


def _elsewhere(load: Load) -> bool:
    return load.model.startswith("endpoint:")


def _size(loads: list[Load]) -> float:
    return max((load.billions or 0.0 for load in loads), default=0.0)
