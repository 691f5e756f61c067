"""A bad network below single requests: answered in the end, or refused in one sentence."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.artifacts.claims import Claims
from tasks.artifacts.parts import find_part, publish_table, read_table
from tasks.artifacts.store import Store, open_store
from tasks.errors import StoreUnreachable
from tests.faults.proxy import FaultyProxy

BAD = {
    "server errors": {"error": 0.3, "bare": 0.1},
    "overload": {"busy": 0.4},
    "cut connections": {"cut": 0.4},
    "lost answers": {"lost": 0.4},
    "slow": {"slow": 0.8},
    "everything": {"error": 0.1, "busy": 0.1, "bare": 0.1, "cut": 0.1, "lost": 0.1},
}


@pytest.fixture(params=BAD)
def bad(request: pytest.FixtureRequest, proxy: FaultyProxy, s3_store: Store) -> Store:
    """The store behind a network with these faults."""
    proxy.odds = BAD[request.param]
    return open_store(s3_store.uri)


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_files_arrive_whole_and_are_never_seen_in_part(
    bad: Store, s3_store: Store, tmp_path: Path, size: int
) -> None:
    for number in range(4):
        data = hashlib.shake_256(bytes([number])).digest(size)
        (tmp_path / "sent").write_bytes(data)
        bad.upload(tmp_path / "sent", f"deep/{number}")
        there = s3_store.get(f"deep/{number}")
        assert there is not None and there.data == data
        assert bad.download(f"deep/{number}", tmp_path / "back")
        assert (tmp_path / "back").read_bytes() == data
    assert list(bad.list("deep")) == [f"deep/{number}" for number in range(4)]


def test_a_large_file_in_pieces_arrives_whole(bad: Store, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(hashlib.shake_256(b"large").digest(110_000_000))
    bad.upload(tmp_path / "sent", "large")
    assert bad.download("large", tmp_path / "back")
    digests = [hashlib.sha256((tmp_path / name).read_bytes()).digest() for name in ("sent", "back")]
    assert digests[0] == digests[1]


def test_a_part_is_published_once_and_a_claim_is_held(bad: Store, s3_store: Store) -> None:
    for number in range(5):
        digest, claims = f"d{number}", Claims(bad, f"holder {number}")
        assert claims.try_claim("score", digest)
        table = pa.table({"n": [number]})
        part = publish_table(bad, "score", "scores", digest, table, {})
        claims.close()
        assert find_part(s3_store, "score", digest) == part
        assert read_table(bad, part).equals(table)
        assert Claims(s3_store, "next").waiting_for("score", digest) is None


def test_a_server_that_stays_away_is_said_in_one_sentence(
    proxy: FaultyProxy, s3_store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.down()
    began = time.monotonic()
    with pytest.raises(StoreUnreachable, match=r"gave no usable answer at .* within 3 s") as said:
        open_store(s3_store.uri, patience=3.0).get("x")
    assert 3.0 <= time.monotonic() - began < 8.0
    assert "\n" not in str(said.value) and "trying again" in caplog.text


def test_a_server_that_accepts_and_never_answers_is_given_up(
    proxy: FaultyProxy, s3_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.faults.proxy.PAUSE", 3600.0)
    monkeypatch.setattr("tasks.artifacts.s3.REQUEST", 1.0)
    proxy.odds = {"slow": 1.0}
    with pytest.raises(StoreUnreachable, match="gave no usable answer"):
        open_store(s3_store.uri, patience=3.0).put("x", b"1")
    with pytest.raises(StoreUnreachable, match="gave no usable answer"):
        open_store(s3_store.uri, patience=3.0).get("x")
    proxy.odds = {}
    assert s3_store.get("x") is None
