"""A chat-completions server on loopback that answers, dawdles and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-very-secret-0123456789"
Reply = dict[str, Any] | str


@dataclass
class Misdeed:
    """What is done to a request instead of answering it."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False  # the connection, in the middle of the body
    seconds: float = 0.0  # of silence first


class Server(ThreadingHTTPServer):
    """Counts what it is asked; `misdeeds` are spent one by one before anything is answered."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: Callable[[dict[str, Any]], Reply] = lambda body: said(question(body))
        self.misdeeds: list[Misdeed] = []
        self.seconds = 0.0  # of thinking about each answer
        self.bodies: list[dict[str, Any]] = []  # of answered requests
        self.times: list[float] = []  # of every request
        self.now = self.most = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def environment(self, name: str = "LAB", key: str = KEY) -> dict[str, str]:
        return {f"HOTFIXR_ENDPOINT_{name}_URL": self.url, f"HOTFIXR_ENDPOINT_{name}_KEY": key}


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == f"Bearer {KEY}"
        self._send(200 if known else 401, json.dumps({"data": []}))

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.times.append(time.monotonic())
            server.now += 1
            server.most = max(server.most, server.now)
            misdeed = server.misdeeds.pop(0) if server.misdeeds else None
        try:
            self._reply(body, misdeed)
        finally:
            with server.lock:
                server.now -= 1

    def _reply(self, body: dict[str, Any], misdeed: Misdeed | None) -> None:
        if misdeed is not None:
            time.sleep(misdeed.seconds)
            return self._send(misdeed.status, misdeed.body, misdeed.headers, misdeed.cut)
        if self.headers["Authorization"] != f"Bearer {KEY}":
            shown = f"Incorrect API key provided: {self.headers['Authorization']}"
            return self._send(401, json.dumps({"error": {"message": shown}}))
        time.sleep(self.server.seconds)
        with self.server.lock:
            self.server.bodies.append(body)
        reply = self.server.answer(body)
        self._send(200, reply if isinstance(reply, str) else json.dumps(reply))

    def _send(
        self, status: int, text: str, headers: dict[str, str] | None = None, cut: bool = False
    ) -> None:
        data = text.encode()
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) + 100 * cut))
        self.end_headers()
        self.wfile.write(data)
        if cut:
            self.close_connection = True


def question(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def said(
    content: str | None,
    *,
    finish: str = "stop",
    usage: dict[str, Any] | None = None,
    **message: str,
) -> dict[str, Any]:
    """A chat completion of ten tokens of prompt and five of answer."""
    return {
        "model": "served-1",
        "choices": [{"message": {"content": content, **message}, "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 10, "completion_tokens": 5},
    }


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
