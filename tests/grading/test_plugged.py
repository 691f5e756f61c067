"""A metric of the worker's own: a command that reads translations and prints numbers."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest

from tasks.compute.environment import child_environment
from tasks.errors import StepFailed, WrongWorker
from tasks.grading.plugged import plugged_scores

ROWS: list[dict[str, Any]] = [
    {"language": "ja", "source": "猫", "text": "cat", "references": ["cat", "a cat"]},
    {"language": "ja", "source": "犬", "text": "", "references": ["dog"]},
]
SAME = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(float(row["text"] in row["references"]))
"""


def installed(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    monkeypatch.setenv("HOTFIXR_METRIC_SAME", command)


def test_each_translation_gets_its_number_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, SAME)
    assert plugged_scores("same", ROWS) == [1.0, 0.0]
    assert plugged_scores("same", []) == []
    assert "HOTFIXR_METRIC_SAME" in child_environment(), "compute processes are told the command"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no weights here')", "left with code 1: no weights here"),
        ("print(1.0)", "1 numbers for 2 translations"),
        ("print('0.5 nan')", "not finite"),
        ("print('good bad')", "is no number"),
    ],
)
def test_a_metric_that_gives_something_else_ends_the_step(
    monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    installed(monkeypatch, code)
    with pytest.raises(StepFailed, match=said):
        plugged_scores("same", ROWS)


def test_a_worker_without_the_metric_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WrongWorker, match="no metric 'comet'; set HOTFIXR_METRIC_COMET"):
        plugged_scores("comet", ROWS)
    monkeypatch.setenv("HOTFIXR_METRIC_COMET", "/nowhere/comet")
    with pytest.raises(WrongWorker, match="cannot be run"):
        plugged_scores("comet", ROWS)
