"""A whole run while the S3 server misbehaves: it ends, with the scores of an undisturbed one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from flows.here import run_here
from tasks.artifacts.store import Store, open_store
from tasks.errors import StoreUnreachable
from tests.faults.mini import attempts, evaluation, scores, undisturbed
from tests.faults.proxy import FaultyProxy
from tests.silent import Silent
from tests.waiting import wait_for

pytestmark = pytest.mark.timeout(300)
OUTAGE = 60.0  # seconds
BAD = {
    "server errors": {"error": 0.15, "bare": 0.05},
    "overload": {"busy": 0.2},
    "cut connections": {"cut": 0.2},
    "lost answers": {"lost": 0.2},
    "slow": {"slow": 0.3},
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return undisturbed(open_store(f"file://{folder}/store"), evaluation())


@pytest.mark.parametrize("faults", BAD)
def test_a_run_over_a_bad_network_ends_with_equal_scores(
    proxy: FaultyProxy, s3_store: Store, expected: list[dict[str, object]], faults: str
) -> None:
    proxy.seed, proxy.odds = 6, BAD[faults]
    run = run_here(open_store(s3_store.uri), evaluation(), Silent())
    assert scores(s3_store, run) == expected
    assert proxy.done.total() - proxy.done["none"] > 20, "the faults did happen"
    assert all(len(made) == 1 for made in attempts(s3_store, "evaluate").values())


@contextmanager
def away_once(proxy: FaultyProxy, store: Store, seconds: float) -> Iterator[threading.Event]:
    """The server goes when the first answers are there, for so many seconds."""
    left = threading.Event()

    def fail() -> None:
        wait_for(lambda: attempts(store, "evaluate"), "the first answers", 120)
        proxy.down()
        left.set()
        over.wait(seconds)
        proxy.up()

    over = threading.Event()
    thread = threading.Thread(target=fail)
    thread.start()
    yield left
    over.set()
    thread.join()


def test_a_minute_without_the_server_costs_only_that_minute(
    proxy: FaultyProxy, s3_store: Store, expected: list[dict[str, object]]
) -> None:
    with away_once(proxy, s3_store, OUTAGE) as left:
        run = run_here(open_store(s3_store.uri), evaluation(), Silent())
        assert left.is_set()
    assert scores(s3_store, run) == expected
    assert all(len(made) == 1 for made in attempts(s3_store, "evaluate").values())


def test_a_longer_outage_fails_the_run_and_the_next_one_goes_on(
    proxy: FaultyProxy,
    s3_store: Store,
    expected: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOTFIXR_STORE_SECONDS", "3")
    with (
        away_once(proxy, s3_store, 3600.0) as left,
        pytest.raises(StoreUnreachable, match=r"within 3 s .*check AWS_ENDPOINT_URL"),
    ):
        run_here(open_store(s3_store.uri), evaluation(), Silent())
    assert left.is_set()
    before = attempts(s3_store, "evaluate")
    monkeypatch.setenv("HOTFIXR_CLAIM_SECONDS", "3")
    run = run_here(open_store(s3_store.uri), evaluation(), Silent())
    assert scores(s3_store, run) == expected
    after = attempts(s3_store, "evaluate")
    assert all(after[digest][: len(made)] for digest, made in before.items())
