"""A full disk: one sentence, nothing half written, and the next try goes on where space is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.here import run_here
from tasks.artifacts.parts import publish_part
from tasks.artifacts.store import Store, open_store
from tasks.errors import DiskFull, StoreRefused
from tests.faults.mini import evaluation, scores, undisturbed
from tests.silent import Silent

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk"),
]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take what space there is, but a few pages."""
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(240 * 1024))
    return ballast


def test_scratch_without_space_ends_the_step_and_the_run_goes_on_later(
    small_disk: Path, s3_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = undisturbed(open_store(f"file://{tmp_path}/undisturbed"), evaluation())
    fill(small_disk)
    monkeypatch.setenv("TMPDIR", str(small_disk))
    with pytest.raises(DiskFull, match=r"^evaluate: .* no space left .*set TMPDIR") as said:
        # Data, scores and reports are made in this process, which looked for its folder before.
        run_here(s3_store, evaluation(items=400), Silent())
    assert "\n" not in str(said.value)
    assert not [path for path in s3_store.list("parts") if path.endswith("/claim.json")]
    monkeypatch.delenv("TMPDIR")
    run_here(s3_store, evaluation(items=400), Silent())
    run = run_here(s3_store, evaluation(), Silent())
    assert scores(s3_store, run) == expected


def test_a_store_in_a_full_folder_shows_nothing_in_part(small_disk: Path, tmp_path: Path) -> None:
    store = open_store(f"file://{small_disk}/store")
    store.put("there", b"before")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.bin").write_bytes(bytes(100))
    (tmp_path / "data" / "b.bin").write_bytes(bytes(300 * 1024))
    with pytest.raises(StoreRefused, match="has no space left; free some"):
        publish_part(store, "score", "scores", "d", tmp_path / "data", {})
    names = [path for path in store.list("parts") if path.endswith(("b.bin", "part.json"))]
    assert names == []
    with pytest.raises(StoreRefused, match="has no space left"):
        store.put("there", bytes(300 * 1024))
    kept = store.get("there")
    assert kept is not None and kept.data == b"before"
