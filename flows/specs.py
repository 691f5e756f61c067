"""The spec of each step, from the recipe and what earlier steps gave."""

from __future__ import annotations

from typing import Any

from flows.graders import compat, judge
from flows.models import Done, engine_of, model_of
from flows.places import Place
from flows.weights import trained_part
from tasks import compare_to_paper, plug_metric
from tasks.artifacts.records import Part
from tasks.benchmarks import BENCHMARKS, revision, seeds_revision
from tasks.evaluate import Evaluate
from tasks.methods import method_named
from tasks.methods.variants import Variant, pairs
from tasks.model_list import ListedModel, ModelsRecipe
from tasks.models.machine import EngineSettings
from tasks.models.references import Reference, parse_reference
from tasks.models.revisions import model_revision
from tasks.prepare_data import SEEDS, PrepareData, Source
from tasks.prepare_models import PrepareModels, Wanted
from tasks.recipe import GRADED_BY, Experiment, Recipe
from tasks.report import Compared, Report
from tasks.score import Score

ALONE = 2  # variants that are no comparison of methods: a student and its base


def prepare_data(recipe: Experiment) -> PrepareData:
    """Every benchmark in the languages that it has, and the seeds of what is trained."""
    sources = []
    for choice in recipe.benchmarks:
        benchmark = BENCHMARKS[choice.name]
        wanted = choice.languages or recipe.languages
        sources.append(
            Source(
                benchmark=choice.name,
                source=choice.source,
                revision=revision(choice.name, choice.source),
                items=choice.items,
                # A translation benchmark has no rows in the language it translates into.
                languages=tuple(code for code in wanted if benchmark.has(code)),
            )
        )
    given: dict[str, Any] = {"seeds": "bundled"}
    if isinstance(recipe, Recipe):
        given = {name: getattr(recipe, name) for name in ("seeds", "seed_rows", "seed_skip")}
    revised = seeds_revision(given["seeds"])
    return PrepareData(benchmarks=tuple(sources), seeds_revision=revised, **given)


def prepare_models(models: list[Reference]) -> PrepareModels:
    """Each model at the revision that its reference means today."""
    return PrepareModels(
        models=tuple(Wanted(reference=str(one), revision=model_revision(one)) for one in models)
    )


def evaluate_variant(recipe: Recipe, variant: Variant, done: Done) -> Evaluate:
    """One variant of a student, trained or asked in its method's way."""
    base = recipe.student_models[variant.student]
    trained = trained_part(recipe, variant, done)
    beside = trained is not None and recipe.student_training.output == "adapter"
    settings = recipe.evaluation
    if _reasoned(variant):
        settings = settings.model_copy(update={"reasoning": "english"})
    return Evaluate(
        label=variant.label,
        model=model_of(base, done) if trained is None or beside else trained,
        adapter=trained if beside else None,
        items=_items(done),
        engine=engine_of(recipe.machine, base, "base" if trained is None else "student"),
        settings=settings,
        judge=judge(recipe, done),
        compat=compat(recipe, done),
    )


def evaluate_listed(recipe: ModelsRecipe, one: ListedModel, done: Done) -> Evaluate:
    """One model of a list, in its own form and at its own temperature."""
    played = recipe.plays(one)
    if played:
        machine = recipe.machine.model_dump() | {"engine": "simulated"}
        engine = EngineSettings(**machine, profile=played)
    else:
        engine = engine_of(one.machine or recipe.machine, one.model, one.name)
    return Evaluate(
        label=one.name,
        model=None if played else model_of(one.model, done),
        items=_items(done),
        engine=engine,
        settings=recipe.evaluation_of(one),
        judge=judge(recipe, done),
        compat=compat(recipe, done),
    )


def score(recipe: Recipe | ModelsRecipe, done: Done) -> Score:
    """All grades of all models; differences where one is compared with another."""
    listed = recipe.models if isinstance(recipe, ModelsRecipe) else ()
    variants = () if isinstance(recipe, ModelsRecipe) else tuple(recipe.grid.variants())
    return Score(
        grades=_evaluated(done, "grades/"),
        beside=_evaluated(done, compare_to_paper.PREFIX, plug_metric.PREFIX),
        models=_weights(recipe, done),
        pairs=tuple(pairs(variants)),
        reasoned=tuple(one.label for one in variants if _reasoned(one)),
        facts=tuple(one.facts for one in listed),
        settings=recipe.scoring,
    )


