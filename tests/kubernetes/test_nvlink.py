"""The test of an UltraServer: GPUs of several nodes in one ComputeDomain."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.planned import files_of, objects_of, plan_of
from tests.kubernetes.specs import SPECS
from tests.oracles.kubernetes import kubernetes_violations

PATH = "smoke/h200-nvlink.yaml"
ULTRASERVER = SPECS["UltraServers"]
CLAIMS = f"{ULTRASERVER}\nkubernetes: {{devices: dra}}"
KAI = f"{ULTRASERVER}\nkubernetes: {{devices: dra, admission: none, scheduler: kai}}"
BY_GPU = {"plugin": ULTRASERVER, "claims": CLAIMS, "KAI": KAI}


def parts(text: str) -> dict[str, Any]:
    return {item["kind"]: item for item in objects_of(text, PATH)}


def pod(text: str) -> Any:
    return parts(text)["Job"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", BY_GPU)
def test_the_pods_of_all_nodes_are_in_one_domain(name: str) -> None:
    made = parts(BY_GPU[name])
    template = made["ComputeDomain"]["spec"]["channel"]["resourceClaimTemplate"]["name"]
    claims = {each["name"]: each for each in pod(BY_GPU[name])["resourceClaims"]}
    assert claims["channel"]["resourceClaimTemplateName"] == template
    [container] = pod(BY_GPU[name])["containers"]
    assert {"name": "channel"} in container["resources"]["claims"]
    assert made["ComputeDomain"]["spec"]["numNodes"] == 18
    assert made["Job"]["spec"]["parallelism"] == 18
    assert {item["metadata"]["namespace"] for item in made.values()} == {
        made["Job"]["metadata"]["namespace"]
    }


def test_each_pod_has_all_gpus_of_its_node() -> None:
    assert pod(ULTRASERVER)["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "4"}
    named = [each["resourceClaimTemplateName"] for each in pod(CLAIMS)["resourceClaims"]]
    assert named == ["h200-accelerators", "h200-nvlink-channel"]


@pytest.mark.parametrize("name", BY_GPU)
def test_the_service_accepts_it(name: str) -> None:
    version = plan_of(BY_GPU[name]).kubernetes.version
    assert kubernetes_violations(files_of(BY_GPU[name]), version) == []


def test_pods_find_the_first_of_them() -> None:
    made = parts(ULTRASERVER)
    name = made["Service"]["metadata"]["name"]
    assert pod(ULTRASERVER)["subdomain"] == name
    assert made["Service"]["spec"]["selector"] == {
        "batch.kubernetes.io/job-name": made["Job"]["metadata"]["name"]
    }
    assert made["Service"]["spec"]["clusterIP"] == "None"


NODES = [("18", 18), ("9", 9), ("36", 18)]


@pytest.mark.parametrize(("count", "expected"), NODES)
def test_the_test_is_of_one_ultraserver(count: str, expected: int) -> None:
    made = parts(ULTRASERVER.replace("count: 18", f"count: {count}"))
    assert made["Job"]["spec"]["completions"] == expected


def test_other_gpus_have_no_such_test() -> None:
    assert PATH not in files_of("")


STUBS = {
    "getent": '#!/bin/bash\n[ -e "$HERE/known" ] || { touch "$HERE/known"; exit 2; }\n',
    "sleep": "#!/bin/bash\n",
    "torchrun": '#!/bin/bash\nprintf "%s\\n" "$@" >"$HERE/arguments"\ncp reduce.py "$HERE"\n',
}


def test_each_node_starts_its_processes_once_the_first_is_known(tmp_path: Path) -> None:
    for name, text in STUBS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    [bash, options, script] = pod(ULTRASERVER)["containers"][0]["command"]
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HERE": str(tmp_path),
        "JOB_COMPLETION_INDEX": "7",
    }
    done = subprocess.run([bash, options, script], env=environment, check=False)
    assert done.returncode == 0
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert arguments[:6] == [
        "--nnodes=18",
        "--nproc-per-node=4",
        "--rdzv-backend=c10d",
        "--rdzv-id=h200-nvlink",
        "--rdzv-endpoint=h200-nvlink-0.h200-nvlink:29500",
        "--rdzv-conf=is_host=0",
    ]
    compile((tmp_path / "reduce.py").read_text(), "reduce.py", "exec")
