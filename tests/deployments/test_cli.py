"""What people type: the good way, and every way of getting it wrong in one clear sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deployments.stack import Stack

HOTFIXR = str(Path(sys.executable).parent / "hotfixr")
SMALL = ["--set", "benchmarks.0.items=4", "--set", "evaluation.samples=4"]


def hotfixr(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HOTFIXR_")}
    return subprocess.run(
        [HOTFIXR, *words], capture_output=True, text=True, env=clean | environment, timeout=120
    )


def test_run_show_runs_and_step(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    done = hotfixr("run", "simulated", *SMALL, "--name", "A first try!", "--store", store)
    assert done.returncode == 0, done.stderr
    assert "evaluate-base: done" in done.stdout and "hat_corrected" in done.stdout
    [run] = [word for line in done.stdout.splitlines() if line.startswith("run ") for word in
             line.split()[1:]]  # fmt: skip
    assert "-a-first-try-" in run
    assert f"{run}  4 of 4 steps  A first try!" in hotfixr("runs", "--store", store).stdout
    shown = hotfixr("show", "--store", store).stdout
    assert "evaluate-base" in shown and "20 parts" in shown
    again = hotfixr("step", "evaluate", "--run", run[:12], "--force", "--store", store)
    assert "evaluate-base: done" in again.stdout and "score" in again.stdout, again.stderr
    second = hotfixr("run", "simulated", *SMALL, "--store", store)
    assert second.stdout.count("reused") == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "nonesuch"], "no recipe 'nonesuch': give a path"),
        (["run", "simulated", "--set", "evaluation.samplse=4"], "samplse is no setting"),
        (["run", "simulated", "--set", "evaluation.samples=none"], "evaluation.samples is"),
        (["run", "simulated", "--set", "languages=[en, xx]"], "'xx'"),
        (["run", "simulated", "--set", "benchmarks.0.name=mmlu"], "'mmlu' is no benchmark"),
        (["run", "simulated", "--set", "student=gpt-4"], "'gpt-4' does not name a model"),
        (["run", "simulated", "--set", "methods=[base, hotfixr]"], "has no weights to train"),
        (["run", "smoke", "--set", "student=file:/nowhere"], "file:/nowhere is no model folder"),
        (["run", "simulated", "--force", "bake"], "--force bake: no such step"),
        (["run", "simulated", "--store", "ftp://x"], "'ftp://x' is neither s3://"),
        (["run", "mgsm", "--set", "student=simulated:base"], "FOLDER/mgsm"),
        (["show", "2026"], "run '2026' does not exist"),
        (["step", "score", "--run", "none"], "run 'none' does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_a_code(tmp_path: Path, words: list[str], said: str) -> None:
    store = [] if "--store" in words else ["--store", f"file://{tmp_path}/store"]
    done = hotfixr(*words, *store)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr and done.stderr.startswith("error: ")
    assert len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("part.json")) or words[1] in ("smoke", "mgsm")


def test_without_a_store_it_says_how_to_set_one(tmp_path: Path) -> None:
    done = hotfixr("runs", HOTFIXR_HOME=str(tmp_path))
    assert done.returncode == 2 and "set HOTFIXR_STORE to s3://" in done.stderr


def test_wrong_credentials_are_one_sentence(s3_stack: Stack) -> None:
    environment = s3_stack.environment | {"AWS_SECRET_ACCESS_KEY": "wrong"}
    done = hotfixr("run", "simulated", **environment)
    assert done.returncode == 1
    assert "the secret in AWS_SECRET_ACCESS_KEY is not the one of this key" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_status_doctor_and_the_safe_defaults(stack: Stack) -> None:
    import httpx

    assert hotfixr("status", **stack.environment).returncode == 0
    found = hotfixr("doctor", **stack.environment)
    assert found.returncode == 0 and "BAD" not in found.stdout, found.stdout
    assert stack.settings_file.stat().st_mode & 0o077 == 0
    refused = httpx.post(f"{stack.ui}/api/flows/filter", json={})
    assert refused.status_code == 401
    foreign = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    preflight = httpx.options(f"{stack.ui}/api/flows/filter", headers=foreign)
    assert preflight.headers.get("access-control-allow-origin") is None
    for port in ("master", "filer", "volume"):
        address = f"http://127.0.0.1:{stack.settings[port]}"
        assert httpx.put(f"{address}/buckets/hotfixr/x", content=b"x").status_code >= 400
        assert httpx.get(f"{address}/dir/assign").status_code >= 400
    doctored = hotfixr("doctor", **stack.environment | {"PREFECT_API_AUTH_STRING": "a:b"})
    assert doctored.returncode == 1 and "set PREFECT_API_AUTH_STRING" in doctored.stdout
