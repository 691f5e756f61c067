from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tasks.artifacts.store import Store, open_store
from tasks.errors import BadInput, StoreRefused, StoreUnreachable


def test_what_is_not_there_is_none(store: Store) -> None:
    assert store.get("a/b.json") is None
    assert not store.delete("a/b.json", "tag") or store.uri.startswith("s3")
    assert list(store.list("a")) == []


def test_create_never_overwrites(store: Store) -> None:
    assert store.create("a.json", b"first")
    assert store.create("a.json", b"second") is None
    there = store.get("a.json")
    assert there is not None and there.data == b"first"


def test_replace_only_over_the_named_bytes(store: Store) -> None:
    first = store.create("a.json", b"1")
    assert first
    second = store.replace("a.json", b"2", first)
    assert second and second != first
    assert store.replace("a.json", b"3", first) is None
    assert not store.delete("a.json", first)
    assert store.delete("a.json", second)


def test_of_many_racing_writers_one_wins(store: Store) -> None:
    with ThreadPoolExecutor(12) as pool:
        won = list(pool.map(lambda n: store.create("race", str(n).encode()), range(12)))
    assert sum(etag is not None for etag in won) == 1
    there = store.get("race")
    assert there is not None and won[int(there.data)] is not None


def test_of_many_racing_replacers_one_wins(store: Store) -> None:
    etag = store.create("race", b"start")
    assert etag
    with ThreadPoolExecutor(12) as pool:
        won = list(pool.map(lambda n: store.replace("race", str(n).encode(), etag), range(12)))
    assert sum(tag is not None for tag in won) == 1


def test_files_come_back_as_they_went(store: Store, tmp_path: Path) -> None:
    local = tmp_path / "data"
    local.write_bytes(bytes(range(256)) * 50_000)  # several parts of a multipart upload
    store.upload(local, "deep/data.bin")
    assert store.download("deep/data.bin", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == local.read_bytes()
    assert not store.download("deep/other.bin", tmp_path / "nothing")
    assert list(store.list("deep")) == ["deep/data.bin"]


def test_other_schemes_are_refused_with_what_would_be_right() -> None:
    with pytest.raises(BadInput, match=r"'gs://x' is neither s3://BUCKET"):
        open_store("gs://x")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AWS_SECRET_ACCESS_KEY", "wrong", "AWS_SECRET_ACCESS_KEY is not the one"),
        ("AWS_ACCESS_KEY_ID", "nobody", "does not know the access key"),
    ],
)
def test_wrong_credentials_are_named(
    s3_store: Store, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(StoreRefused, match=said):
        open_store(s3_store.uri).get("x")


def test_a_missing_bucket_is_named(s3_store: Store) -> None:
    with pytest.raises(StoreRefused, match="no such bucket"):
        open_store("s3://nobody-made-this/x").get("x")


def test_a_server_that_is_not_there_is_named(
    s3_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(StoreUnreachable, match=r"within 1 s .*check AWS_ENDPOINT_URL"):
        open_store(s3_store.uri, patience=1.0).get("x")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreRefused, match="cannot be written"):
        open_store(f"file://{tmp_path}/file/store").put("x", b"")
