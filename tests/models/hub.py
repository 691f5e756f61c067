"""A model hub on loopback with one repository: enough of the protocol for its real client."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "lab/tiny"


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a hub that has `folder` as lab/tiny at one commit, branch main."""

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            api = f"/api/models/{REPOSITORY}"
            path = self.path.partition("?")[0]
            if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
                self._answer(json.dumps(description(folder)).encode())
            elif path == f"{api}/tree/{COMMIT}":
                self._answer(json.dumps(tree(folder)).encode())
            elif path.startswith(f"/{REPOSITORY}/resolve/{COMMIT}/"):
                self._answer((folder / path.partition(f"{COMMIT}/")[2]).read_bytes())
            else:
                missing = "RevisionNotFound" if path.startswith(api) else "RepoNotFound"
                self.send_response(404)
                self.send_header("X-Error-Code", missing)
                self.send_header("Content-Length", "0")
                self.end_headers()

        do_HEAD = do_GET

        def _answer(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

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


def files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def description(folder: Path) -> dict[str, object]:
    names = [file.relative_to(folder).as_posix() for file in files(folder)]
    return {
        "id": REPOSITORY, "sha": COMMIT, "private": False, "downloads": 0, "likes": 0, "tags": [],
        "siblings": [{"rfilename": name} for name in names],
    }  # fmt: skip


def tree(folder: Path) -> list[dict[str, object]]:
    return [
        {
            "type": "file", "path": file.relative_to(folder).as_posix(),
            "size": file.stat().st_size, "oid": hashlib.sha256(file.read_bytes()).hexdigest()[:40],
        }
        for file in files(folder)
    ]  # fmt: skip
