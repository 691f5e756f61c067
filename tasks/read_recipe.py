"""Recipes by name, path or URI, with overrides by dotted key; what is wrong with them in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from tasks.artifacts.roots import require_root
from tasks.artifacts.store import open_store
from tasks.errors import BadInput
from tasks.model_list import ModelsRecipe
from tasks.models.machine import Machine
from tasks.recipe import Evaluation, Recipe

RECIPES = Path(__file__).parent.parent / "deployments" / "recipes"


def known_recipes(kind: type[Recipe | ModelsRecipe] | None = None) -> list[str]:
    """Names of the recipes that come with the package: all of them, or those of one kind."""
    names = sorted(path.stem for path in RECIPES.glob("*.yaml"))
    return [name for name in names if kind is None or _kind(_load(name)) is kind]


def read_recipe(where: str, overrides: dict[str, Any] | None = None) -> Recipe | ModelsRecipe:
    """A recipe by name, path or URI, with overrides by dotted key. Raises BadInput."""
    raw = _load(where)
    for key, value in (overrides or {}).items():
        _set(raw, key, value)
    try:
        return validated(raw)
    except ValidationError as error:
        raise BadInput(f"recipe {where}: {explain(error)}") from error


def validated(raw: dict[str, Any]) -> Recipe | ModelsRecipe:
    """The recipe that settings describe; one with a list of models benchmarks them."""
    return _kind(raw).model_validate(raw)


def _kind(raw: dict[str, Any]) -> type[Recipe | ModelsRecipe]:
    return ModelsRecipe if "models" in raw else Recipe


def _load(where: str) -> dict[str, Any]:
    try:
        raw = yaml.safe_load(_text(where))
    except yaml.YAMLError as error:
        raise BadInput(f"recipe {where} is not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(raw, dict):
        raise BadInput(f"recipe {where} holds no settings; it must be a YAML mapping")
    return raw


def _text(where: str) -> str:
    if "://" in where:
        require_root("the recipe", where)
        root, _, name = where.rpartition("/")
        there = open_store(root).get(name)
        if there is None:
            raise BadInput(f"no recipe at {where}")
        return there.data.decode()
    if where in known_recipes():
        return (RECIPES / f"{where}.yaml").read_text()
    path = Path(where)
    require_root("the recipe", f"file://{path.absolute()}")
    if path.suffix not in {".yaml", ".yml"} or not path.is_file():
        raise BadInput(
            f"no recipe {where!r}: give a path to a YAML file, a URI, or one of "
            f"{', '.join(known_recipes())}"
        )
    return path.read_text()


def _set(raw: Any, key: str, value: Any) -> None:
    """Set a setting by its dotted path; numbers are places in a list."""
    *parents, last = key.split(".")
    for parent in parents:
        raw = _member(raw, parent, key)
    if isinstance(raw, list):
        if not last.isdigit() or int(last) >= len(raw):
            raise BadInput(f"override {key!r}: the list has no place {last!r}")
        raw[int(last)] = value
    else:
        raw[last] = value


def _member(raw: Any, name: str, key: str) -> Any:
    if isinstance(raw, list) and name.isdigit() and int(name) < len(raw):
        return raw[int(name)]
    inner = raw.setdefault(name, {}) if isinstance(raw, dict) else None
    if not isinstance(inner, dict | list):
        raise BadInput(f"override {key!r}: {name!r} is not a group of settings")
    return inner


def parse_override(text: str) -> tuple[str, Any]:
    """`a.b=c` as a dotted key and a YAML value."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise BadInput(f"override {text!r} must look like evaluation.samples=4")
    return key, yaml.safe_load(value)


def explain(error: ValidationError) -> str:
    """All complaints of a validation in one sentence: place, value, what would be right."""
    return "; ".join(_complaint(dict(one)) for one in error.errors())


def _complaint(one: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in one["loc"]) or "the recipe"
    if one["type"] == "extra_forbidden":
        return f"{where} is no setting; check its spelling against the README"
    message = one["msg"].removeprefix("Value error, ")
    if one["type"] in {"value_error", "missing"}:
        return f"{where}: {message}"
    return f"{where} is {json.dumps(one['input'], default=str)}: {message}"


def asked_on(recipe: Recipe | ModelsRecipe, day: str) -> Recipe | ModelsRecipe:
    """The recipe with the day (YYYY-MM-DD) whose answers of endpoints count, unless it says one.

    A run fixes it once: an endpoint's model may be another one tomorrow under the same name.
    """
    if isinstance(recipe, ModelsRecipe):
        listed = tuple(
            one.model_copy(update={"machine": one.machine and _dated(one.machine, one.model, day)})
            for one in recipe.models
        )
        recipe = recipe.model_copy(update={"models": listed})
        models = [one.model for one in recipe.models]
    else:
        models = [*recipe.student_models.values(), recipe.generator, recipe.teacher]
    recipe = recipe.model_copy(update={"evaluation": _judged_on(recipe.evaluation, day)})
    models += [recipe.evaluation.judge.model] if recipe.evaluation.judge else []
    remote = next((model for model in models if model.startswith("endpoint:")), "")
    return recipe.model_copy(update={"machine": _dated(recipe.machine, remote, day)})


def _judged_on(evaluation: Evaluation, day: str) -> Evaluation:
    judge = evaluation.judge
    if judge is None or judge.machine is None:
        return evaluation
    dated = judge.model_copy(update={"machine": _dated(judge.machine, judge.model, day)})
    return evaluation.model_copy(update={"judge": dated})


def _dated(machine: Machine, model: str, day: str) -> Machine:
    if machine.endpoint.asked or not model.startswith("endpoint:"):
        return machine
    return machine.model_copy(
        update={"endpoint": machine.endpoint.model_copy(update={"asked": day})}
    )
