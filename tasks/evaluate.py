"""evaluate: N answers to every item, then their grades; one part each per benchmark x language."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_batches, read_table
from tasks.artifacts.records import Part
from tasks.benchmarks import BENCHMARKS
from tasks.benchmarks.answer_files import AnswerFile, write_grades
from tasks.benchmarks.grade_answers import (
    BATCH,
    corpus_columns,
    corpus_facts,
    grade_batches,
)
from tasks.benchmarks.prompts import Asked, ask, stops
from tasks.compare_to_paper import Compat, compare, planned_compat
from tasks.compute.specs import Spec
from tasks.compute.step import Plan, Step, Work
from tasks.grading import GRADER_VERSION
from tasks.grading.judge import YES_NO
from tasks.judge_answers import Judge, ask_judge, check_of, judged_facts, planned, verdicts_of
from tasks.languages import Reasoning
from tasks.models.engine import Engine, Sampling, seed_from
from tasks.models.machine import EngineSettings
from tasks.models.thinking import room
from tasks.plug_metric import measure, planned_metric
from tasks.recipe import Evaluation

SAMPLING_VERSION = 1
# Parts that share one call of the engine, so that its batch does not drain between them.
IN_FLIGHT = 10
# Questions in one call: enough that its drained batch counts for nothing, few enough to be held.
AT_ONCE = 20_000
ITEMS_AT_ONCE = 500


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
    tokens = partial(_most_tokens, spec)
    names = work.take(IN_FLIGHT, "answers/", tokens)
    if names:
        kept = Kept(work.journal, work.facts("prompt_tokens"), work.facts("completion_tokens"))
        seed = _seed(spec, names)
        with spec.engine.opened(work.store, spec.model, seed, kept, spec.adapter) as engine:
            while names:
                _answer(spec, work, engine, names)
                names = work.take(IN_FLIGHT, "answers/", tokens)
    if spec.judge is not None:
        ask_judge(spec.judge, work, spec.items)
    while names := work.take(IN_FLIGHT, "grades/"):
        _grade(spec, work, names)
    if spec.compat is not None:
        compare(spec.compat, work, spec.items)
    measure(spec.settings.translation_metric, work, spec.items)


def _most_tokens(spec: Evaluate, name: str) -> int:
    """Tokens that the answers of a part may need."""
    _, benchmark, language = name.split("/")
    items = spec.items[f"{benchmark}/{language}"]
    return int(items.facts.get("rows", 1)) * _max_tokens(spec, benchmark, language)


def _grade(spec: Evaluate, work: Work, names: list[str]) -> None:
    for name in names:
        key = name.removeprefix("grades/")
        _, language = key.split("/")
        items = read_table(work.store, spec.items[key])
        facts = {"grader": GRADER_VERSION, **_judged(spec, work, key)}
        with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch:
            batches = _graded(spec, work, key, items)
            counts, kept = write_grades(batches, Path(scratch), corpus_columns(items))
            facts |= {**counts, **corpus_facts(items, kept, language)}
            work.publish(name, Path(scratch), **facts)


def _graded(spec: Evaluate, work: Work, key: str, items: pa.Table) -> Iterator[pa.RecordBatch]:
    benchmark, language = key.split("/")
    reasoning = _reasoning(spec, benchmark)
    form, verdicts = spec.settings.asked(reasoning), None
    judge = _judge_of(spec, key)
    if judge is not None:
        verdicts = read_table(work.store, work.done[verdicts_of(YES_NO, key)])
        # A difference between answers before two judges is refused like one between two forms.
        form += f", judged by {judge.settings.model}"
    answers = read_batches(work.store, work.done[f"answers/{key}"], BATCH)
    reasoned = reasoning != "none"
    return grade_batches(
        spec.label, items, answers, language, form, reasoned=reasoned, verdicts=verdicts
    )


def _judged(spec: Evaluate, work: Work, key: str) -> dict[str, Any]:
    """What grades say of their judge."""
    judge = _judge_of(spec, key)
    if judge is None:
        return {}
    said, check = (work.done[of(YES_NO, key)] for of in (verdicts_of, check_of))
    return {"judge": judged_facts(judge, YES_NO, said, check)}


class _Question(NamedTuple):
    part: str
    asked: Asked


def _answer(spec: Evaluate, work: Work, engine: Engine, names: list[str]) -> None:
    """Ask everything of these parts, one call for many questions that are sampled alike."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hotfixr-") as scratch, ExitStack() as opened:
        files = {
            name: opened.enter_context(AnswerFile(Path(scratch, str(at)), *name.split("/")[1:]))
            for at, name in enumerate(names)
        }
        for sampling, alike in _sampled_alike(spec, names).items():
            seed = _seed(spec, sorted(alike))
            asked = (question for name in alike for question in _asked(spec, work, name))
            for some in iter(lambda: list(islice(asked, AT_ONCE)), []):  # noqa: B023
                drawn = engine.complete([one.asked.prompt for one in some], sampling, seed)
                for question, [completion] in zip(some, drawn, strict=True):
                    files[question.part].add(question.asked, completion, sampling, seed)
        opened.close()
        seconds = round((time.monotonic() - started) / len(names), 2)
        for name, file in files.items():
            facts = {"engine": engine.name, "device": engine.device, "seconds": seconds}
            work.publish(name, file.folder, **facts, **file.facts)
            work.journal(name).clear()


def _sampled_alike(spec: Evaluate, names: list[str]) -> dict[Sampling, list[str]]:
    alike: dict[Sampling, list[str]] = defaultdict(list)
    for name in names:
        alike[_sampling(spec, name)].append(name)
    return alike


def _asked(spec: Evaluate, work: Work, name: str) -> Iterator[_Question]:
    """Everything that a part asks, some items at a time."""
    _, benchmark, language = name.split("/")
    items = read_table(work.store, spec.items[f"{benchmark}/{language}"])
    settings = spec.settings
    for start in range(0, items.num_rows, ITEMS_AT_ONCE):
        for one in ask(
            benchmark,
            items[start : start + ITEMS_AT_ONCE],
            language,
            form=settings.form,
            few_shot=settings.few_shot,
            samples=settings.samples,
            seed=settings.seed,
            reasoning=settings.reasoning,
        ):
            yield _Question(name, replace(one, prompt=replace(one.prompt, part=name)))


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


def _seed(spec: Evaluate, names: list[str]) -> int:
    """One random stream per call: an engine with a single seed must not start two languages
    alike, now or after a resume."""
    return seed_from("\n".join([str(spec.settings.seed), *names]))


STEP = Step("evaluate", Evaluate, plan, compute)
