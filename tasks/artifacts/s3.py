"""Artifacts in S3 or anything that speaks it, through s3fs and without its listing caches.

A server that is away, overloaded or cuts connections is asked again, with growing pauses, until
the store's patience is spent: a minute's outage costs a minute and no work.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import aiohttp
import botocore.exceptions
import botocore.parsers
import fsspec.asyn
import s3fs

from tasks.artifacts.store import Entry, Tagged
from tasks.errors import BucketMissing, StoreError, StoreRefused, StoreUnreachable

logger = logging.getLogger(__name__)
T = TypeVar("T")
LONGEST_PAUSE = 10.0  # seconds between two tries
# One request of a transfer is tried twice by botocore and twice by s3fs, so that a large file is
# not sent again for one lost piece.
TRIES = 2
LIMITS = {
    "connect_timeout": 10,
    "read_timeout": 30,
    "retries": {"total_max_attempts": TRIES, "mode": "legacy"},
}
CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
ABSENT = {"NoSuchKey", "404"}
REFUSED = {
    "403": "access was denied",
    "AccessDenied": "access was denied",
    "InvalidAccessKeyId": "it does not know the access key in AWS_ACCESS_KEY_ID",
    "SignatureDoesNotMatch": "the secret in AWS_SECRET_ACCESS_KEY is not the one of this key",
    "InvalidBucketName": "the bucket's name is not valid (3 to 63 lower-case characters)",
    "NoSuchBucket": "there is no such bucket",
}
# Codes of answers below 500 that may be different next time: the request did not arrive whole.
PASSING = {"SlowDown", "RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch"}
NO_ANSWER = (
    aiohttp.ClientError,
    botocore.exceptions.HTTPClientError,
    botocore.exceptions.EndpointConnectionError,
    botocore.parsers.ResponseParserError,
    ConnectionError,
    TimeoutError,
)
NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
REQUEST = 60.0  # seconds that one request may take, besides sending what it carries
SLOWEST = 100_000.0  # bytes per second


class _Bounded(s3fs.S3FileSystem):
    """Requests that end: while a body is sent, aiohttp would wait for a silent server for ever."""

    async def _call_s3(self, method: str, *given: Any, **arguments: Any) -> Any:
        size = len(arguments.get("Body", b""))
        async with asyncio.timeout(REQUEST + size / SLOWEST):
            return await super()._call_s3(method, *given, **arguments)


class S3Store:
    """Objects below `s3://bucket/prefix`; credentials and endpoint come from the environment."""

    def __init__(self, uri: str, patience: float) -> None:
        """`patience`: seconds that the server may be away before StoreUnreachable is raised."""
        self.uri = uri.rstrip("/")
        self._patience = patience
        self._bucket, _, prefix = self.uri.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix}/" if prefix else ""
        # Instances are not shared: a process that was started anew must not inherit a session.
        self._fs = _Bounded(
            use_listings_cache=False, skip_instance_cache=True, config_kwargs=LIMITS
        )
        self._fs.retries = TRIES

    def get(self, path: str) -> Tagged | None:
        """The object, or None where there is none."""

        def call() -> Tagged | None:
            return cast(Tagged, self._sync(self._get, path))

        return self._ask(call, absent=None)

    async def _get(self, path: str) -> Tagged:
        answer = await self._fs._call_s3("get_object", **self._at(path))
        async with answer["Body"] as body:
            return Tagged(await body.read(), answer["ETag"])

    def put(self, path: str, data: bytes) -> None:
        """Write whatever is there."""
        self._put(path, data)

    def create(self, path: str, data: bytes) -> str | None:
        """Write only where nothing is; the new entity tag, or None where something was."""
        return self._put(path, data, IfNoneMatch="*")

    def replace(self, path: str, data: bytes, etag: str) -> str | None:
        """Write only over the bytes that `etag` names; the new tag, or None if they changed."""
        return self._put(path, data, IfMatch=etag)

    def _put(self, path: str, data: bytes, **condition: str) -> str | None:
        def call() -> str:
            to = self._at(path)
            answer = self._sync(self._fs._call_s3, "put_object", **to, Body=data, **condition)
            return str(answer["ETag"])

        return self._ask(call, changed=None, absent=None)

    def delete(self, path: str, etag: str | None = None) -> bool:
        """Remove it (only the bytes that `etag` names, if given); whether it was removed."""
        condition = {"IfMatch": etag} if etag else {}

        def call() -> bool:
            self._sync(self._fs._call_s3, "delete_object", **self._at(path), **condition)
            return True

        return self._ask(call, changed=False, absent=False)

    def upload(self, local: Path, path: str) -> None:
        """Copy a finished local file in."""
        self._ask(lambda: self._fs.put_file(str(local), self._key(path)))

    def download(self, path: str, local: Path) -> bool:
        """Copy an object out; False where there is none."""

        def call() -> bool:
            self._fs.get_file(self._key(path), str(local))
            return True

        return self._ask(call, absent=False)

    def list(self, prefix: str) -> Iterator[str]:
        """All paths below a folder, in order."""
        return (entry.path for entry in self.entries(prefix))

    def entries(self, prefix: str) -> Iterator[Entry]:
        """All objects below a folder, in order of path."""
        root = len(f"{self._bucket}/{self._prefix}")
        at = self._key(prefix).rstrip("/")
        found = self._ask(lambda: self._fs.find(at, detail=True), absent={})
        return iter(
            sorted(
                Entry(key[root:], facts["size"], facts["LastModified"])
                for key, facts in found.items()
                if key.startswith(f"{at}/")  # not the folder itself, which some stores keep
            )
        )

    def _sync(self, call: Callable[..., Any], *given: Any, **arguments: Any) -> Any:
        return fsspec.asyn.sync(self._fs.loop, call, *given, **arguments)

    def _key(self, path: str) -> str:
        return f"{self._bucket}/{self._prefix}{path}"

    def _at(self, path: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}{path}"}

    def _ask(self, call: Callable[[], T], **otherwise: Any) -> T:
        """The call's answer, or `otherwise[changed | absent]`, or a StoreError in one sentence."""
        pauses = _pauses(self._patience)
        while True:
            try:
                return call()
            except Exception as error:
                failure = _Failure(error)
                if failure.kind in otherwise:
                    return otherwise[failure.kind]  # type: ignore[no-any-return]
                if failure.of_this_machine:
                    raise
                pause = next(pauses, None) if failure.passing else None
                if pause is None:
                    raise self._explained(failure) from error
                logger.warning(
                    "%s gave no usable answer (%s); trying again", self.uri, failure.first_line
                )
            time.sleep(pause)

    def _explained(self, failure: _Failure) -> StoreError:
        error = failure.error
        if isinstance(error, botocore.exceptions.NoCredentialsError):
            return StoreRefused(
                f"store {self.uri} needs credentials: set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY in the environment of this process"
            )
        if failure.code in REFUSED or isinstance(error, PermissionError):
            why = REFUSED.get(failure.code, "access was denied")
            kind = BucketMissing if failure.code == "NoSuchBucket" else StoreRefused
            return kind(f"store {self.uri} refused: {why}; check the credentials and name")
        if failure.passing:
            endpoint = self._fs.s3.meta.endpoint_url if self._fs._s3 else "its endpoint"
            return StoreUnreachable(
                f"store {self.uri} gave no usable answer at {endpoint} within "
                f"{self._patience:.0f} s ({failure.first_line}); check AWS_ENDPOINT_URL and "
                "whether the server runs (`hotfixr status`)"
            )
        return StoreError(f"store {self.uri}: {failure.first_line}")


