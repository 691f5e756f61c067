"""A person at the UI: logged in, with pictures kept where an environment variable asks for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployments.stack import Stack
from tests.ui.browser import Browser, program
from tests.ui.person import Person

# HOTFIXR_PICTURES=infra/pictures renews what the README shows.
PICTURES = os.environ.get("HOTFIXR_PICTURES")


@pytest.fixture(scope="session")
def person(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """Somebody who has only the address and the string that `hotfixr status` shows."""
    if program() is None:
        pytest.skip("no chromium here")
    pictures = Path(PICTURES).resolve() if PICTURES else None
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield Person(browser, stack, pictures)
