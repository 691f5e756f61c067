"""What is written twice because Prefect needs it so says the same in both places."""

from pathlib import Path

import yaml

import deployments
from tasks.steps import STEPS


def test_every_step_has_a_deployment_in_each_pool_that_may_run_it() -> None:
    rows = yaml.safe_load((Path(deployments.__path__[0]) / "prefect.yaml").read_text())
    deployed = {
        (row["entrypoint"].rsplit(".", 1)[1].replace("_", "-"), row["work_pool"]["name"])
        for row in rows["deployments"]
        if row["entrypoint"].startswith("flows.steps.")
    }
    assert {step for step, pool in deployed if pool in {"cpu", "gpu"}} == set(STEPS)
    for step in ("generate-questions", "label-questions", "evaluate"):
        assert {(step, "cpu"), (step, "gpu")} <= deployed
