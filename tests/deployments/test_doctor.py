"""Every fault that doctor knows, really caused; the faultless stack is in test_cli."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import WorkPoolUpdate
from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings
from prefect.states import Running
from prefect.workers.process import ProcessWorker

from deployments.bootstrap import deploy_all, make_pools
from deployments.doctor import examine
from deployments.examinations import examinations
from deployments.stack import Stack
from flows.here import run_node, write_node
from flows.pipeline import pipeline
from tasks.artifacts.store import open_store
from tasks.findings import Finding
from tasks.models.cache import model_folder
from tasks.read_recipe import read_recipe
from tasks.runs import start_run
from tests.deployments.test_cli import HOTFIXR
from tests.flows.running import client
from tests.ports import free_port
from tests.silent import Silent
from tests.waiting import wait_for


def bad(found: Iterator[Finding] | list[Finding]) -> dict[str, str]:
    """What is BAD, and all that is said of it."""
    wrong: dict[str, str] = {}
    for one in found:
        if one.level == "BAD":
            assert one.mend, one
            wrong[one.what] = f"{wrong.get(one.what, '')}{one.found}; {one.mend}\n"
    return wrong


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prefect server as it comes: nobody is asked who he is, and nothing was deployed."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    url = f"http://127.0.0.1:{port}"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    own = {"PREFECT_HOME": str(folder), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    command = [sys.executable, "-m", "prefect", "server", "start", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=clean | own, stdout=log, stderr=log)
    try:
        wait_for(lambda: answers(f"{url}/api/health"), "a server", 120)
        yield f"{url}/api"
    finally:
        process.terminate()
        process.wait(30)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.fixture
def at_server(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SyncPrefectClient]:
    """This process as a client of that server."""
    monkeypatch.setenv("PREFECT_API_URL", server)
    monkeypatch.delenv("PREFECT_API_AUTH_STRING")
    changed = {PREFECT_API_URL: server, PREFECT_API_AUTH_STRING: None}
    with temporary_settings(changed), client() as api:  # type: ignore[arg-type]
        yield api


def at_url(url: str) -> dict[str, str]:
    with temporary_settings({PREFECT_API_URL: url}):
        return bad(examine(workers=False))


def test_a_server_that_does_not_answer(s3_stack: Stack) -> None:
    said = at_url(f"http://127.0.0.1:{free_port()}/api")
    assert "ConnectError; " in said["Prefect server"]


def test_a_server_of_another_version(s3_stack: Stack) -> None:
    class Old(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path.endswith("/admin/version") else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'"3.1.0"')

        def do_POST(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Old) as old:
        threading.Thread(target=old.serve_forever, daemon=True).start()
        said = at_url(f"http://127.0.0.1:{old.server_port}/api")
        old.shutdown()
    assert "runs 3.1.0, this process 3.9" in said["Prefect server"]


def test_a_bare_server(s3_stack: Stack, at_server: SyncPrefectClient) -> None:
    said = bad(examine(workers=False))
    assert said.pop("authentication").startswith("a call without the string gets 200; set ")
    assert "CORS_ALLOWED_ORIGINS" in said.pop("allowed origins")
    assert "hotfixr/control" in said.pop("deployments")
    assert said == {f"work pool {name}": "missing; hotfixr deploy\n" for name in POOLS}


POOLS = ("control", "cpu", "gpu")


def test_what_is_paused_loose_or_without_a_worker(
    s3_stack: Stack, at_server: SyncPrefectClient
) -> None:
    make_pools()
    deploy_all()
    template = ProcessWorker.get_default_base_job_template()
    at_server.update_work_pool(
        "control", WorkPoolUpdate(is_paused=True, base_job_template=template)
    )
    queues = {queue.name: queue for queue in at_server.read_work_queues("cpu")}
    at_server.update_work_queue(queues["long"].id, is_paused=True)
    said = bad(examine())
    assert "deployments" not in said and "queue default of cpu" not in said
    assert "paused; prefect work-pool resume control" in said["work pool control"]
    assert "may give its command, env, working_dir; " in said["work pool control"]
    assert said["queue long of cpu"] == "paused; prefect work-queue resume long --pool cpu\n"
    assert "no worker is online; hotfixr up, or" in said["work pool gpu"]
    at_server.update_work_pool("control", WorkPoolUpdate(is_paused=False))
    at_server.update_work_queue(queues["long"].id, is_paused=False)
    make_pools()
    assert set(bad(examine())) == {
        "authentication", "allowed origins", *(f"work pool {name}" for name in POOLS)
    }  # fmt: skip


@pytest.fixture
def worker(
    at_server: SyncPrefectClient, s3_stack: Stack, tmp_path: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with another version of the package, and with a key that is not the store's."""
    other = tmp_path / "hotfixr_flows-9.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: hotfixr-flows\nVersion: 9.9\n")
    make_pools()
    deploy_all()
    own = {
        "PYTHONPATH": str(tmp_path),
        "AWS_SECRET_ACCESS_KEY": "wrong",
        "PREFECT_WORKER_HEARTBEAT_SECONDS": "1",
        "PREFECT_WORKER_QUERY_SECONDS": "1",
    }
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "cpu"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--name", "odd", "--type", "process"],
            env=os.environ | own, cwd=tmp_path, stdout=log, stderr=log,
        )  # fmt: skip
    yield process
    process.kill()
    process.wait()


