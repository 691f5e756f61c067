"""Serve the reports of a store, read-only: a browser refuses file:// and s3://."""

from __future__ import annotations

import mimetypes
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath

from tasks.artifacts.store import Store, configured_store
from tasks.errors import StoreError
from tasks.reporting.template import POLICY


def served_path(url_path: str) -> str | None:
    """The object behind `/runs/RUN/report/FILE`, or None: nothing else is served."""
    parts = PurePosixPath(url_path.partition("?")[0]).parts[1:]
    whole = len(parts) == 4 and parts[0] == "runs" and parts[2] == "report"
    return "/".join(parts) if whole and ".." not in parts else None


def handler(store: Store) -> type[BaseHTTPRequestHandler]:
    """A request handler that reads from this store."""

    class Reports(BaseHTTPRequestHandler):
        """GET and nothing else."""

        def do_GET(self) -> None:
            """Answer with a report's file."""
            path = served_path(self.path)
            try:
                there = None if path is None else store.get(path)
            except StoreError as error:
                return self.send_error(503, explain=str(error))
            if path is None or there is None:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Type", _content_type(path))
            self.send_header("Content-Length", str(len(there.data)))
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(there.data)

    return Reports


def _content_type(path: str) -> str:
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def main() -> None:
    """Serve on a port until killed. Arguments: port, and in a container the address to bind."""
    port, host = (*sys.argv[1:], "127.0.0.1")[:2]
    server = ThreadingHTTPServer((host, int(port)), handler(configured_store()))
    server.serve_forever()


if __name__ == "__main__":
    main()
