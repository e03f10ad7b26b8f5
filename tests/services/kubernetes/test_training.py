"""Job templates: torchrun over the nodes of a group, with the devices that EC2 says they have."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup
from clustergen.services.kubernetes import kueue, training
from tests.services.kubernetes.planned import files_of, objects_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support.outcomes import succeeded
from tests.support.scripts import bash, programs
from tests.validators.instance_types import all_types
from tests.validators.kubernetes import pod_templates

OPERATORS = ("mpi-operator", "kubeflow-trainer")
CORES = {"trn1.32xlarge": 32, "trn2.48xlarge": 64}
"""Logical Neuron cores, on which torchrun starts a process each: two on a chip, or four of Trn2.

https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/
"""


def objects(text: str, group: str = "h200") -> list[Json]:
    return objects_of(text, f"jobs/{group}-torchrun.yaml")


def job_of(text: str, group: str = "h200") -> Json:
    """The Job or TrainJob of a group."""
    return objects(text, group)[-1]


def container_of(text: str, group: str = "h200") -> Json:
    """The container of its pods."""
    [pod] = [template["spec"] for template in pod_templates(objects(text, group))]
    [container] = pod["containers"]
    return dict(container)


def variables(container: Json) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["env"]}


def shape(job: Json) -> tuple[int, int]:
    """Nodes and processes on each, as the job asks for them."""
    spec = job["spec"]
    if job["kind"] == "TrainJob":
        return spec["trainer"]["numNodes"], spec["trainer"]["numProcPerNode"]
    [container] = spec["template"]["spec"]["containers"]
    words = container["command"][2].split()
    nodes, processes = (
        int(next(word for word in words if word.startswith(f"--{name}=")).partition("=")[2])
        for name in ("nnodes", "nproc-per-node")
    )
    assert spec["completions"] == spec["parallelism"] == nodes
    return nodes, processes


def devices(container: Json) -> dict[str, int]:
    """Devices that a pod requests by number."""
    wanted = container["resources"]["limits"]
    assert wanted == container["resources"]["requests"]
    return {name: int(count) for name, count in wanted.items() if "/" in name}


def expected(group: NodeGroup) -> tuple[dict[str, int], int]:
    """Devices of a node by EC2's own facts, and the processes for them."""
    facts: Mapping[str, Any] = all_types()[group.type.name]
    gpus = sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", ()))
    chips = sum(one["Count"] for one in facts.get("NeuronInfo", {}).get("NeuronDevices", ()))
    efa = sum(interface.type != "interface" for interface in group.interfaces)
    found = {"nvidia.com/gpu": gpus, "aws.amazon.com/neuron": chips, "vpc.amazonaws.com/efa": efa}
    processes = gpus or CORES.get(group.type.name, 0)
    return {name: count for name, count in found.items() if count}, processes


WHOLE = [
    (name, group.name)
    for name in SPECS
    for group in training.groups(plan_of(SPECS[name]))
    if group.type.name in all_types() and not group.mig
]


@pytest.mark.parametrize(("spec", "name"), WHOLE)
def test_a_job_uses_all_nodes_and_all_devices_of_each(spec: str, name: str) -> None:
    plan = plan_of(SPECS[spec])
    [group] = [group for group in plan.node_groups if group.name == name]
    wanted, processes = expected(group)
    assert shape(job_of(SPECS[spec], name)) == (group.max, processes)
    container = container_of(SPECS[spec], name)
    if plan.kubernetes.devices == "plugin":
        assert devices(container) == wanted
    # Its processes turn them off, and queues may have no quota for them.
    assert "hugepages-2Mi" not in container["resources"]["limits"]
    if group.efa_interfaces:
        assert variables(container)["FI_EFA_USE_HUGE_PAGE"] == "0"
    assert (variables(container).get("FI_PROVIDER") == "efa") == bool(group.efa_interfaces)


@pytest.mark.parametrize("name", SPECS)
def test_every_group_with_accelerators_has_a_job(name: str) -> None:
    plan = plan_of(SPECS[name])
    groups = {group.object_name for group in plan.node_groups if group.accelerators[1]}
    found = {path for path in files_of(SPECS[name]) if path.startswith("jobs/")}
    assert found == {f"jobs/{group}-torchrun.yaml" for group in groups}


@pytest.mark.parametrize("name", SPECS)
def test_a_job_waits_in_the_queue_of_its_group(name: str) -> None:
    plan = plan_of(SPECS[name])
    for group in training.groups(plan):
        metadata = job_of(SPECS[name], group.object_name)["metadata"]
        if kueue.is_on(plan):
            queue = next(q.name for q in plan.queues if group in q.node_groups)
            assert metadata["namespace"] == queue
            assert metadata["labels"]["kueue.x-k8s.io/queue-name"] == queue
        else:
            assert "labels" not in metadata


