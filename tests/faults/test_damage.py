"""A part that is cut or has a bit flipped after the fact: named, rebuilt as the message says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from deployments.cli import app
from flows.here import run_here
from tasks.artifacts.store import Store, open_store
from tasks.errors import PartDamaged
from tasks.runs import recorded_step
from tests.faults.mini import evaluation, scores, undisturbed
from tests.silent import Silent

pytestmark = pytest.mark.timeout(300)
OTHER = {"scoring.seed": 9}  # so that scores are computed again, from the same grades


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [pytest.param(lambda data: data[:-100], id="cut"), pytest.param(flipped, id="bit flipped")],
)
@pytest.mark.parametrize("kind", ["answers", "grades"])
def test_the_command_of_the_message_rebuilds_it(
    s3_store: Store, damage: Callable[[bytes], bytes], kind: str
) -> None:
    expected = undisturbed(open_store(f"{s3_store.uri}/undisturbed"), evaluation(**OTHER))
    store = open_store(f"{s3_store.uri}/hurt")
    first = run_here(store, evaluation(), Silent())
    found = recorded_step(store, first, "evaluate", "base")
    assert found is not None
    hurt = found.manifest.parts[f"{kind}/sums/de"]
    path = f"{hurt.folder}/data.parquet"
    there = store.get(path)
    assert there is not None
    store.put(path, damage(there.data))
    if kind == "answers":  # nothing but the grades reads them
        store.delete(f"parts/evaluate/{found.manifest.parts['grades/sums/de'].digest}/part.json")
        store.delete(f"steps/evaluate/{found.manifest.spec}.json")
    with pytest.raises(PartDamaged, match=r"is damaged: .* instead of") as said:
        run_here(store, evaluation(**OTHER), Silent())
    command = re.search(r"`hotfixr (.*)`", str(said.value))
    assert command is not None
    words = shlex.split(command[1])
    done = CliRunner().invoke(app, [*words, "--store", store.uri], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    run = run_here(store, evaluation(**OTHER), Silent())
    assert scores(store, run) == expected
