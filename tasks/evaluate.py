"""evaluate: N answers to every item, then their grades; one part each per benchmark x language."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.artifacts.schemas import ANSWERS
from tasks.benchmarks import BENCHMARKS
from tasks.benchmarks.grade_answers import corpus_facts, grade_table, share
from tasks.benchmarks.prompts import Asked, ask, stops
from tasks.compare_to_paper import Compat, compare, planned_compat
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.grading import GRADER_VERSION
from tasks.grading.judge import YES_NO
from tasks.judge_answers import Judge, ask_judge, check_of, judged_facts, planned, verdicts_of
from tasks.languages import Reasoning
from tasks.models.engine import Completion, Engine, Sampling, seed_from
from tasks.models.machine import EngineSettings
from tasks.models.thinking import room
from tasks.plug_metric import measure, planned_metric
from tasks.recipe import Evaluation

SAMPLING_VERSION = 1
COUNTED = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
# Parts that share one call of the engine, so that its batch does not drain between them.
IN_FLIGHT = 10


class Evaluate(Spec):
    """One model on items of many benchmarks and languages."""

    label: str  # the model's name in scores: base, student
    model: Part | None  # None: simulated, or behind an endpoint
    adapter: Part | None = None  # what was trained beside the model
    items: dict[str, Part]  # "facts/de" -> ITEMS
    engine: EngineSettings
    settings: Evaluation
    judge: Judge | None = None
    compat: Compat | None = None


def plan(spec: Evaluate, done: Mapping[str, Part]) -> Plan:
    """ANSWERS, and GRADES of those that are done: a new grader asks no model again."""
    parts: dict[str, object] = {}
    for name, items in spec.items.items():
        parts[f"answers/{name}"] = {
            "version": SAMPLING_VERSION,
            "items": items,
            "model": spec.model,
            "engine": spec.engine.shape,
            "settings": spec.settings.shape,
            "max_tokens": _max_tokens(spec, *name.split("/")),
            **({} if spec.adapter is None else {"adapter": spec.adapter}),
        }
        answers = done.get(f"answers/{name}")
        if answers is not None:
            parts |= _planned_grades(spec, done, name, answers)
            if spec.compat is not None:
                parts |= planned_compat(spec.compat, done, name, items, answers)
            metric = spec.settings.translation_metric
            parts |= planned_metric(metric, name, items, done.get(f"grades/{name}"))
    return parts


def _planned_grades(
    spec: Evaluate, done: Mapping[str, Part], cell: str, answers: Part
) -> dict[str, object]:
    """The grades of one benchmark and language; behind what a judge says, where one is asked."""
    items = spec.items[cell]
    grades: dict[str, object] = {
        "version": GRADER_VERSION,
        "items": items,
        "answers": answers,
        "label": spec.label,
        **_said(spec, cell.split("/")[0]),
    }
    judge = _judge_of(spec, cell)
    if judge is None:
        return {f"grades/{cell}": grades}
    verdicts = planned(judge, YES_NO, cell, items, answers)
    if not set(verdicts) <= set(done):
        return verdicts
    grades |= {"judge": judge.settings.model, "verdicts": [done[name] for name in verdicts]}
    return verdicts | {f"grades/{cell}": grades}


def _said(spec: Evaluate, benchmark: str) -> dict[str, str]:
    """What grades say of thinking; those made before they said so are other parts."""
    if spec.settings.thinking is None:
        return {}
    return {"form": spec.settings.asked(_reasoning(spec, benchmark))}


def _judge_of(spec: Evaluate, cell: str) -> Judge | None:
    """The judge of a benchmark's answers; None where its own grader reads them."""
    return spec.judge if BENCHMARKS[cell.split("/")[0]].judged else None


def _max_tokens(spec: Evaluate, benchmark: str, language: str) -> int:
    settings = spec.settings
    return settings.max_tokens or BENCHMARKS[benchmark].longest(language, settings.reasoning)


def _reasoning(spec: Evaluate, benchmark: str) -> Reasoning:
    return BENCHMARKS[benchmark].reasoning(spec.settings.reasoning)


