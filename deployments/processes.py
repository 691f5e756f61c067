"""Processes that outlive the command that starts them: started, recognised, stopped by id."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from tasks.errors import HotfixrError

# Held so that a process which ends while we live is reaped, and outlives us otherwise.
_STARTED: list[subprocess.Popen[bytes]] = []
GRACE = 10.0  # seconds between SIGTERM and SIGKILL; some workers never leave by themselves


def start(
    folder: Path, name: str, command: Sequence[str], environment: dict[str, str], cwd: Path
) -> None:
    """Start a process in the background; its output goes to `name.log`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
            cwd=cwd,
        )
    _STARTED.append(process)
    started = psutil.Process(process.pid).create_time()
    record = {"pid": process.pid, "started": started}
    (folder / f"{name}.json").write_text(json.dumps(record))


def running(folder: Path, name: str) -> psutil.Process | None:
    """The process that was started under this name, if it is still that very process."""
    try:
        record = json.loads((folder / f"{name}.json").read_text())
        process = psutil.Process(record["pid"])
    except (FileNotFoundError, psutil.NoSuchProcess):
        return None
    # A process id may have been given to somebody else since.
    alike = abs(process.create_time() - record["started"]) < 1.0
    return process if alike and process.status() != psutil.STATUS_ZOMBIE else None


def stop(folder: Path, name: str) -> bool:
    """End a process and all that it started; whether it was running."""
    process = running(folder, name)
    if process is None:
        return False
    family = [process, *process.children(recursive=True)]
    for member in family:
        _signal(member.terminate)
    _, alive = psutil.wait_procs(family, timeout=GRACE)
    for member in alive:
        _signal(member.kill)
    psutil.wait_procs(alive, timeout=GRACE)
    for started in _STARTED:
        started.poll()
    (folder / f"{name}.json").unlink(missing_ok=True)
    return True


def _signal(send: Callable[[], None]) -> None:
    try:
        send()
    except psutil.NoSuchProcess:
        return


def wait_until(ready: Callable[[], bool], what: str, log: Path, seconds: float) -> None:
    """Poll until `ready`; HotfixrError with the log's last line after so many seconds."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            lines = log.read_text(errors="replace").strip().splitlines() if log.is_file() else []
            last = lines[-1] if lines else "nothing"
            raise HotfixrError(
                f"{what} did not answer within {seconds:.0f} s; its log {log} ends with: {last}"
            )
        time.sleep(0.2)
