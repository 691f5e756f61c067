"""The compute process, seen from outside: started, listened to, stopped.

It stays in the caller's process group (Prefect ends a run by killing the group), ends itself
when its standard input closes (its caller died), and is terminated in the caller's `finally`.
Events come over a descriptor of their own: standard output is full of other libraries' lines and
of model text, which must not be able to forge one.
"""

from __future__ import annotations

import collections
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from tasks import errors
from tasks.compute.environment import child_environment
from tasks.compute.step import Events
from tasks.errors import ComputeCrashed, HotfixrError, OutOfMemory, StepCancelled
from tasks.untrusted import one_line

logger = logging.getLogger(__name__)
TAIL = 30  # lines of the child's output that an error quotes at most
GRACE = 10.0  # seconds between SIGTERM and SIGKILL
POLL = 0.5  # seconds between looks at whether to stop


def run_child(
    step: str,
    spec: str,
    store: str,
    events: Events,
    holder: str,
    force: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run one step in a process of its own until its parts are published.

    Raises the child's own error by its class, ComputeCrashed for a signal or a native crash,
    OutOfMemory, or StepCancelled once `should_stop` says so.
    """
    receive, send = os.pipe()
    command = [sys.executable, "-P", "-m", "tasks", step, "--spec", spec, "--store", store]
    command += ["--holder", holder, "--events", str(send), *(["--force"] if force else [])]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(send,),
        env=child_environment(),
        text=True,
        errors="replace",
    )
    os.close(send)
    assert process.stdout is not None
    tail: collections.deque[str] = collections.deque(maxlen=TAIL)
    reader = threading.Thread(target=_log, args=(process.stdout, tail), daemon=True)
    reader.start()
    try:
        failure = _listen(process, receive, events, should_stop)
    finally:
        _stop(process)
        reader.join(GRACE)
    if failure is not None:
        raise failure
    if process.returncode != 0:
        raise _crash(step, process.returncode, tail)


def _log(output: IO[str], tail: collections.deque[str]) -> None:
    with output:
        for line in output:
            tail.append(one_line(line))
            logger.debug("%s", tail[-1])


def _listen(
    process: subprocess.Popen[str],
    receive: int,
    events: Events,
    should_stop: Callable[[], bool],
) -> HotfixrError | None:
    """Pass events on until the child has left; its error, if it named one."""
    inbox: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(receive, inbox), daemon=True).start()
    failure = None
    while True:
        try:
            event = inbox.get(timeout=POLL)
        except queue.Empty:
            if should_stop():
                raise StepCancelled("this step was cancelled by a person") from None
            continue
        if event is None:
            process.wait()
            return failure
        if event["event"] == "progress":
            events.progress(event["done"], event["total"], event["what"])
        elif event["event"] == "error":
            failure = _error(event)


def _receive(receive: int, inbox: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    with os.fdopen(receive) as lines:
        for line in lines:
            inbox.put(json.loads(line))
    inbox.put(None)


def _error(event: dict[str, Any]) -> HotfixrError:
    kind = getattr(errors, event["type"], errors.StepFailed)
    return kind(event["message"])


def _stop(process: subprocess.Popen[str]) -> None:
    """Leave no process behind, however this one is being left."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _crash(step: str, code: int, tail: collections.deque[str]) -> HotfixrError:
    last = next((line for line in reversed(tail) if line.strip()), "it printed nothing")
    if any("out of memory" in line.lower() for line in tail):
        return OutOfMemory(f"{step}: the compute process ran out of memory ({last})")
    if code < 0:
        name = signal.Signals(-code).name
        hint = "; perhaps the system ran out of memory" if -code == signal.SIGKILL else ""
        return ComputeCrashed(f"{step}: the compute process was ended by {name}{hint} ({last})")
    return ComputeCrashed(f"{step}: the compute process left with code {code} ({last})")
