"""How a recipe names a model: `KIND:NAME`, for hub models with `@REVISION`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tasks.errors import BadInput
from tasks.models.simulated import PROFILES, STATED, is_profile

BUNDLED = ("gemma-3-270m", "tiny-random")

# kind -> (what is written behind the colon, whether a name has that form)
FORMS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "hf": (
        "ORG/NAME[@REV]",
        lambda name: re.fullmatch(r"[\w.-]+/[\w.-]+(@[\w./-]+)?", name) is not None,
    ),
    "file": ("PATH", bool),
    "step": ("STEP", bool),
    "bundled": ("|".join(BUNDLED), BUNDLED.__contains__),
    "endpoint": ("NAME/MODEL", lambda name: re.fullmatch(r"[A-Za-z0-9_-]+/\S+", name) is not None),
    "simulated": ("|".join((*PROFILES, STATED)), is_profile),
}


@dataclass(frozen=True)
class Reference:
    """A model by name. `revision` is a branch, tag or commit of the hub, else None."""

    kind: str  # hf | file | step | bundled | endpoint | simulated
    name: str
    revision: str | None = None

    def __str__(self) -> str:
        """The form that `parse_reference` reads."""
        return f"{self.kind}:{self.name}" + (f"@{self.revision}" if self.revision else "")


def parse_reference(text: str) -> Reference:
    """The reference that `text` writes.

    Raises:
        BadInput: the kind is unknown or the name has not the form of its kind.
    """
    kind, _, name = text.strip().partition(":")
    if kind not in FORMS or not FORMS[kind][1](name):
        accepted = ", ".join(f"{known}:{form}" for known, (form, _) in FORMS.items())
        raise BadInput(f"{text!r} does not name a model; write one of {accepted}.")
    if kind != "hf":
        return Reference(kind, name)
    repository, _, revision = name.partition("@")
    return Reference(kind, repository, revision or None)