def compute(spec: Evaluate, work: Work) -> None:
    """Answer what is not answered, several parts in one call; grade what is."""
    names = work.take(IN_FLIGHT, "answers/")
    if names:
        kept = Kept(work.journal, work.facts("prompt_tokens"), work.facts("completion_tokens"))
        seed = _seed(spec, names)
        with spec.engine.opened(work.store, spec.model, seed, kept, spec.adapter) as engine:
            while names:
                _answer(spec, work, engine, names)
                names = work.take(IN_FLIGHT, "answers/")
    if spec.judge is not None:
        ask_judge(spec.judge, work, spec.items)
    while names := work.take(IN_FLIGHT, "grades/"):
        _grade(spec, work, names)
    if spec.compat is not None:
        compare(spec.compat, work, spec.items)
    measure(spec.settings.translation_metric, work, spec.items)


def _grade(spec: Evaluate, work: Work, names: list[str]) -> None:
    for name in names:
        key = name.removeprefix("grades/")
        benchmark, language = key.split("/")
        items = read_table(work.store, spec.items[key])
        answers = read_table(work.store, work.done[f"answers/{key}"])
        reasoning = _reasoning(spec, benchmark)
        form, reasoned = spec.settings.asked(reasoning), reasoning != "none"
        facts: dict[str, Any] = {}
        verdicts = None
        judge = _judge_of(spec, key)
        if judge is not None:
            said, check = (work.done[of(YES_NO, key)] for of in (verdicts_of, check_of))
            verdicts = read_table(work.store, said)
            facts = {"judge": judged_facts(judge, YES_NO, said, check)}
            # A difference between answers before two judges is refused like one between two forms.
            form += f", judged by {judge.settings.model}"
        grades = grade_table(
            spec.label, items, answers, language, form, reasoned=reasoned, verdicts=verdicts
        )
        facts |= {"truncated": share(grades, "truncated"), **corpus_facts(items, grades)}
        work.publish_table(name, grades, grader=GRADER_VERSION, **facts)


class _Question(NamedTuple):
    part: str
    asked: Asked


def _answer(spec: Evaluate, work: Work, engine: Engine, names: list[str]) -> None:
    """Ask everything of these parts, one call for all that is sampled alike."""
    started = time.monotonic()
    alike: dict[Sampling, list[_Question]] = defaultdict(list)
    for name in names:
        alike[_sampling(spec, name)] += [
            _Question(name, replace(one, prompt=replace(one.prompt, part=name)))
            for one in _asked(spec, work, name)
        ]
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in names}
    for sampling, questions in alike.items():
        seed = _seed(spec, sorted({question.part for question in questions}))
        prompts = [question.asked.prompt for question in questions]
        for question, [completion] in zip(
            questions, engine.complete(prompts, sampling, seed), strict=True
        ):
            rows[question.part].append(_row(question, completion, sampling, seed))
    seconds = round((time.monotonic() - started) / len(names), 2)
    for name, answers in rows.items():
        work.publish_table(
            name,
            pa.Table.from_pylist(answers, ANSWERS),
            engine=engine.name,
            device=engine.device,
            seconds=seconds,
            **{name: sum(int(str(row[name])) for row in answers) for name in COUNTED},
        )
        work.journal(name).clear()


def _asked(spec: Evaluate, work: Work, name: str) -> list[Asked]:
    _, benchmark, language = name.split("/")
    items = read_table(work.store, spec.items[f"{benchmark}/{language}"])
    settings = spec.settings
    return ask(
        benchmark,
        items,
        language,
        form=settings.form,
        few_shot=settings.few_shot,
        samples=settings.samples,
        seed=settings.seed,
        reasoning=settings.reasoning,
    )


def _sampling(spec: Evaluate, name: str) -> Sampling:
    settings = spec.settings
    _, benchmark, language = name.split("/")
    return Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=_max_tokens(spec, benchmark, language) + room(settings.thinking),
        stop=stops(settings.form, _reasoning(spec, benchmark)),
        thinking=settings.thinking,
    )


def _row(
    question: _Question, completion: Completion, sampling: Sampling, seed: int
) -> dict[str, object]:
    _, benchmark, language = question.part.split("/")
    asked = question.asked
    return {
        "benchmark": benchmark,
        "item_id": asked.item_id,
        "language": language,
        "sample": asked.sample,
        "seed": asked.prompt.seed,
        "call_seed": seed,
        "order": asked.order,
        "letters": asked.letters,
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "reasoning_tokens": completion.reasoning_tokens,
        "temperature": sampling.temperature,
    }


def _seed(spec: Evaluate, names: list[str]) -> int:
    """One random stream per call: an engine with a single seed must not start two languages
    alike, now or after a resume."""
    return seed_from("\n".join([str(spec.settings.seed), *names]))


STEP = Step("evaluate", Evaluate, plan, compute)
