import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.artifacts.digests import canonical, digest
from tasks.artifacts.parts import fetch_part, find_part, publish_part, publish_table, read_table
from tasks.artifacts.store import Store
from tasks.errors import PartDamaged, PartMissing

TABLE = pa.table({"text": ["ä", "界", None], "n": [1, 2, 3]})


def test_a_table_comes_back_with_its_facts(store: Store) -> None:
    publish_table(store, "score", "scores", "d1", TABLE, {"seconds": 2.5})
    part = find_part(store, "score", "d1")
    assert part is not None and part.facts == {"rows": 3, "seconds": 2.5}
    assert read_table(store, part).equals(TABLE)
    assert read_table(store, part, columns=["n"]).column_names == ["n"]


def test_without_part_json_there_is_no_part(store: Store) -> None:
    part = publish_table(store, "score", "scores", "d1", TABLE, {})
    store.delete("parts/score/d1/part.json")
    assert find_part(store, "score", "d1") is None
    assert list(store.list(part.folder))  # the data alone means nothing


def test_a_writer_that_raises_half_way_publishes_nothing(store: Store, tmp_path: Path) -> None:
    class Broken:
        uri = store.uri
        create = staticmethod(store.create)

        def upload(self, local: Path, path: str) -> None:
            if path.endswith("b.bin"):
                raise OSError("the cable was pulled")
            store.upload(local, path)

    (tmp_path / "a.bin").write_bytes(b"a")
    (tmp_path / "b.bin").write_bytes(b"b")
    with pytest.raises(OSError, match="cable"):
        publish_part(Broken(), "score", "x", "d1", tmp_path, {})  # type: ignore[arg-type]
    assert find_part(store, "score", "d1") is None


def test_of_racing_publishers_the_first_stands_for_all(store: Store) -> None:
    def publish(number: int) -> str:
        table = pa.table({"n": [number]})
        return publish_table(store, "score", "x", "d1", table, {}).attempt

    with ThreadPoolExecutor(8) as pool:
        attempts = set(pool.map(publish, range(8)))
    standing = find_part(store, "score", "d1")
    assert standing is not None and attempts == {standing.attempt}


def test_force_replaces_and_old_readers_keep_their_attempt(store: Store) -> None:
    old = publish_table(store, "score", "x", "d1", pa.table({"n": [1]}), {})
    new = publish_table(store, "score", "x", "d1", pa.table({"n": [2]}), {}, replace=True)
    assert find_part(store, "score", "d1") == new
    assert read_table(store, old)["n"].to_pylist() == [1]
    assert read_table(store, new)["n"].to_pylist() == [2]


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b[:9] + b"X" + b[10:]])
def test_a_damaged_file_is_named_with_the_command_that_mends_it(store: Store, change) -> None:
    part = publish_table(store, "score", "scores", "d1", TABLE, {})
    path = f"{part.folder}/data.parquet"
    there = store.get(path)
    assert there is not None
    store.put(path, change(there.data))
    with pytest.raises(PartDamaged, match=r"is damaged.*hotfixr step score --run RUN --force"):
        read_table(store, part)


def test_a_missing_file_is_named(store: Store, tmp_path: Path) -> None:
    part = publish_table(store, "score", "scores", "d1", TABLE, {})
    store.delete(f"{part.folder}/data.parquet")
    with pytest.raises(PartMissing, match=r"data\.parquet is not in"):
        fetch_part(store, part, tmp_path)


def test_a_part_of_another_version_is_as_good_as_absent(store: Store) -> None:
    part = publish_table(store, "score", "scores", "d1", TABLE, {})
    raw = json.loads(part.to_bytes()) | {"invented_later": 1}
    store.put("parts/score/d1/part.json", json.dumps(raw).encode())
    assert find_part(store, "score", "d1") is None
    again = publish_table(store, "score", "scores", "d1", TABLE, {})
    assert find_part(store, "score", "d1") == again


def test_digests_rest_on_content_not_on_where_or_when(store: Store) -> None:
    one = publish_table(store, "score", "x", "d1", TABLE, {"seconds": 1})
    two = publish_table(store, "score", "y", "d2", TABLE, {"seconds": 2})
    assert one.attempt != two.attempt and one.content == two.content
    assert digest({"input": one}) == digest({"input": two})
    assert canonical({"b": 1, "a": [one]}) == f'{{"a":["{one.content}"],"b":1}}'
