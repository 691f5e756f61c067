"""The compute process, seen from inside: `python -P -m tasks STEP --spec URI --store URI`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import threading
import traceback
from typing import Any, TextIO

from tasks.artifacts.store import open_store
from tasks.compute.specs import read_spec
from tasks.compute.step import Work, complete
from tasks.errors import HotfixrError, OutOfMemory
from tasks.steps import STEPS

GIVE_BACK = 5.0  # seconds for releasing claims after the caller has died


class Sender:
    """Writes events as JSON lines; only this object holds the descriptor."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, **event: Any) -> None:
        """One event, at once."""
        self._stream.write(json.dumps(event) + "\n")
        self._stream.flush()

    def progress(self, done: int, total: int, what: str) -> None:
        """See `tasks.compute.step.Events`."""
        self.send(event="progress", done=done, total=total, what=what)


def main() -> int:
    """Compute what is missing of one step; 0, or 1 after an error event."""
    options = _options()
    os.set_inheritable(options.events, False)
    sender = Sender(os.fdopen(options.events, "w"))
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    try:
        store = open_store(options.store)
        step = STEPS[options.step]
        work = Work(store, step, sender, options.force, options.holder)
        threading.Thread(target=_leave_with_caller, args=(work,), daemon=True).start()
        file = read_spec(store, step, options.spec)
        work.sharers = file.sharers
        complete(work, file.spec)
    except HotfixrError as error:
        sender.send(event="error", type=type(error).__name__, message=str(error))
        return 1
    except Exception as error:
        traceback.print_exc()
        sender.send(event="error", **_unforeseen(options.step, error))
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tasks")
    parser.add_argument("step", choices=sorted(STEPS))
    parser.add_argument("--spec", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--holder", required=True)
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--force", action="store_true")
    return parser.parse_args()


def _leave_with_caller(work: Work) -> None:
    """End this process when the caller's end of standard input closes: the caller has died."""
    sys.stdin.buffer.read()
    closing = threading.Thread(target=work.close, daemon=True)
    closing.start()
    closing.join(GIVE_BACK)
    os._exit(3)


def _unforeseen(step: str, error: Exception) -> dict[str, str]:
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(error, MemoryError) or "out of memory" in text.lower():
        return {"type": OutOfMemory.__name__, "message": f"{step} ran out of memory ({text})"}
    return {"type": "StepFailed", "message": f"{step} failed ({text})"}


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Engines leave threads and atexit hooks that may hang; everything is published by now.
    os._exit(code)
