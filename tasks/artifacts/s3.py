"""Artifacts in S3 or anything that speaks it, through s3fs and without its listing caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import botocore.exceptions
import fsspec.asyn
import s3fs

from tasks.artifacts.store import Tagged
from tasks.errors import StoreError, StoreRefused, StoreUnreachable

T = TypeVar("T")
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
NO_ANSWER = (
    botocore.exceptions.HTTPClientError,
    botocore.exceptions.EndpointConnectionError,
    ConnectionError,
    TimeoutError,
)


class S3Store:
    """Objects below `s3://bucket/prefix`; credentials and endpoint come from the environment."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")
        self._bucket, _, prefix = self.uri.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix}/" if prefix else ""
        # Instances are not shared: a process that was started anew must not inherit a session.
        self._fs = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)

    def get(self, path: str) -> Tagged | None:
        """The object, or None where there is none."""

        def call() -> Tagged | None:
            return cast(Tagged, fsspec.asyn.sync(self._fs.loop, self._get, path))

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
            answer = self._fs.call_s3("put_object", **self._at(path), Body=data, **condition)
            return str(answer["ETag"])

        return self._ask(call, changed=None, absent=None)

    def delete(self, path: str, etag: str | None = None) -> bool:
        """Remove it (only the bytes that `etag` names, if given); whether it was removed."""
        condition = {"IfMatch": etag} if etag else {}

        def call() -> bool:
            self._fs.call_s3("delete_object", **self._at(path), **condition)
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
        root = len(f"{self._bucket}/{self._prefix}")
        found = self._ask(lambda: self._fs.find(self._key(prefix.rstrip("/"))), absent=[])
        return iter(sorted(key[root:] for key in found))

    def _key(self, path: str) -> str:
        return f"{self._bucket}/{self._prefix}{path}"

    def _at(self, path: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}{path}"}

    def _ask(self, call: Callable[[], T], **otherwise: Any) -> T:
        """The call's answer, or `otherwise[changed | absent]`, or a StoreError in one sentence."""
        try:
            return call()
        except Exception as error:
            code = error_code(error)
            if code in CHANGED and "changed" in otherwise:
                return otherwise["changed"]  # type: ignore[no-any-return]
            absent = code in ABSENT or (code == "" and isinstance(error, FileNotFoundError))
            if absent and "absent" in otherwise:
                return otherwise["absent"]  # type: ignore[no-any-return]
            raise self._explained(error, code) from error

    def _explained(self, error: Exception, code: str) -> StoreError:
        if isinstance(error, botocore.exceptions.NoCredentialsError):
            return StoreRefused(
                f"store {self.uri} needs credentials: set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY in the environment of this process"
            )
        if code in REFUSED or isinstance(error, PermissionError):
            why = REFUSED.get(code, "access was denied")
            return StoreRefused(f"store {self.uri} refused: {why}; check the credentials and name")
        if isinstance(error, NO_ANSWER) or code.startswith("5") or code in {"SlowDown", ""}:
            endpoint = self._fs.s3.meta.endpoint_url if self._fs._s3 else "its endpoint"
            return StoreUnreachable(
                f"store {self.uri} gave no usable answer at {endpoint} ({_first_line(error)}); "
                "check AWS_ENDPOINT_URL and whether the server runs (`hotfixr status`)"
            )
        return StoreError(f"store {self.uri}: {_first_line(error)}")


def error_code(error: BaseException | None) -> str:
    """The S3 error code behind an exception; s3fs wraps it as an OSError's cause."""
    while error is not None:
        if isinstance(error, botocore.exceptions.ClientError):
            return str(error.response.get("Error", {}).get("Code", ""))
        error = error.__cause__
    return ""


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
