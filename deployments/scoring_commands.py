"""hotfixr score and hotfixr grade: from what exists already, without asking a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer
import yaml
from pydantic import TypeAdapter, ValidationError

from deployments.terminal import say
from flows.summary import print_means
from tasks.errors import BadInput
from tasks.grading.regrade import grade_lines
from tasks.importers import read_grades
from tasks.read_recipe import explain
from tasks.reporting import ModelsReport, write_models_report
from tasks.reporting.names import EVERY_LANGUAGE, MINUS, SCRIPTS
from tasks.scoring import ModelFacts, Scored, read_exclusion
from tasks.scoring import score as score_grades
from tasks.scoring.sheet import HELD_OUT_TARGETS, TRAINED_TARGETS

SHOWN = (
    "model", "benchmark", "source", "target", "metric", "value", "low", "high", "n_items",
    "n_samples", "n_targets", "coverage", "note",
)  # fmt: skip
Pairs = list[tuple[str, str]]


def score(
    files: Annotated[
        list[str], typer.Argument(help="Files, folders or patterns of graded samples")
    ],
    source: Annotated[str, typer.Option(help="Source language where the files name none")] = "en",
    column: Annotated[list[str], typer.Option(help="NAME=THEIRS: our column is called so")] = [],  # noqa: B006
    value: Annotated[list[str], typer.Option(help="NAME=VALUE: what the files do not say")] = [],  # noqa: B006
    compare: Annotated[list[str], typer.Option(help="MODEL=BASELINE: their difference")] = [],  # noqa: B006
    languages: Annotated[list[str], typer.Option(help="DE=JA: difference of two targets")] = [],  # noqa: B006
    exclude_items: Annotated[Path | None, typer.Option(help="Faulty items; scored without")] = None,
    models: Annotated[Path | None, typer.Option(help="YAML: name, family, parameters ...")] = None,
    bootstrap: Annotated[int, typer.Option(min=100, help="Resamples")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the resamples")] = 0,
    bca: Annotated[bool, typer.Option("--bca", help="BCa limits from 100 items on")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for report and tables")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print scores as JSON")] = False,
) -> None:
    """Score graded samples: per-sample logs of evaluation harnesses, or plain tables."""
    if out is not None:
        _make_folder(out)
    imported = read_grades(files, columns=dict(_halves(column, "--column")),
                           constants=dict(_halves(value, "--value")))  # fmt: skip
    facts = [] if models is None else read_facts(models)
    scored = score_grades(
        imported.grades,
        source=source,
        pairs=_halves(compare, "--compare"),
        languages=_halves(languages, "--languages"),
        models=facts,
        exclude=None if exclude_items is None else read_exclusion(exclude_items),
        resamples=bootstrap,
        seed=seed,
        interval="bca" if bca else "percentile",
    )
    notes = [
        *sorted(imported.notes), *_unused_source(imported.grades, source),
        *_unused_facts(imported.grades, facts), *scored.notes,
    ]  # fmt: skip
    if out is not None:
        settings = {"files": files, "source": source, "resamples": bootstrap, "seed": seed,
                    "interval": "bca" if bca else "percentile"}  # fmt: skip
        _write(out, scored, facts, notes, settings)
    if as_json:
        typer.echo(json.dumps(_as_json(scored, notes), ensure_ascii=False))
    else:
        _print(scored, notes, out)


def grade(
    file: Annotated[Path, typer.Argument(help="JSONL: kind, language, gold, text, and so on")],
    out: Annotated[Path | None, typer.Option(help="File to write; else to the terminal")] = None,
) -> None:
    """Grade stored answers again: status, answer and score for every line, in order."""
    if out is None:
        for line in _graded(file):
            typer.echo(line)
        return
    unfinished = out.with_name(f".{out.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8") as written:
            written.writelines(f"{line}\n" for line in _graded(file))
        unfinished.replace(out)
    except OSError as error:
        raise BadInput(f"--out {out} cannot be written: {error.strerror}") from error
    finally:  # a bad line must not leave half a file behind
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _graded(file: Path) -> Iterator[str]:
    """The file's lines with their grades; BadInput names the file and the line."""
    found = False
    try:
        with file.open(encoding="utf-8") as lines:
            for line in grade_lines(lines):
                found = True
                yield line
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {file}") from error
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8: {error}") from error
    except BadInput as error:
        raise BadInput(f"{file}, {error}") from error
    if not found:
        raise BadInput(f"{file} has no lines: there is nothing to grade")


