"""One request to an endpoint, tried until it is answered, refused or given up."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp

from tasks.errors import EndpointSilent
from tasks.models.endpoint_address import Address
from tasks.models.endpoint_answers import Reply, read_reply
from tasks.models.endpoint_retries import TOO_LONG, Backoff, Trouble, check_status
from tasks.models.machine import EndpointSettings

CONNECT = 10.0  # seconds


class Stopped(Exception):
    """Another request has failed for good, so this one is not tried again."""


class Client:
    """Asks one model; a wait that the server asks for holds all requests back."""

    def __init__(
        self, at: Address, model: str, settings: EndpointSettings, backoff: Backoff
    ) -> None:
        self._at = at
        self._model = model
        self._settings = settings
        self._backoff = backoff
        self._not_before = 0.0  # by the event loop's clock
        self.stopping = asyncio.Event()

    def session(self) -> aiohttp.ClientSession:
        """Connections for as many requests as may be on their way."""
        total = self._settings.timeout
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._settings.concurrency),
            timeout=aiohttp.ClientTimeout(total=total, sock_connect=CONNECT, sock_read=total),
            headers={"Authorization": f"Bearer {self._at.key}"},
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def ask(self, session: aiohttp.ClientSession, body: dict[str, Any]) -> Reply:
        """The reply. Raises EndpointSilent, BadInput, WrongWorker, or Stopped."""
        tries = self._settings.retries + 1
        for number in range(1, tries + 1):
            await self._sleep(self._not_before - asyncio.get_running_loop().time())
            try:
                return await self._once(session, body)
            except Trouble as trouble:
                if number == tries or trouble.wait > TOO_LONG:
                    raise self._silent(number, trouble) from trouble
                wait = self._backoff.delay(number, trouble.wait)
                self._hold_back(trouble.wait)
            await self._sleep(wait)
        raise AssertionError("unreachable")

    async def _once(self, session: aiohttp.ClientSession, body: dict[str, Any]) -> Reply:
        url = f"{self._at.url}/chat/completions"
        try:
            # A redirect could carry the key elsewhere.
            async with session.post(url, json=body, allow_redirects=False) as response:
                data = await response.read()
        except (aiohttp.ClientError, OSError) as error:  # a timeout is an OSError
            raise Trouble(f"no reply: {type(error).__name__}") from error
        said = data.decode(errors="replace") if response.status != 200 else ""
        check_status(self._at, self._model, response.status, response.headers, said)
        return read_reply(data)

    def _hold_back(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        self._not_before = max(self._not_before, until)

    async def _sleep(self, seconds: float) -> None:
        if self.stopping.is_set():
            raise Stopped
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.stopping.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped

    def _silent(self, tries: int, trouble: Trouble) -> EndpointSilent:
        asked = f", and asks for {trouble.wait:.0f} s of rest" if trouble.wait > TOO_LONG else ""
        return EndpointSilent(
            f"endpoint {self._at.name!r} did not answer for {self._model} in {tries} tries (the"
            f" last gave {trouble}){asked}; what it answered before is kept, so run again later"
        )
