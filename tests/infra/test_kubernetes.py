"""The manifests and the job template, by the schemas of Kubernetes and by Prefect's own worker."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import kubernetes_validate
import pytest
import yaml
from prefect.client.schemas.objects import FlowRun
from prefect_kubernetes.worker import KubernetesWorkerJobConfiguration

from deployments import bootstrap
from deployments.stack import Stack
from tests.flows.running import client
from tests.infra.reading import KUBERNETES, broken, containers, manifests, pod_specs

SCHEMAS = "1.37"
POOL = KUBERNETES / "gpu-pool.json"


def refused(manifest: dict[str, Any]) -> bool:
    try:
        kubernetes_validate.validate(manifest, SCHEMAS, strict=True)
    except kubernetes_validate.ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    "manifest", list(manifests()), ids=lambda one: f"{one['kind']}/{one['metadata']['name']}"
)
def test_the_schema_accepts_every_object(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, SCHEMAS, strict=True)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("prefect.yaml", "containerPort: 4200", "containerPort: http"),
        ("prefect.yaml", "replicas: 1", "replica: 1"),
        ("prefect.yaml", "valueFrom:", "valuesFrom:"),
        ("postgres.yaml", "serviceName: postgres", "serviceName: [postgres]"),
        ("workers.yaml", "periodSeconds: 5", "periodSeconds: often"),
        ("workers.yaml", "envFrom:", "envfrom:"),
        ("access.yaml", "verbs: [get, list, watch]", "verbs: get"),
        ("bootstrap.yaml", "restartPolicy: Never", "restartPolicies: Never"),
    ],
)
def test_the_schema_refuses_a_broken_copy(tmp_path: Path, file: str, old: str, new: str) -> None:
    copy = broken(KUBERNETES / file, tmp_path, old, new)
    assert any(refused(one) for one in yaml.safe_load_all(copy.read_text()))


def test_every_manifest_is_applied_but_the_template_of_secrets() -> None:
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())
    there = {file.name for file in KUBERNETES.glob("*.yaml")}
    apart = {"kustomization.yaml", "secrets.template.yaml", "secrets.yaml"}
    assert set(kustomization["resources"]) == there - apart
    assert kustomization["configMapGenerator"][0]["files"] == [POOL.name]


def test_the_template_of_secrets_holds_no_value() -> None:
    values = [one["stringData"] for one in manifests() if one["kind"] == "Secret"]
    assert len(values) == 5 and not any("".join(one.values()) for one in values)


def test_every_name_that_is_referred_to_is_defined() -> None:
    defined = {(one["kind"], one["metadata"]["name"]) for one in manifests()}
    defined.add(("ConfigMap", "gpu-pool"))
    text = "\n".join(map(json.dumps, manifests())) + json.dumps(json.loads(POOL.read_text()))
    kinds = {"secretRef": "Secret", "secretKeyRef": "Secret", "configMapRef": "ConfigMap"}
    found = re.findall(r'"(secretRef|secretKeyRef|configMapRef)": \{"name": "([\w-]+)"', text)
    assert len(found) > 15
    assert {(kinds[kind], name) for kind, name in found} <= defined
    accounts = re.findall(r'"serviceAccountName": "([\w-]+)"', text)
    assert {("ServiceAccount", name) for name in accounts} <= defined


def test_services_and_policies_select_pods_that_are_there() -> None:
    labels = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in manifests()
        if one["kind"] in {"Deployment", "StatefulSet"}
    ]
    for one in manifests():
        spec = one.get("spec", {})
        if one["kind"] == "Service":
            assert spec["selector"] in labels
        if one["kind"] in {"Deployment", "StatefulSet"}:
            assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
        if one["kind"] == "NetworkPolicy":
            assert spec["podSelector"]["matchLabels"] in labels


def hardened(pod: dict[str, Any]) -> None:
    """What the namespace's rule `restricted` wants of a pod."""
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    volumes = {volume["name"] for volume in pod.get("volumes", [])} | {"data"}
    for one in [*pod.get("initContainers", []), *pod["containers"]]:
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["name"] for mount in one.get("volumeMounts", [])} <= volumes


def test_every_pod_is_what_the_namespace_admits() -> None:
    found = dict(pod_specs())
    assert len(found) == 7
    for pod in found.values():
        hardened(pod)


def test_every_container_states_what_it_needs_and_every_server_is_probed() -> None:
    for name, one in containers():
        for kind in ("requests", "limits"):
            assert {"cpu", "memory"} <= set(one["resources"][kind]), name
        if not name.startswith("Job/"):
            assert {"startupProbe", "livenessProbe"} <= set(one), name


def rendered(values: dict[str, Any], template: Path = POOL) -> dict[str, Any]:
    """The job that Prefect's worker makes of the template for one run."""
    loaded = json.loads(template.read_text())
    make = KubernetesWorkerJobConfiguration.from_template_and_values

    async def job() -> dict[str, Any]:
        async with client_of_no_blocks() as api:
            configuration = await make(loaded, values, client=api)
        run = FlowRun(id=uuid4(), name="evaluate-base of a run", flow_id=uuid4())
        configuration.prepare_for_flow_run(run)
        return dict(configuration.job_manifest)

    manifest = asyncio.run(job())
    pod = manifest["spec"]["template"]["spec"]
    # Prefect insists on these two; they belong elsewhere, and a cluster leaves them out.
    assert (pod.pop("parallelism"), pod.pop("completions")) == (1, 1)
    return manifest


def client_of_no_blocks() -> Any:
    from prefect.client.orchestration import get_client

    return get_client()


def test_a_run_of_the_gpu_pool_is_a_valid_job_with_devices(stack: Stack) -> None:
    manifest = rendered({"gpus": 2, "memory": "64Gi"})
    kubernetes_validate.validate(manifest, SCHEMAS, strict=True)
    pod = manifest["spec"]["template"]["spec"]
    hardened(pod)
    (container,) = pod["containers"]
    assert container["args"] == ["prefect", "flow-run", "execute"]
    assert container["resources"]["limits"] == {"memory": "64Gi", "nvidia.com/gpu": 2}
    assert rendered({})["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] == {
        "memory": "32Gi",
        "nvidia.com/gpu": 1,
    }


def test_a_broken_template_is_no_valid_job(stack: Stack, tmp_path: Path) -> None:
    copy = broken(POOL, tmp_path, '"backoffLimit"', '"backoff"')
    assert refused(rendered({}, copy))


def test_nobody_can_put_a_command_or_an_image_into_the_job() -> None:
    offered = set(json.loads(POOL.read_text())["variables"]["properties"])
    assert offered == {"gpus", "cpu", "memory"}
    assert set(re.findall(r"\{\{ (\w+) \}\}", POOL.read_text())) == offered


def test_the_pool_is_made_from_the_template_and_left_alone_by_bootstrap(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess
    import sys

    name = f"gpu-{uuid4().hex[:6]}"
    job = next(one for one in manifests() if one["kind"] == "Job")
    (making,) = job["spec"]["template"]["spec"]["initContainers"]
    command = [sys.executable, "-m", *making["command"], *making["args"]]
    given = {"gpu": name, "/etc/hotfixr/gpu-pool.json": str(POOL)}
    command = [given.get(word, word) for word in command]
    monkeypatch.setattr(bootstrap, "POOLS", (bootstrap.Pool(name, 1, "described"),))
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        bootstrap.make_pools()
    with client() as api:
        pool = api.read_work_pool(name)
        assert (pool.type, pool.description) == ("kubernetes", "described")
        assert pool.base_job_template == json.loads(POOL.read_text())
        api.delete_work_pool(name)
