"""The S3 server with the arguments of the compose file: which doors stand open to others."""

from __future__ import annotations

import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import s3fs

from tests.infra.reading import program, services
from tests.ports import free_port
from tests.waiting import wait_for

INNER = ("master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc")
# Another address of this machine, as another container has: 127.0.0.1 is the server's own.
OUTSIDE = "127.0.0.2"


class Server:
    """The process and its two ports on every address."""

    def __init__(self, folder: Path) -> None:
        self.service: dict[str, Any] = services(folder)["s3"]
        self.port, self.grpc = free_port(), free_port()
        ours = {"-dir=/var/lib/hotfixr": f"-dir={folder}", "-s3.port=8333": f"-s3.port={self.port}"}
        command = [program("weed"), *(ours.get(word, word) for word in self.service["command"][1:])]
        command += [f"-{name}.port{dot}{grpc}={free_port()}" for name, dot, grpc in
                    (one.partition(".") for one in INNER)]  # fmt: skip
        command.append(f"-s3.port.grpc={self.grpc}")
        own = {"PATH": os.environ["PATH"], "HOME": str(folder), **self.service["environment"]}
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(command, env=own, stdout=log, stderr=log, cwd=folder)

    def get(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://{OUTSIDE}:{self.port}{path}", timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("s3"))
    try:
        wait_for(lambda: server.get("/healthz") == 200, "the S3 server", 60)
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def test_the_health_check_is_the_path_that_answers(server: Server) -> None:
    assert ":8333/healthz" in server.service["healthcheck"]["test"][3]


def test_whoever_has_no_key_is_refused(server: Server) -> None:
    assert server.get("/") == 403 and server.get("/hotfixr") == 403


def test_nothing_but_s3_listens_beyond_the_servers_own_loopback(server: Server) -> None:
    family = [server.process, *psutil.Process(server.process.pid).children(recursive=True)]
    listening = [
        connection.laddr
        for one in family
        for connection in psutil.Process(one.pid).net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) == 8
    # Its gRPC port goes with it; no port of the file publishes that.
    assert {at.port for at in listening if at.ip != "127.0.0.1"} == {server.port, server.grpc}
    assert [port["target"] for port in server.service["ports"]] == [8333]


def test_the_generated_keys_open_it(server: Server) -> None:
    own = server.service["environment"]
    files = s3fs.S3FileSystem(
        key=own["AWS_ACCESS_KEY_ID"],
        secret=own["AWS_SECRET_ACCESS_KEY"],
        endpoint_url=f"http://{OUTSIDE}:{server.port}",
        skip_instance_cache=True,
    )
    files.call_s3("create_bucket", Bucket="hotfixr")

    def written() -> bool:
        try:
            files.pipe_file("hotfixr/store/object", b"content")
        except OSError:  # the bucket answers before the volumes behind it do
            return False
        return bool(files.cat_file("hotfixr/store/object") == b"content")

    wait_for(written, "the first object", 60)
