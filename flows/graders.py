"""Who grades besides the graders: the judge, and what is read beside published tables."""

from __future__ import annotations

from flows.models import Done, engine_of, heavier, model_of, pool
from tasks.benchmarks.judging import Judging
from tasks.compare_to_paper import Compat
from tasks.grading.paper_compat import CHARACTERS
from tasks.judge_answers import Judge
from tasks.models.machine import Machine
from tasks.recipe import Experiment


def judge(recipe: Experiment, done: Done) -> Judge | None:
    """Who judges; with the simulated engine the teacher plays whoever has weights."""
    judging = recipe.evaluation.judge
    if judging is None:
        return None
    machine = _judges_on(recipe, judging)
    return Judge(
        settings=judging,
        model=None if machine.engine == "simulated" else model_of(judging.model, done),
        engine=engine_of(machine, judging.model, "teacher"),
    )


def compat(recipe: Experiment, done: Done) -> Compat | None:
    """What published tables are read beside."""
    chosen = recipe.evaluation.paper_compat
    if chosen is None:
        return None
    return Compat(
        embedding=chosen.embedding,
        model=None if chosen.embedding == CHARACTERS else model_of(chosen.embedding, done),
        machine=recipe.machine,
        judge=judge(recipe, done) if chosen.ratings else None,
    )


def weighted_graders(recipe: Experiment) -> list[str]:
    """The references of those that have weights, or may have."""
    judging = recipe.evaluation.judge
    played = judging is None or _judges_on(recipe, judging).engine == "simulated"
    judges = [] if judging is None or played else [judging.model]
    return [*judges, *_embedders(recipe)]


def pool_of_graders(recipe: Experiment) -> str:
    """Where they run: in the step of the answers that they grade."""
    judging = recipe.evaluation.judge
    judges = pool(_judges_on(recipe, judging), judging.model) if judging else "cpu"
    return heavier(judges, *("gpu" for _ in _embedders(recipe)))


def _embedders(recipe: Experiment) -> list[str]:
    chosen = recipe.evaluation.paper_compat
    return [] if chosen is None or chosen.embedding == CHARACTERS else [chosen.embedding]


def _judges_on(recipe: Experiment, judging: Judging) -> Machine:
    return judging.machine or recipe.machine