def error_code(error: BaseException | None) -> str:
    """The S3 error code behind an exception; s3fs wraps it as an OSError's cause."""
    response = _response(error)
    return str(response.get("Error", {}).get("Code", ""))


def _response(error: BaseException | None) -> dict[str, Any]:
    while error is not None:
        if isinstance(error, botocore.exceptions.ClientError):
            return dict(error.response)
        error = error.__cause__
    return {}


class _Failure:
    """What went wrong with a request; s3fs wraps the server's answer as an OSError's cause."""

    def __init__(self, error: Exception) -> None:
        self.error, self.code = error, error_code(error)
        answer = _response(error).get("ResponseMetadata", {})
        self.status = int(answer.get("HTTPStatusCode", 0))

    @property
    def kind(self) -> str:
        """changed, absent, or failed."""
        if self.code in CHANGED:
            return "changed"
        nothing = self.code == "" and isinstance(self.error, FileNotFoundError)
        return "absent" if nothing or self.code in ABSENT else "failed"

    @property
    def passing(self) -> bool:
        """Whether the same request may go through later."""
        if self.code:
            return self.status >= 500 or self.status == 429 or self.code in PASSING
        return isinstance(self.error, NO_ANSWER)

    @property
    def of_this_machine(self) -> bool:
        """Whether the local disk is full, which is no fault of the store."""
        return isinstance(self.error, OSError) and self.error.errno in NO_SPACE

    @property
    def first_line(self) -> str:
        """The error in a few words."""
        text = str(self.error).strip() or type(self.error).__name__
        return text.splitlines()[0]


def _pauses(patience: float) -> Iterator[float]:
    """Growing pauses, each partly by chance, until so many seconds have passed since the first."""
    end = time.monotonic() + patience
    for attempt in itertools.count():
        left = end - time.monotonic()
        if left <= 0:
            return
        yield min(left, random.uniform(0.5, 1.0) * min(LONGEST_PAUSE, 0.4 * 2**attempt))
