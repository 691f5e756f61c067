"""The parts of evaluate that a judge gives: its verdicts on answers, and what its check found.

A part is named by the scale, what is judged and the cell: "yes-no/answers/eclektic/de". Verdicts
are addressed by the answers and by the judge, so another judge asks no student anything, and who
has been judged is not judged again. A check does not depend on whose answers are judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.artifacts.journal import Kept
from tasks.artifacts.parts import read_table
from tasks.artifacts.records import Part
from tasks.benchmarks.judging import Case, Judging, answer_cases, check_cases, counts, judge
from tasks.compute.specs import Spec
from tasks.compute.step import Work
from tasks.grading.judge import JUDGE_VERSION, RATING, YES_NO, Scale
from tasks.models.engine import Engine, seed_from
from tasks.models.machine import EngineSettings

SCALES = {scale.name: scale for scale in (YES_NO, RATING)}
ANSWERS, CHECK = "answers", "check"
IN_FLIGHT = 10  # parts that share one call of the engine


class Judge(Spec):
    """The model that judges."""

    settings: Judging
    model: Part | None  # None: simulated, or behind an endpoint
    engine: EngineSettings

    @property
    def shape(self) -> dict[str, Any]:
        """What shapes verdicts."""
        asked = self.settings.shape
        return {"model": self.model, "engine": self.engine.shape, "asked": asked}


def verdicts_of(scale: Scale, cell: str) -> str:
    """The part with the verdicts on the answers of a benchmark and language."""
    return f"{scale.name}/{ANSWERS}/{cell}"


def check_of(scale: Scale, cell: str) -> str:
    """The part with the check of the judge on a benchmark and language."""
    return f"{scale.name}/{CHECK}/{cell}"


def planned(judge: Judge, scale: Scale, cell: str, items: Part, answers: Part) -> dict[str, Any]:
    """Both parts of a cell whose answers are there."""
    shape = {
        "version": JUDGE_VERSION,
        "scale": scale.name,
        "items": items,
        "judge": judge.shape,
    }
    return {
        verdicts_of(scale, cell): shape | {"answers": answers},
        check_of(scale, cell): shape | {"checked": judge.settings.checked},
    }


def ask_judge(spec: Judge, work: Work, items: Mapping[str, Part]) -> None:
    """Judge what is not judged, several parts in one call; `items` are those of every cell."""
    names = _take(work)
    if not names:
        return
    kept = Kept(work.journal, work.facts("judge_prompt_tokens"), work.facts("judge_tokens"))
    with spec.engine.opened(work.store, spec.model, _seed(names), kept) as engine:
        while names:
            for scale in SCALES.values():
                own = [name for name in names if name.startswith(f"{scale.name}/")]
                if own:
                    _judge(spec, work, items, scale, own, engine)
            names = _take(work)


def _take(work: Work) -> list[str]:
    return [name for scale in SCALES for name in work.take(IN_FLIGHT, f"{scale}/")]


def _judge(
    spec: Judge,
    work: Work,
    items: Mapping[str, Part],
    scale: Scale,
    names: Sequence[str],
    engine: Engine,
) -> None:
    cases = {name: _cases(spec, work, items, name) for name in names}
    judged = judge(cases, scale, spec.settings, engine, _seed(names))
    for name, found in judged.items():
        work.publish_table(
            name,
            found.verdicts,
            engine=engine.name,
            device=engine.device,
            judge=spec.settings.model,
            counts=counts(found.verdicts),
            judge_prompt_tokens=found.prompt_tokens,
            judge_tokens=found.completion_tokens,
        )
        work.journal(name).clear()


def _cases(spec: Judge, work: Work, items: Mapping[str, Part], name: str) -> list[Case]:
    _, what, cell = name.split("/", 2)
    asked = read_table(work.store, items[cell])
    if what == CHECK:
        return check_cases(asked, spec.settings.checked)
    return answer_cases(asked, read_table(work.store, work.done[f"{ANSWERS}/{cell}"]))


def _seed(names: Sequence[str]) -> int:
    return seed_from("\n".join(["judge", *names]))


def judged_facts(judge: Judge, scale: Scale, verdicts: Part, check: Part) -> dict[str, Any]:
    """What stands beside scores: who judged, what could not be read, what the check found."""
    return {
        "model": judge.settings.model,
        "scale": scale.name,
        "votes": judge.settings.votes,
        "counts": verdicts.facts["counts"] | check.facts["counts"],
    }
