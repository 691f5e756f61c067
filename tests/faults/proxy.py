"""A bad network between us and the real S3 server, with its faults drawn from a seed.

Every connection carries one request, so that a fault is decided request by request. What a fault
does is a row of FAULTS; their odds can be changed while the proxy runs.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType

HOST = "127.0.0.1"
CHUNK = 16_384
HEAD_LIMIT = 2**20
ERROR = (
    "HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {size}\r\n"
    "Connection: close\r\n\r\n{body}"
)
BODY = "<?xml version='1.0'?><Error><Code>{code}</Code><Message>fault</Message></Error>"
SLOW = 8_000_000  # bytes per second of one connection, and a pause before each answer
PAUSE = 0.3  # seconds


@dataclass
class Request:
    """One request on its own connection."""

    head: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def size(self) -> int:
        found = re.search(rb"(?im)^content-length:\s*(\d+)", self.head)
        return int(found[1]) if found else 0

    async def whole(self) -> bytes:
        """The body, which some clients send only when told to continue."""
        if re.search(rb"(?im)^expect:\s*100-continue", self.head):
            self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return await self.reader.readexactly(self.size)

    async def answer(self, status: str, code: str) -> None:
        await self.whole()
        body = BODY.format(code=code)
        self.writer.write(ERROR.format(status=status, size=len(body), body=body).encode())
        await self.writer.drain()


@dataclass
class FaultyProxy:
    """Passes requests on to `port`, or does to them what `odds` say (fault -> probability)."""

    port: int
    seed: int = 0
    odds: dict[str, float] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    own_port: int = 0

    def __enter__(self) -> FaultyProxy:
        self._random = random.Random(self.seed)
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.up()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.own_port}"

    def up(self) -> None:
        """Listen (again)."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def down(self) -> None:
        """Refuse connections, and cut those that are open."""
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, HOST, self.own_port, limit=HEAD_LIMIT
        )
        self.own_port = self._server.sockets[0].getsockname()[1]

    async def _leave(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            for listening in server.sockets:
                self._loop.remove_reader(listening.fileno())
            # What was accepted a moment ago must get its transport before the server closes.
            await asyncio.sleep(0.05)
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others & self._open:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if self._server is None:  # accepted in the moment of leaving
                raise ConnectionError("down")
            head = await reader.readuntil(b"\r\n\r\n")
            fault = self._drawn()
            self.done[fault] += 1
            await FAULTS[fault](self, Request(head, reader, writer))
        except* (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._open.discard(task)
            writer.close()

    def _drawn(self) -> str:
        names = [*self.odds, "none"]
        odds = [*self.odds.values(), 1.0 - sum(self.odds.values())]
        return self._random.choices(names, odds)[0]

    async def _pass(self, request: Request, most: int | None = None, rate: float = 0) -> None:
        """Send it on and its answer back; at most so many bytes of both together."""
        reader, writer = await asyncio.open_connection(HOST, self.port)
        left = Left(most)
        try:
            writer.write(re.sub(rb"(?im)^connection:.*\r\n", b"", request.head[:-2]))
            writer.write(b"Connection: close\r\n\r\n")
            async with asyncio.TaskGroup() as both:
                up = both.create_task(_pump(request.reader, writer, left, rate))
                back = both.create_task(_pump(reader, request.writer, left, rate))
                back.add_done_callback(lambda done: up.cancel())
        finally:
            writer.close()

    async def _error(self, request: Request) -> None:
        await request.answer("500 Internal Server Error", "InternalError")

    async def _busy(self, request: Request) -> None:
        await request.answer("503 Slow Down", "SlowDown")

    async def _bare(self, request: Request) -> None:
        """What a load balancer says: no XML, no code."""
        await request.whole()
        request.writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        await request.writer.drain()

    async def _cut(self, request: Request) -> None:
        await self._pass(request, most=self._random.randrange(max(400, request.size + 400)))
        request.writer.transport.abort()

    async def _lost(self, request: Request) -> None:
        """The server does what it was asked; its answer never arrives."""
        body = await request.whole()
        reader, writer = await asyncio.open_connection(HOST, self.port)
        head = re.sub(rb"(?im)^(connection|expect):.*\r\n", b"", request.head[:-2])
        writer.write(head + b"Connection: close\r\n\r\n" + body)
        await reader.read()
        writer.close()
        request.writer.transport.abort()

    async def _slow(self, request: Request) -> None:
        await asyncio.sleep(PAUSE)
        await self._pass(request, rate=SLOW)


FAULTS: dict[str, Callable[[FaultyProxy, Request], Awaitable[None]]] = {
    "none": FaultyProxy._pass,
    "error": FaultyProxy._error,
    "busy": FaultyProxy._busy,
    "bare": FaultyProxy._bare,
    "cut": FaultyProxy._cut,
    "lost": FaultyProxy._lost,
    "slow": FaultyProxy._slow,
}


@dataclass
class Left:
    """How many bytes may still pass; None: any number."""

    bytes: int | None

    def take(self, wanted: int) -> int:
        if self.bytes is None:
            return wanted
        taken = min(wanted, self.bytes)
        self.bytes -= taken
        return taken


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: Left, rate: float
) -> None:
    """Copy until the end, or until nothing may pass any more."""
    while data := await reader.read(CHUNK):
        allowed = left.take(len(data))
        writer.write(data[:allowed])
        await writer.drain()
        if allowed < len(data):
            raise ConnectionError("cut")
        if rate:
            await asyncio.sleep(len(data) / rate)
