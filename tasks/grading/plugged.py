"""A translation metric of somebody else's, such as a neural one, run as a command of the worker's.

`HOTFIXR_METRIC_<NAME>` in the worker's environment is the command of the metric NAME. It reads
lines of JSON with `language`, `source`, `text` and `references`, and prints one number a line.
A recipe only names the metric, so that it cannot have anything else run.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any

from tasks.errors import StepFailed, WrongWorker

VARIABLE = "HOTFIXR_METRIC_{}"


def plugged_scores(name: str, rows: Sequence[dict[str, Any]]) -> list[float]:
    """The metric's score of each row, in order.

    Raises:
        WrongWorker: this worker has no such metric.
        StepFailed: its command fails, or does not give one number for each row.
    """
    if not rows:
        return []
    variable = VARIABLE.format(name.upper())
    command = shlex.split(os.environ.get(variable, ""))
    if not command:
        raise WrongWorker(
            f"this worker has no metric {name!r}; set {variable} to its command, or use another"
        )
    asked = "".join(json.dumps(row) + "\n" for row in rows)
    try:
        done = subprocess.run(command, input=asked, capture_output=True, text=True)
    except OSError as error:
        raise WrongWorker(
            f"{variable} cannot be run ({error.strerror}); mend the command"
        ) from error
    if done.returncode != 0:
        last = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise StepFailed(f"metric {name!r} left with code {done.returncode}: {last}")
    return _numbers(name, done.stdout, len(rows))


def _numbers(name: str, printed: str, wanted: int) -> list[float]:
    try:
        found = [float(line) for line in printed.split()]
    except ValueError as error:
        raise StepFailed(
            f"metric {name!r} printed what is no number ({error}); it must print one number a line"
        ) from error
    if len(found) != wanted or not all(map(math.isfinite, found)):
        raise StepFailed(
            f"metric {name!r} printed {len(found)} numbers for {wanted} translations, or some that "
            "are not finite; it must print one for each"
        )
    return found
