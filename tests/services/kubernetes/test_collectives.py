"""The tests of GPUs of an UltraServer in one ComputeDomain, and of EFA between Trainium nodes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.services.kubernetes.planned import files_of, objects_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support.outcomes import succeeded
from tests.support.scripts import programs
from tests.validators.kubernetes import kubernetes_violations

NVLINK, REDUCE = "smoke/h200-nvlink.yaml", "smoke/h200-all-reduce.yaml"
ULTRASERVER, TRAINIUM = SPECS["UltraServers"], SPECS["Trainium"]
CLAIMS = f"{ULTRASERVER}\nkubernetes: {{devices: dra}}"
BY_GPU = {
    "plugin": ULTRASERVER,
    "claims": CLAIMS,
    "KAI": f"{ULTRASERVER}\nkubernetes: {{devices: dra, admission: none, scheduler: kai}}",
}
TRN_CLAIMS = """kubernetes: {devices: dra}
node_groups: [{name: h200, instance_type: trn2.48xlarge, count: 4}]"""
BY_CHIP = {
    "Neuron's plugin": TRAINIUM,
    "claims of chips": TRN_CLAIMS,
    "Volcano": f"{TRAINIUM}\nkubernetes: {{scheduler: volcano, admission: none, jobs: none}}",
}
EVERY = {**BY_GPU, **BY_CHIP}
MODULES = {
    "torch/__init__.py": """
class Numbers:
    def __init__(self, value): self.value = value
    def cpu(self): return self
    def __eq__(self, other): return Numbers(self.value == other)
    def all(self): return self.value
def ones(count, device): return Numbers(1)
""",
    "torch/distributed.py": "def init_process_group(backend): assert backend == 'xla'",
    "torch_xla/__init__.py": "",
    "torch_xla/core/__init__.py": "",
    "torch_xla/core/xla_model.py": """
