"""The shipped bucket policy on the real S3 server: enough for whole runs, and for nothing else."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import s3fs

from deployments.stack import HOST, Stack
from flows.here import run_here
from tasks.artifacts.store import open_store
from tasks.read_recipe import read_recipe
from tasks.runs import recorded_step
from tests.ports import free_port
from tests.silent import Silent

POLICY = Path(__file__).parents[2] / "infra" / "s3-policy.json"
KEY, SECRET = "worker-key", "a secret of the worker alone"


class TwoIdentities(Stack):
    """An S3 server that also knows a worker, who may do nothing by itself."""

    def _identities(self) -> list[dict[str, Any]]:
        keys = {"accessKey": KEY, "secretKey": SECRET}
        worker = {"name": "worker", "credentials": [keys], "actions": []}
        return [*super()._identities(), worker]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    stack = TwoIdentities(tmp_path_factory.mktemp("two") / "stack")
    stack.create({name: free_port() for name in ("prefect", "s3", "reports")})
    try:
        stack.start_s3()
        admin = files(stack, stack.settings["access_key"], stack.settings["secret_key"])
        admin.call_s3("create_bucket", Bucket="other")
        for path in ("other/mine", "hotfixr/outside"):
            admin.pipe_file(path, b"not the worker's")
        refused(lambda: files(stack, KEY, SECRET).pipe_file("hotfixr/store/early", b"x"))
        admin.call_s3("put_bucket_policy", Bucket="hotfixr", Policy=POLICY.read_text())
        yield stack
    finally:
        stack.down()


def address(stack: Stack) -> str:
    return f"http://{HOST}:{stack.settings['s3']}"


def files(stack: Stack, key: str, secret: str) -> s3fs.S3FileSystem:
    return s3fs.S3FileSystem(
        key=key, secret=secret, endpoint_url=address(stack), skip_instance_cache=True
    )


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(PermissionError):
        call()


def test_a_worker_computes_a_whole_run(server: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", address(server))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    store = open_store("s3://hotfixr/store")
    small = {"benchmarks": [{"name": "sums", "items": 4}], "languages": ["en", "de"]}
    run = run_here(store, read_recipe("simulated", small), Silent())
    assert recorded_step(store, run, "report", "main") is not None


LARGE = b"x" * (60 << 20)  # more than one piece
LIFE = {"Rules": [{"ID": "all", "Status": "Enabled", "Filter": {"Prefix": ""},
                   "Expiration": {"Days": 1}}]}  # fmt: skip


def test_a_worker_writes_in_pieces_and_deletes(server: Stack) -> None:
    worker = files(server, KEY, SECRET)
    worker.pipe_file("hotfixr/store/large", LARGE)
    assert worker.find("hotfixr/store/large") == ["hotfixr/store/large"]
    worker.rm_file("hotfixr/store/large")
    assert not worker.exists("hotfixr/store/large")


@pytest.mark.parametrize(
    "attempt",
    [
        lambda worker: worker.cat_file("hotfixr/outside"),
        lambda worker: worker.pipe_file("hotfixr/elsewhere", b"x"),
        lambda worker: worker.rm_file("hotfixr/outside"),
        lambda worker: worker.cat_file("other/mine"),
        lambda worker: worker.pipe_file("other/more", b"x"),
        lambda worker: worker.call_s3("create_bucket", Bucket="another"),
        lambda worker: worker.call_s3("delete_bucket", Bucket="hotfixr"),
        lambda worker: worker.call_s3(
            "put_bucket_lifecycle_configuration", Bucket="hotfixr", LifecycleConfiguration=LIFE
        ),
        lambda worker: worker.call_s3(
            "put_bucket_policy", Bucket="hotfixr", Policy=POLICY.read_text()
        ),
    ],
)
def test_a_worker_may_do_nothing_else(
    server: Stack, attempt: Callable[[s3fs.S3FileSystem], object]
) -> None:
    refused(lambda: attempt(files(server, KEY, SECRET)))


@pytest.mark.parametrize("path", ["hotfixr/outside", "other/mine", "hotfixr", ""])
def test_nobody_comes_in_without_a_key(server: Stack, path: str) -> None:
    assert httpx.get(f"{address(server)}/{path}").status_code == 403
    assert httpx.put(f"{address(server)}/hotfixr/store/{path}x", content=b"x").status_code == 403


@pytest.mark.parametrize("door", ["filer", "volume"])
def test_the_servers_inner_doors_take_no_files(server: Stack, door: str) -> None:
    at = f"http://{HOST}:{server.settings[door]}/buckets/hotfixr/store/planted"
    assert httpx.put(at, content=b"x").status_code in {400, 401, 403, 404, 405}
    assert not files(server, KEY, SECRET).exists("hotfixr/store/planted")


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"


def greeted(server: Stack, door: str, certificate: bool) -> bool:
    """Whether a gRPC port goes on after the handshake, with its certificate or with none."""
    ours = server.folder / "inner.crt", server.folder / "inner.key"
    context = ssl.create_default_context(cafile=ours[0])
    context.check_hostname = False
    context.set_alpn_protocols(["h2"])
    if certificate:
        context.load_cert_chain(*ours)
    at = (HOST, int(server.settings[f"{door}.grpc"]))
    try:
        with socket.create_connection(at, 5) as bare, context.wrap_socket(bare) as secured:
            secured.sendall(PREFACE)
            return bool(secured.recv(64))
    except OSError:
        return False


@pytest.mark.parametrize("door", ["master", "volume", "filer", "s3"])
def test_the_servers_parts_talk_to_nobody_without_their_certificate(
    server: Stack, door: str
) -> None:
    assert greeted(server, door, certificate=True)
    assert not greeted(server, door, certificate=False)
    with socket.create_connection((HOST, int(server.settings[f"{door}.grpc"])), 5) as bare:
        bare.sendall(PREFACE)
        assert bare.recv(64) == b""  # not even in the clear
    for secret in ("inner.key", "inner.crt", "s3.json", "stack.json"):
        assert (server.folder / secret).stat().st_mode & 0o077 == 0