def _evaluated(done: Done, *prefixes: str) -> dict[str, Part]:
    """The parts of all evaluations whose names begin like this."""
    labels = [label for label in done if label.startswith("evaluate-")]
    return {
        f"{label.removeprefix('evaluate-')}/{name.removeprefix('grades/')}": part
        for label in labels
        for name, part in done[label].parts.items()
        if name.startswith(prefixes)
    }


def _reasoned(variant: Variant) -> bool:
    return method_named(variant.method).english_reasoning


def report(recipe: Recipe | ModelsRecipe, done: Done) -> Report:
    """Everything a reader sees."""

    at = _shown(recipe)

    def part(step: str, name: str) -> Part | None:
        label = "" if at is None else at.node(step)
        return done[label].parts.get(name) if label in done else None

    listed = recipe.models if isinstance(recipe, ModelsRecipe) else ()
    return Report(
        scores=done["score"].parts["scores"],
        settings=_reported(recipe),
        models=tuple(one.facts for one in listed),
        compared=_compared(recipe, done),
        validity=part("train-generator", "validity"),
        generator=part("train-generator", "generator"),
        gain=part("train-generator", "gain"),
        questions=part("generate-questions", "questions"),
        labels=part("label-questions", "labels"),
        student=part("train-student", "student"),
    )


def _shown(recipe: Recipe | ModelsRecipe) -> Place | None:
    """Whose training is shown: the only one, or the only one with a generator of its own."""
    if isinstance(recipe, ModelsRecipe):
        return None
    trained = [one for one in recipe.grid.variants() if one.seed is not None]
    taught = [one for one in trained if method_named(one.method).questions == "generator"]
    chosen = taught or trained
    return Place.of(recipe, chosen[0]) if len(chosen) == 1 else None


def _compared(recipe: Recipe | ModelsRecipe, done: Done) -> Compared | None:
    """What the page over methods needs; None where there is but one student of one method."""
    if isinstance(recipe, ModelsRecipe):
        return None
    variants = tuple(recipe.grid.variants())
    if len(variants) <= ALONE and not recipe.students:
        return None
    trained = {one.label: trained_part(recipe, one, done) for one in variants}
    wanted = recipe.student_training.rows
    return Compared(
        variants=variants,
        students=recipe.student_models,
        learned={
            name: wanted or part.facts["rows"] for name, part in trained.items() if part is not None
        },
        grades=_evaluated(done, "grades/"),
    )


def _reported(recipe: Recipe | ModelsRecipe) -> dict[str, Any]:
    """The settings that shape numbers, whatever the recipe is called.

    How an endpoint is asked changes none, so no report either; the day does.
    """
    settings = recipe.model_dump(mode="json", exclude={"name", "description", "workers"})
    machines = [settings["machine"], *(one["machine"] for one in settings.get("models", ()))]
    for machine in machines:
        if machine is not None:
            asked = machine.pop("endpoint")["asked"]
            machine |= {"asked": asked} if asked else {}
    given = recipe.evaluation.model_dump(mode="json", include=set(GRADED_BY))
    graded = {name: value for name, value in given.items() if value}
    if "judge" in graded:
        graded["judge"].pop("machine")
    settings["evaluation"] = recipe.evaluation.shape | graded
    return settings


def _items(done: Done) -> dict[str, Part]:
    return {
        name.removeprefix("items/"): part
        for name, part in done["prepare-data"].parts.items()
        if name != SEEDS
    }


def _weights(recipe: Recipe | ModelsRecipe, done: Done) -> dict[str, Part]:
    """Whose grades these are; models without weights here have none."""
    mirrored = done["prepare-models"].parts if "prepare-models" in done else {}
    if isinstance(recipe, ModelsRecipe):
        found = {one.name: mirrored.get(str(parse_reference(one.model))) for one in recipe.models}
    else:
        found = {
            one.label: trained_part(recipe, one, done)
            or model_of(recipe.student_models[one.student], done)
            for one in recipe.grid.variants()
        }
    return {name: part for name, part in found.items() if part is not None}