def _halves(texts: list[str], option: str) -> Pairs:
    """Each `A=B` in two."""
    found = [text.partition("=") for text in texts]
    for left, equals, right in found:
        if not (left and equals and right):
            raise BadInput(f"{option} {left}{equals}{right} must have the form A=B")
    return [(left, right) for left, _, right in found]


def read_facts(path: Path) -> list[ModelFacts]:
    """Facts of models from a YAML list; raises BadInput."""
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        if not isinstance(read, list):
            raise BadInput(f"--models {path} must be a list with a row, name: ..., for each model")
        found = TypeAdapter(list[ModelFacts]).validate_python(read)
    except ValidationError as error:
        raise BadInput(f"--models {path}, row and field: {explain(error)}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise BadInput(f"--models {path} cannot be read: {' '.join(str(error).split())}") from error
    names = [facts.name for facts in found]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"--models {path} has model {name!r} more than once: keep one row of it")
    return found


def _unused_facts(grades: pa.Table, facts: list[ModelFacts]) -> list[str]:
    known = {*grades.column("model").unique().to_pylist()}
    strangers = [one.name for one in facts if one.name not in known]
    if not strangers:
        return []
    return [f"--models has facts of models without grades: {', '.join(strangers)}"]


def _unused_source(grades: pa.Table, source: str) -> list[str]:
    if "source_language" not in grades.column_names:
        return []
    named = {one for one in grades.column("source_language").unique().to_pylist() if one}
    if not named or named == {source}:
        return []
    return [
        f"the files name the source language of each item ({', '.join(sorted(named))}), so that "
        f"--source {source} was not used"
    ]


def _make_folder(out: Path) -> None:
    """Before anything is computed, so that nothing is computed in vain."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--out {out} cannot be a folder to write in: {error.strerror}") from error


def _write(
    out: Path, scored: Scored, facts: list[ModelFacts], notes: list[str], settings: dict[str, Any]
) -> None:
    page = ModelsReport(settings, scored.scores, scored.profiles, scored.analyses, facts, notes)
    try:
        write_models_report(page, out)
    except OSError as error:
        raise BadInput(
            f"--out {out}: {error.filename} cannot be written: {error.strerror}"
        ) from error


def _as_json(scored: Scored, notes: list[str]) -> dict[str, Any]:
    """Scores unrounded, what is undefined as null; each row under the kind of its target."""
    found: dict[str, Any] = {"scores": [], "groups": [], "spreads": [], "differences": []}
    for row in scored.scores.to_pylist():
        kind = _kind(row)
        baseline = {"baseline": row["baseline"]} if kind == "differences" else {}
        found[kind].append(baseline | {name: row[name] for name in SHOWN})
    return found | {"analyses": scored.analyses.to_pylist(), "notes": notes}


def _kind(row: dict[str, Any]) -> str:
    """Where a row is listed: `scores` are of a language, and mean, median and pooled."""
    if row["baseline"] is not None or MINUS in row["target"]:
        return "differences"
    if row["target"] in {*SCRIPTS, TRAINED_TARGETS, HELD_OUT_TARGETS}:
        return "groups"
    return "spreads" if row["target"] == EVERY_LANGUAGE else "scores"


def _print(scored: Scored, notes: list[str], out: Path | None) -> None:
    print_means(scored.scores, say)
    for note in notes:
        say(f"note: {note}")
    if out is not None:
        say(f"report {(out / 'index.html').resolve().as_uri()}")