import os, torch
REDUCE_SUM = "sum"
def all_reduce(kind, data): return torch.Numbers(int(os.environ["TOTAL"]))
def mark_step(): pass
def wait_device_ops(): pass
def xla_device(): return "xla:0"
""",
    "torch_xla/distributed/__init__.py": "",
    "torch_xla/distributed/xla_backend.py": "",
    "torch_xla/runtime.py": "def global_ordinal(): return 0\ndef world_size(): return 64\n",
}
"""What the program uses of PyTorch and its XLA, of a world of 64 in which every sum is `TOTAL`."""


def parts(text: str, path: str) -> dict[str, Any]:
    return {item["kind"]: item for item in objects_of(text, path)}


def pod(text: str, path: str) -> Any:
    return parts(text, path)["Job"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", EVERY)
def test_the_service_accepts_it(name: str) -> None:
    version = plan_of(EVERY[name]).kubernetes.version
    assert kubernetes_violations(files_of(EVERY[name]), version) == []


@pytest.mark.parametrize("name", BY_GPU)
def test_the_pods_of_all_nodes_are_in_one_domain(name: str) -> None:
    made = parts(BY_GPU[name], NVLINK)
    template = made["ComputeDomain"]["spec"]["channel"]["resourceClaimTemplate"]["name"]
    claims = {each["name"]: each for each in pod(BY_GPU[name], NVLINK)["resourceClaims"]}
    assert claims["channel"]["resourceClaimTemplateName"] == template
    [container] = pod(BY_GPU[name], NVLINK)["containers"]
    assert {"name": "channel"} in container["resources"]["claims"]
    assert made["ComputeDomain"]["spec"]["numNodes"] == 18
    assert made["Job"]["spec"]["parallelism"] == 18
    assert len({item["metadata"]["namespace"] for item in made.values()}) == 1


DEVICES = [
    # Spec with a plugin, with claims, path, limits, claims.
    (ULTRASERVER, CLAIMS, NVLINK, {"nvidia.com/gpu": "4"}, ["h200-nvlink-channel"]),
    (
        *(TRAINIUM, TRN_CLAIMS, REDUCE),
        *({"aws.amazon.com/neuron": "16", "vpc.amazonaws.com/efa": "8"}, ["h200-efa"]),
    ),
]


@pytest.mark.parametrize(("text", "claiming", "path", "limits", "claims"), DEVICES)
def test_each_pod_has_all_devices_of_its_node(
    text: str, claiming: str, path: str, limits: dict[str, str], claims: list[str]
) -> None:
    [container] = pod(text, path)["containers"]
    assert container["resources"]["limits"] == limits
    named = [each["resourceClaimTemplateName"] for each in pod(claiming, path)["resourceClaims"]]
    assert named == ["h200-accelerators", *claims]


@pytest.mark.parametrize(("text", "path"), [(ULTRASERVER, NVLINK), (TRAINIUM, REDUCE)])
def test_pods_find_the_first_of_them(text: str, path: str) -> None:
    made = parts(text, path)
    service, name = made["Service"], made["Job"]["metadata"]["name"]
    assert pod(text, path)["subdomain"] == service["metadata"]["name"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": name}
    assert service["spec"]["clusterIP"] == "None"


def test_neuron_uses_efa_and_the_interface_of_the_pod() -> None:
    [container] = pod(TRAINIUM, REDUCE)["containers"]
    env = {each["name"]: each["value"] for each in container["env"]}
    assert (env["FI_PROVIDER"], env["CCOM_SOCKET_IFNAME"]) == ("efa", "eth0")
    assert container["securityContext"]["capabilities"]["add"] == ["IPC_LOCK"]


@pytest.mark.parametrize(("count", "expected"), [("18", 18), ("9", 9), ("36", 18)])
def test_the_test_is_of_one_ultraserver(count: str, expected: int) -> None:
    made = parts(ULTRASERVER.replace("count: 18", f"count: {count}"), NVLINK)
    assert made["Job"]["spec"]["completions"] == expected


def test_other_gpus_have_no_such_test() -> None:
    assert NVLINK not in files_of("")


OTHERS = [
    *(("trn1.32xlarge", "count: 1"), ("trn1.2xlarge", "count: 2")),
    *(("trn1.32xlarge", "efa: false"), ("inf2.48xlarge", "count: 2")),
]


@pytest.mark.parametrize(("type", "more"), OTHERS)
def test_one_node_and_nodes_without_efa_have_no_such_test(type: str, more: str) -> None:
    made = files_of(f"node_groups: [{{name: h200, instance_type: {type}, {more}}}]")
    assert REDUCE not in made
    assert "smoke/h200-nccom.yaml" in made


STUBS = {
    # The name of the first pod is known from the second try on.
    "getent": '[ -e "$HERE/known" ] || { touch "$HERE/known"; exit 2; }',
    "sleep": "",
    "torchrun": 'printf "%s\\n" "$@" >"$HERE/arguments"\ncp reduce.py "$HERE"',
}
STARTED = [
    # Spec, path, number of the pod, and what torchrun gets.
    (ULTRASERVER, NVLINK, "7", ["--nnodes=18", "--nproc-per-node=4"]),
    (TRAINIUM, REDUCE, "0", ["--nnodes=2", "--nproc-per-node=32"]),
]


def start(folder: Path, text: str, path: str, index: str) -> list[str]:
    """Run the script of a pod, whose torchrun keeps its arguments and the program."""
    programs(folder, STUBS)
    search = f"{folder}:{os.environ['PATH']}"
    environment = {"PATH": search, "HERE": str(folder), "JOB_COMPLETION_INDEX": index}
    subprocess.run(pod(text, path)["containers"][0]["command"], env=environment, check=True)
    return (folder / "arguments").read_text().splitlines()


@pytest.mark.parametrize(("text", "path", "index", "sizes"), STARTED)
def test_each_node_starts_its_processes_once_the_first_is_known(
    tmp_path: Path, text: str, path: str, index: str, sizes: list[str]
) -> None:
    name = Path(path).stem
    assert start(tmp_path, text, path, index)[:6] == [
        *(*sizes, "--rdzv-backend=c10d", f"--rdzv-id={name}"),
        f"--rdzv-endpoint={name}-0.{name}:29500",
        f"--rdzv-conf=is_host={int(index == '0')}",
    ]
    compile((tmp_path / "reduce.py").read_text(), "reduce.py", "exec")


def reduced(folder: Path, total: int) -> subprocess.CompletedProcess[str]:
    """The program of Trainium nodes, in one process."""
    assert start(folder, TRAINIUM, REDUCE, "0")[6:] == ["reduce.py"]
    for name, text in MODULES.items():
        (folder / "modules" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "modules" / name).write_text(text)
    paths = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder / "modules")}
    command = [sys.executable, str(folder / "reduce.py")]
    environment = {**paths, "TOTAL": str(total)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_all_cores_agree(tmp_path: Path) -> None:
    done = reduced(tmp_path, 64)
    succeeded(done)
    assert "64 NeuronCores agree" in done.stdout


def test_a_wrong_sum_fails(tmp_path: Path) -> None:
    done = reduced(tmp_path, 63)
    assert done.returncode == 1
    assert "rank 0: wrong sums of 1 MiB" in done.stderr
