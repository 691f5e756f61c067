"""What the forms of the big deployments offer; Python sees plain values.

Prefect's form draws the JSON schema: a list of values becomes a menu, alternatives become a switch
above the field. The menus are filled when the package is deployed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from tasks.languages import LANGUAGES
from tasks.methods import METHODS
from tasks.model_list import ModelsRecipe
from tasks.read_recipe import known_recipes
from tasks.recipe import Recipe
from tasks.steps import STEPS

# Before anything is computed; before questions are labelled and trained on; before both.
Approve = Literal["never", "plan", "questions", "both"]
ApprovePlan = Literal["never", "plan"]


def _recipe_field(kind: type[Recipe | ModelsRecipe]) -> WithJsonSchema:
    """A menu of the bundled recipes of one kind, or the address of any other."""
    menu = {"title": "bundled", "type": "string", "enum": known_recipes(kind)}
    return WithJsonSchema({"anyOf": [menu, {"title": "path or URI", "type": "string"}]})


def _menu(values: tuple[str, ...]) -> WithJsonSchema:
    """Any number of these values."""
    items: dict[str, Any] = {"type": "string", "enum": list(values)}
    return WithJsonSchema({"type": "array", "items": items})


StudentRecipe = Annotated[str, _recipe_field(Recipe)]
ListRecipe = Annotated[str, _recipe_field(ModelsRecipe)]
Languages = Annotated[list[str], _menu(tuple(LANGUAGES))]
Methods = Annotated[list[str], _menu(tuple(METHODS))]
Steps = Annotated[list[str], _menu(tuple(STEPS))]
Count = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=-1)]
