"""What an endpoint's reply means: an answer, a reason to try again, or a reason to stop."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tasks.errors import BadInput, HotfixrError, WrongWorker
from tasks.models.endpoint_address import Address, variable

LONGEST_WAIT = 60.0  # seconds between two tries, unless the server asks for more
TOO_LONG = 600.0  # seconds; a server that asks for more has closed for the day
QUOTED = 200  # characters of a server's own words


class Trouble(Exception):
    """This try gave no answer; `wait` is what the server asks for, in seconds."""

    def __init__(self, what: str, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


@dataclass(frozen=True)
class Backoff:
    """Waits that double, with jitter, so that those who failed together do not return together."""

    first: float = 0.5  # seconds

    def delay(self, tries: int, asked: float) -> float:
        """Seconds after so many failed tries; never less than the server asked for."""
        doubled = min(LONGEST_WAIT, self.first * 2.0 ** (tries - 1))
        return asked + doubled * random.uniform(0.5, 1.0)


def check_status(
    at: Address, model: str, status: int, headers: Mapping[str, str], said: str
) -> None:
    """Nothing for a success. Raises Trouble for what may pass, else the error that stops."""
    if status == 200:
        return
    if status == 429 or status >= 500:
        raise Trouble(f"status {status}{quoted(at, said)}", retry_after(headers))
    raise _refusal(at, model, status, said)


def _refusal(at: Address, model: str, status: int, said: str) -> HotfixrError:
    if status in {401, 403}:
        # What a server says of a key may hold a piece of it.
        return WrongWorker(
            f"endpoint {at.name!r} refuses the key of this worker for {model} (status {status});"
            f" set {variable(at.name, 'KEY')} to one that may use it"
        )
    if status == 404:
        return BadInput(
            f"endpoint {at.name!r} has no model {model!r} or no chat/completions at its address"
            f" (status 404{quoted(at, said)}); check the reference and {variable(at.name, 'URL')}"
        )
    return BadInput(
        f"endpoint {at.name!r} refuses the request to {model} (status {status}{quoted(at, said)});"
        " change the setting that it names"
    )


def quoted(at: Address, said: str) -> str:
    """The beginning of a server's words in one line, without the key."""
    words = " ".join(said.replace(at.key, "***").split())
    return f": {words[:QUOTED]}" if words else ""


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks to be left alone; 0 where it does not say."""
    asked = headers.get("Retry-After", "").strip()
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(asked)
        # By the server's own clock, which need not be ours.
        date = headers.get("Date")
        since = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return max(0.0, (until - since).total_seconds())
    except (ValueError, TypeError):
        return 0.0
