"""A flow run's output, which its worker reads: once that has died, the work goes on without."""

from __future__ import annotations

import logging
from functools import partial

from prefect.logging.handlers import PrefectConsoleHandler

LOGGERS = ("", "prefect", "prefect.flow_runs", "prefect.task_runs")


def outlive_worker() -> None:
    """Fall silent when the worker's pipe breaks; by default rich ends the process over it."""
    for name in LOGGERS:
        for handler in logging.getLogger(name).handlers:
            if isinstance(handler, PrefectConsoleHandler):
                console = handler.console
                setattr(console, "on_broken_pipe", partial(setattr, console, "quiet", True))  # noqa: B010