def test_a_worker_that_is_odd_and_then_dead(
    at_server: SyncPrefectClient, worker: subprocess.Popen[bytes]
) -> None:
    def online() -> bool:
        return "work pool cpu" not in bad(examine(workers=False))

    wait_for(online, "a worker", 60)
    said = {
        what.partition(": ")[2]: found for what, found in bad(examine()).items() if ": " in what
    }
    assert said["hotfixr-flows"].startswith("9.9, here 0.")
    assert "AWS_SECRET_ACCESS_KEY is not the one of this key; " in said["artifact store"]
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    [dead] = examinations(at_server, ["cpu"], "", patience=3)
    assert "no worker took a run, though" in bad(dead.findings)["examination"]
    deployment = at_server.read_deployment_by_name("examine-worker/cpu")
    busy = at_server.create_flow_run_from_deployment(deployment.id).id
    at_server.set_flow_run_state(busy, Running(), force=True)
    [waits] = examinations(at_server, ["cpu"], "", patience=1)
    assert bad(waits.findings) == {} and "busy" in waits.findings[0].found
    wait_for(lambda: not online(), "the worker to be missed", 90)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HOTFIXR_STORE", "s3://no-such-bucket-here/store", "no such bucket; check the credentials "
         "and name; hotfixr deploy makes it"),
        ("AWS_SECRET_ACCESS_KEY", "wrong", "not the one of this key; check the credentials and "
         "name; give this process the store's own key"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", "gave no usable answer at http://127.0.0.1:9"),
        ("HOTFIXR_STORE", "", "no artifact store is set"),
    ],
)  # fmt: skip
def test_a_store_that_cannot_be_used(
    s3_stack: Stack, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert said in at_url("http://127.0.0.1:9/api")["artifact store"]


def test_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    small = f"mount -t tmpfs -o size=1m none {disk} && exec {HOTFIXR} doctor --no-workers"
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", small]
    own = {"TMPDIR": str(disk), "HOTFIXR_CACHE": f"{disk}/cache", "PREFECT_API_URL": ""}
    store = {"HOTFIXR_STORE": f"file://{disk}/store"}
    done = subprocess.run(
        command, env=os.environ | own | store, capture_output=True, text=True, timeout=120
    )
    if "Operation not permitted" in done.stderr or "ermission denied" in done.stderr:
        pytest.skip("no disk can be mounted here")
    for what in ("models", "scratch", "the store"):
        where = "for" if what != "the store" else "of"
        assert f"BAD  disk {where} {what}: 0.0 GiB free below {disk}" in done.stdout
    assert "or set TMPDIR to a larger disk" in done.stdout


def look(recipe: Path) -> dict[str, tuple[str, str]]:
    from flows.examine import look_at_recipe

    return {one.what: (one.level, one.found) for one in look_at_recipe(str(recipe))}


def test_models_and_data_that_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTFIXR_STORE", f"file://{tmp_path}/store")
    monkeypatch.setenv("HOTFIXR_CACHE", str(tmp_path / "cache"))
    recipe = tmp_path / "mine.yaml"
    raw = {
        "name": "mine",
        "student": "bundled:tiny-random",
        "teacher": "file:/nowhere/model",
        "machine": {"engine": "transformers", "dtype": "float32", "device": "cpu", "context": 64},
        "form": "completion",
        "benchmarks": [
            {"name": "facts", "items": 2},
            {"name": "mgsm", "source": f"file://{tmp_path}/nothing"},
        ],
    }
    recipe.write_text(json.dumps(raw))
    found = look(recipe)
    tiny = "model bundled:tiny-random"
    assert found["data of facts"] == ("ok", "bundled can be read")
    assert found["data of mgsm"][0] == "BAD" and "nothing" in found["data of mgsm"][1]
    assert found["model file:/nowhere/model"][0] == "BAD"
    assert found[tiny] == ("note", "not in the store yet")

    store = open_store(f"file://{tmp_path}/store")
    start_run(store, "one", "one", {}, [])
    [node] = [one for one in pipeline(read_recipe("smoke")) if one.step == "prepare-models"]
    made = run_node(store, "one", node, write_node(store, "one", node, {}), Silent(), False)
    assert (
        look(recipe)[tiny][0] == "note" and "not in this machine's cache" in look(recipe)[tiny][1]
    )
    model_folder(store, made.parts["bundled:tiny-random"])
    assert look(recipe)[tiny] == ("ok", "in the store and in this machine's cache")
    assert look(tmp_path / "no.yaml")[f"recipe {tmp_path}/no.yaml"][0] == "BAD"
