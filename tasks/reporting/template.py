"""How a page is filled in: everything escaped and cleaned, the plotting library within it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from tasks.reporting.names import language_name, metric
from tasks.reporting.shown import finalized

# A page carries its scripts and styles within: nothing is loaded from or sent to anywhere else,
# wherever it is opened. Saving a figure as an image needs its blob.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
SHARED = Path(__file__).parent  # frame, macros and explanations of all pages


def filled(template: str, context: dict[str, Any], folder: Path = SHARED) -> str:
    """The page of a template in `folder`; equal inputs give equal text."""
    environment = Environment(
        loader=FileSystemLoader([folder, SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = {"language_name": language_name, "metric": metric}
    return environment.get_template(template).render(
        plotly=Markup(get_plotlyjs()), policy=POLICY, **words, **context
    )