PARTITIONS = [("h200", {"nvidia.com/mig-1g.18gb": 1}), ("h100", {"nvidia.com/mig-3g.40gb": 1})]


@pytest.mark.parametrize(("group", "wanted"), PARTITIONS)
def test_a_job_uses_one_partition(group: str, wanted: dict[str, int]) -> None:
    """NCCL does not join partitions."""
    assert shape(job_of(SPECS["partitions"], group)) == (1, 1)
    container = container_of(SPECS["partitions"], group)
    assert devices(container) == wanted
    assert set(variables(container)) == {"OMP_NUM_THREADS"}


_EFS, _OUT, _IN = (
    "{mount: /home, type: efs}",
    "{mount: /out, type: s3, bucket: 's3://example-out', read_only: false}",
    "{mount: /in, type: s3, bucket: 's3://example-in', read_only: true}",
)
CHECKPOINTS = [
    # Lustre first, then other file systems, then a bucket that can be written to.
    (f"[{_EFS}, {{mount: /fsx, type: fsx-lustre, size: 4800GiB}}]", "/fsx"),
    *((f"[{_OUT}, {_EFS}]", "/home"), (f"[{_IN}, {_OUT}]", "/out"), (f"[{_IN}]", "")),
]


@pytest.mark.parametrize("jobs", OPERATORS)
@pytest.mark.parametrize(("storage", "mount"), CHECKPOINTS)
def test_checkpoints_go_to_shared_storage(storage: str, mount: str, jobs: str) -> None:
    text = f"kubernetes: {{jobs: {jobs}}}\nstorage: {storage}"
    container = container_of(text)
    folder = f"{mount}/checkpoints/h200-torchrun" if mount else None
    assert variables(container).get("CHECKPOINTS") == folder
    mounts = {each["mountPath"] for each in container["volumeMounts"]}
    assert mounts == {"/dev/shm", *(item["mount"] for item in yaml.safe_load(storage))}
    assert ("$CHECKPOINTS" in files_of(text)["jobs/h200-torchrun.yaml"]) == bool(mount)


def test_volcano_starts_all_pods_of_a_job_together() -> None:
    metadata = job_of(SPECS["Volcano"])["metadata"]
    assert metadata["annotations"] == {"scheduling.volcano.sh/group-min-member": "2"}
    runtime, _ = objects("kubernetes: {jobs: kubeflow-trainer, scheduler: volcano}")
    assert runtime["spec"]["podGroupPolicy"] == {"volcano": {}}


@pytest.mark.parametrize("jobs", OPERATORS)
def test_nodes_of_an_ultraserver_share_nvlink(jobs: str) -> None:
    text = f"{SPECS['UltraServers']}\nkubernetes: {{jobs: {jobs}}}"
    domain = objects(text)[0]
    assert (domain["kind"], domain["spec"]["numNodes"]) == ("ComputeDomain", 18)
    container = container_of(text)
    assert {"name": "channel"} in container["resources"]["claims"]
    assert variables(container)["NCCL_MNNVL_ENABLE"] == "1"


PROGRAMS = {
    # The name of the first pod is known from the second try on.
    "getent": 'echo "getent $*" >>"$LOG"; [[ $(wc -l <"$LOG") -gt 1 ]]',
    "sleep": ":",
    "torchrun": 'printf "%s\\n" "$@" >>"$LOG"',
}


@pytest.mark.parametrize(("index", "host"), [("0", "1"), ("1", "0")])
def test_pods_meet_at_the_first(tmp_path: Path, index: str, host: str) -> None:
    """The command of a pod, with programs that record how they are called."""
    [program, *words] = container_of("")["command"]
    assert program == "bash"
    given = {"LOG": f"{tmp_path}/log", "JOB_COMPLETION_INDEX": index}
    first = programs(tmp_path, PROGRAMS)
    succeeded(bash(*words, "train.py", "--lr", "1e-4 x", first=first, **given))
    name = "h200-torchrun"
    assert (tmp_path / "log").read_text().splitlines() == [
        *[f"getent hosts {name}-0.{name}"] * 2,
        *("--nnodes=2", "--nproc-per-node=8", "--rdzv-backend=c10d", f"--rdzv-id={name}"),
        *(f"--rdzv-endpoint={name}-0.{name}:29500", f"--rdzv-conf=is_host={host}"),
        *("--max-restarts=3", "train.py", "--lr", "1e-4 x"),
    ]
    [service, job] = objects("")
    pod = job["spec"]["template"]["spec"]
    assert pod["subdomain"] == service["metadata"]["name"] == job["metadata"]["name"] == name
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": name}
