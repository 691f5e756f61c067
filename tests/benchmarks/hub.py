"""A hub on loopback with one data set: enough of the protocol for its real file system."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"
DATA_SET = "lab/words"
URI = f"hf://datasets/{DATA_SET}@{COMMIT}"


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a hub that has `folder` as the data set lab/words at one commit."""
    api = f"/api/datasets/{DATA_SET}"

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path.partition("?")[0])
            if path == f"{api}/revision/{COMMIT}":
                self._answer(json.dumps({"id": DATA_SET, "sha": COMMIT, "siblings": []}).encode())
            elif path.startswith(f"{api}/tree/{COMMIT}"):
                below = folder / path.removeprefix(f"{api}/tree/{COMMIT}").lstrip("/")
                found = [entry(folder, file) for file in sorted(below.rglob("*"))]
                self._answer(json.dumps(found).encode())
            elif path.startswith(f"/datasets/{DATA_SET}/resolve/{COMMIT}/"):
                self._answer((folder / path.partition(f"{COMMIT}/")[2]).read_bytes())
            else:
                self._missing("RevisionNotFound" if path.startswith(api) else "RepoNotFound")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            """Of paths-info: which of the paths there are."""
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            there = [folder / path for path in asked["paths"] if (folder / path).exists()]
            self._answer(json.dumps([entry(folder, file) for file in there]).encode())

        def _missing(self, code: str) -> None:
            self.send_response(404)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _answer(self, data: bytes) -> None:
            start, end = 0, len(data)
            if asked := self.headers.get("Range"):
                first, _, last = asked.removeprefix("bytes=").partition("-")
                start, end = int(first), min(int(last or len(data)) + 1, len(data))
            self.send_response(206 if asked else 200)
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", str(end - start))
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data[start:end])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def entry(folder: Path, file: Path) -> dict[str, object]:
    """A file or folder as the hub lists it; Parquet files are large ones, whose digest it knows."""
    path = file.relative_to(folder).as_posix()
    if file.is_dir():
        return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}
    data = file.read_bytes()
    listed: dict[str, object] = {
        "type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest(),
    }  # fmt: skip
    if file.suffix == ".parquet":
        digest = hashlib.sha256(data).hexdigest()
        listed["lfs"] = {"oid": digest, "size": len(data), "pointerSize": 120}
    return listed
