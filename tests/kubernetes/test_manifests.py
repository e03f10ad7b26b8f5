"""What objects say of the plan: volumes, claims, queues of other schedulers, Karpenter, tests."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clustergen import nccl
from clustergen.kubernetes import bundle
from clustergen.words import word_set
from tests.kubernetes.planned import files_of, objects_of, plan_of
from tests.kubernetes.specs import SPECS, STORAGE

VOLUMES = "manifests/volumes.yaml"


def named(spec: str, path: str) -> dict[str, Any]:
    """The objects of a file by kind and name."""
    return {f"{o['kind']}/{o['metadata']['name']}": o for o in objects_of(spec, path)}


SOURCES = [
    (
        "fsx",
        "1200Gi",
        {
            "mountOptions": ["noatime", "flock", "lazystatfs"],
            "csi": {
                "driver": "fsx.csi.aws.com",
                "volumeHandle": "${StorageFsxId}",
                "volumeAttributes": {
                    "dnsname": "${StorageFsxDnsName}",
                    "mountname": "${StorageFsxMountName}",
                },
            },
        },
    ),
    (
        "cache",
        "1200Gi",
        {
            "csi": {
                "driver": "fsx.csi.aws.com",
                "volumeHandle": "fc-0a1b2c3d4e5f67893",
                "volumeAttributes": {
                    "dnsname": "fc-0a1b2c3d4e5f67893.fsx.us-east-1.amazonaws.com",
                    "mountname": "hgfedcba",
                },
            }
        },
    ),
    ("home", "1200Gi", {"nfs": {"server": "${StorageHomeDnsName}", "path": "/fsx"}}),
    (
        "tools",
        "1200Gi",
        {"csi": {"driver": "efs.csi.aws.com", "volumeHandle": "${StorageToolsId}"}},
    ),
    (
        "bucket",
        "1200Gi",
        {
            "accessModes": ["ReadOnlyMany"],
            "mountOptions": ["allow-other", "prefix raw/"],
            "csi": {
                "driver": "s3.csi.aws.com",
                "volumeHandle": "bucket.h200",
                "volumeAttributes": {"bucketName": "example-corpus"},
            },
        },
    ),
    (
        "results",
        "1200Gi",
        {
            "mountOptions": [
                "allow-other",
                "dir-mode=0777",
                "file-mode=0666",
                "allow-delete",
                "allow-overwrite",
            ],
            "accessModes": ["ReadWriteMany"],
        },
    ),
    (
        "lab",
        "1200Gi",
        {
            "nfs": {
                "server": "svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com",
                "path": "/PATH-OF-fsvol-0a1b2c3d4e5f67892",
            }
        },
    ),
]


@pytest.mark.parametrize(("name", "size", "members"), SOURCES)
def test_volumes(name: str, size: str, members: dict[str, Any]) -> None:
    spec = named(STORAGE, VOLUMES)[f"PersistentVolume/{name}.h200"]["spec"]
    assert {key: spec[key] for key in members} == members
    assert spec["capacity"] == {"storage": size}
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"


CLAIM_NAMES = [("/fsx", "fsx"), ("/data/x", "data-x"), ("/data-x", "data-x-"), ("/A", "a-")]


@pytest.mark.parametrize(("mount", "start"), CLAIM_NAMES)
def test_no_two_mounts_have_one_claim(mount: str, start: str) -> None:
    text = f"storage: [{{mount: {mount}, type: efs}}]"
    [claim] = [o for o in objects_of(text, VOLUMES) if o["kind"] == "PersistentVolumeClaim"]
    assert claim["metadata"]["name"].startswith(start)
    assert mount != "/data-x" or claim["metadata"]["name"] != "data-x"


def test_every_queue_has_every_file_system() -> None:
    text = SPECS["queues that share groups, and one that does not"]
    objects = objects_of(f"{text}\nstorage: [{{mount: /fsx, type: efs}}]", VOLUMES)
    places = [o["metadata"].get("namespace") for o in objects]
    assert [place for place in places if place] == ["train", "tune", "prep"]


FILLED = [
    ("smallest", ()),
    ("file systems of every kind", ("manifests/volumes.yaml",)),
    ("Karpenter, Spot and a reservation", ("values/karpenter.yaml", "manifests/karpenter.yaml")),
]


@pytest.mark.parametrize(("spec", "paths"), FILLED)
def test_files_with_placeholders(spec: str, paths: tuple[str, ...]) -> None:
    assert bundle.filled(plan_of(SPECS[spec])) == paths


def claims(name: str) -> dict[str, int]:
    """Devices of a template of claims, by class."""
    template = named(SPECS["claims of devices"], "manifests/claims.yaml")[
        f"ResourceClaimTemplate/{name}"
    ]
    exactly = [one["exactly"] for one in template["spec"]["spec"]["devices"]["requests"]]
    return {one["deviceClassName"]: one["count"] for one in exactly}


CLAIMS = [
    ("h200-accelerators", {"gpu.nvidia.com": 8}),
    ("h200-efa", {"efa.networking.k8s.aws": 16}),
    ("h200-gpu", {"gpu.nvidia.com": 1, "efa.networking.k8s.aws": 2}),
    ("h100-efa", {"efa.networking.k8s.aws": 32}),
    ("h100-gpu", {"gpu.nvidia.com": 1, "efa.networking.k8s.aws": 4}),
    ("trn-accelerators", {"neuron.aws.com": 16}),
]


@pytest.mark.parametrize(("name", "devices"), CLAIMS)
def test_claims(name: str, devices: dict[str, int]) -> None:
    assert claims(name) == devices


def test_queues_of_volcano_and_kai() -> None:
    volcano = named(SPECS["Volcano"], "manifests/queues.yaml")["Queue/train"]["spec"]
    assert (volcano["weight"], volcano["priority"]) == (7, 7)
    assert volcano["capability"]["nvidia.com/gpu"] == "16"
    kai = named(SPECS["KAI"], "manifests/queues.yaml")
    assert kai["Queue/train"]["spec"]["parentQueue"] == "clustergen"
    assert kai["Queue/train"]["spec"]["resources"]["gpu"]["quota"] == 16
    cpu = kai["Queue/train"]["spec"]["resources"]["cpu"]["quota"]
    assert 300_000 < cpu < 384_000


SCHEDULED = [
    ("Volcano", "volcano", {"scheduling.volcano.sh/queue-name": "train"}, {}),
    ("KAI", "kai-scheduler", {}, {"kai.scheduler/queue": "train"}),
    (
        "smallest",
        None,
        {"kueue.x-k8s.io/podset-preferred-topology": "topology.k8s.aws/network-node-layer-3"},
        {},
    ),
]


@pytest.mark.parametrize(("spec", "scheduler", "annotations", "labels"), SCHEDULED)
def test_jobs_use_their_queue(
    spec: str, scheduler: str | None, annotations: dict[str, str], labels: dict[str, str]
) -> None:
    [job] = objects_of(SPECS[spec], "smoke/h200-all-reduce.yaml")
    worker = job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    assert worker["spec"].get("schedulerName") == scheduler
    assert worker.get("metadata", {}).get("annotations", {}) == annotations
    assert worker.get("metadata", {}).get("labels", {}) == labels
    together = job["spec"]["runPolicy"].get("schedulingPolicy")
    assert together == ({"queue": "train", "minAvailable": 3} if spec == "Volcano" else None)


def test_the_trainer_creates_a_pod_group_for_volcano() -> None:
    for scheduler, policy in (("volcano", {"volcano": {}}), ("default", None)):
        text = f"kubernetes: {{jobs: kubeflow-trainer, scheduler: {scheduler}}}"
        [runtime, _] = objects_of(text, "smoke/h200-all-reduce.yaml")
        assert runtime["spec"].get("podGroupPolicy") == policy


def test_karpenter_keeps_nodes_of_a_reservation() -> None:
    objects = named(SPECS["Karpenter, Spot and a reservation"], "manifests/karpenter.yaml")
    after = {name: objects[f"NodePool/{name}"]["spec"]["disruption"] for name in ("spot", "held")}
    assert {name: each["consolidateAfter"] for name, each in after.items()} == {
        "spot": "10m",
        "held": "Never",
    }


def test_kai_limits_no_gpus_that_it_does_not_count() -> None:
    claims = "kubernetes: {scheduler: kai, admission: none, devices: dra}"
    parts = "kubernetes: {scheduler: kai, admission: none}\nnode_groups: [{name: h200, efa: false, "
    for text, gpus in ((claims, -1), (f"{parts}mig: {{1g.18gb: 7}}}}]", 16)):
        for queue in objects_of(text, "manifests/queues.yaml"):
            resources = queue["spec"]["resources"]
            assert (resources["gpu"]["quota"], resources["gpu"]["limit"]) == (gpus, gpus)
            assert resources["cpu"]["limit"] > 0


def test_all_reduce_is_sized_from_the_types_facts() -> None:
    [job] = objects_of("", "smoke/h200-all-reduce.yaml")
    assert job["spec"]["slotsPerWorker"] == 8
    replicas = job["spec"]["mpiReplicaSpecs"]
    assert replicas["Worker"]["replicas"] == 2
    [container] = replicas["Worker"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == container["resources"]["requests"]
    assert container["resources"]["limits"] == {
        "nvidia.com/gpu": "8",
        "vpc.amazonaws.com/efa": "16",
        "memory": "32000Mi",
        "hugepages-2Mi": "5120Mi",
    }
    [launcher] = replicas["Launcher"]["template"]["spec"]["containers"]
    command = launcher["command"]
    assert command[command.index("-np") + 1] == "16"
    assert "FI_PROVIDER=efa" in command
    obsolete = ("FI_EFA_USE_DEVICE_RDMA", "NCCL_PROTO", "NCCL_ALGO", "eth0", "FI_EFA_FORK_SAFE")
    assert not any(word in " ".join(command) for word in obsolete)


def test_requests_fit_a_small_node() -> None:
    [job] = objects_of(SPECS["small nodes"], "smoke/h200-all-reduce.yaml")
    worker = job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
    [container] = worker["containers"]
    assert int(container["resources"]["limits"]["memory"].removesuffix("Mi")) < 16 * 1024


REFERENCES = [("p5.48xlarge", "487 GB/s at 16 GiB"), ("p5en.48xlarge", "")]


@pytest.mark.parametrize(("type", "words"), REFERENCES)
def test_published_measurements_are_a_note(type: str, words: str) -> None:
    text = f"node_groups: [{{name: h200, instance_type: {type}}}]"
    group = plan_of(text).node_groups[0]
    assert words in nccl.reference(group.type)
    assert bool(words) == ("Published for" in files_of(text)["smoke/h200-all-reduce.yaml"])


TESTS = [
    ("Trainium", {"h200-accelerators", "h200-efa", "h200-nccom"}),
    (
        "partitions",
        word_set("""
            h200-accelerators h200-mig-1g-18gb h200-mig-2g-35gb h200-mig-3g-71gb
            h100-accelerators h100-mig-3g-40gb h100-mig-1g-10gb-me h100-mig-1g-10gb
            whole-accelerators whole-efa whole-all-reduce
        """),
    ),
    ("HPC nodes", {"h200-efa"}),
    ("UltraServers", {"h200-accelerators", "h200-efa", "h200-all-reduce", "h200-nvlink"}),
    (
        "no operator, no queues",
        {"h200-accelerators", "h200-efa", "h200-all-reduce", "h200-file-systems"},
    ),
]


@pytest.mark.parametrize(("spec", "tests"), TESTS)
def test_tests_of_a_group(spec: str, tests: set[str]) -> None:
    found = {path for path in files_of(SPECS[spec]) if path.startswith("smoke/")}
    assert found == {f"smoke/{name}.yaml" for name in tests}


def test_node_pools_match_their_groups() -> None:
    objects = named(SPECS["Karpenter, Spot and a reservation"], "manifests/karpenter.yaml")
    assert set(objects) == word_set("""
        EC2NodeClass/spot NodePool/spot EC2NodeClass/held NodePool/held
    """)
    held = objects["EC2NodeClass/held"]["spec"]
    assert held["capacityReservationSelectorTerms"] == [{"id": "cr-0a1b2c3d4e5f67890"}]
    assert len(held["networkInterfaces"]) == 33
    assert held["subnetSelectorTerms"] == [{"id": "${PrivateSubnetId}"}]
    assert held["instanceStorePolicy"] == "RAID0"
    assert held["tags"]["team"] == "research"
    pool = objects["NodePool/held"]["spec"]
    assert pool["limits"] == {"cpu": "768", "nvidia.com/gpu": "32"}
    assert pool["template"]["metadata"]["labels"] == {
        "team": "a",
        "eks.amazonaws.com/nodegroup": "held",
        "nvidia.com/gpu.present": "true",
    }
    kinds = [
        requirement["values"]
        for requirement in pool["template"]["spec"]["requirements"]
        if requirement["key"] == "karpenter.sh/capacity-type"
    ]
    assert kinds == [["reserved"]]
    assert [o["spec"]["weight"] for name, o in objects.items() if "Pool" in name] == [100, 99]


def test_tests_start_few_nodes_on_demand() -> None:
    spec = SPECS["Karpenter, Spot and a reservation"]
    for name, nodes in (("spot", 2), ("held", 2), ("h200", 2)):
        [job] = objects_of(spec, f"smoke/{name}-accelerators.yaml")
        assert job["spec"]["completions"] == nodes
    [job] = objects_of("node_groups: [{name: h200, count: 16}]", "smoke/h200-accelerators.yaml")
    assert job["spec"]["completions"] == 16


ALONE = [
    ("partitions", "h200-mig-1g-18gb", {"nvidia.com/mig-1g.18gb": "1"}),
    ("partitions", "h100-mig-1g-10gb-me", {"nvidia.com/mig-1g.10gb.me": "1"}),
    ("file systems of every kind", "h200-file-systems", {"cpu": "1", "memory": "1Gi"}),
]


@pytest.mark.parametrize(("spec", "name", "limits"), ALONE)
def test_pods_that_do_not_fill_a_node_are_spread(
    spec: str, name: str, limits: dict[str, str]
) -> None:
    """And wait in no queue: Kueue would put them on one node, and they would never start."""
    [job] = objects_of(SPECS[spec], f"smoke/{name}.yaml")
    pod = job["spec"]["template"]
    [constraint] = pod["spec"]["topologySpreadConstraints"]
    assert constraint["labelSelector"] == {"matchLabels": {"batch.kubernetes.io/job-name": name}}
    assert pod["spec"]["containers"][0]["resources"]["limits"] == limits
    assert "labels" not in job["metadata"]
    assert "annotations" not in pod.get("metadata", {})


def test_arm_nodes_run_collectives_within_a_node() -> None:
    [job] = objects_of(SPECS["UltraServers"], "smoke/h200-all-reduce.yaml")
    assert (job["kind"], job["spec"]["completions"]) == ("Job", 18)
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "4"}


def test_a_claim_does_not_depend_on_the_size_of_the_file_system() -> None:
    claims = [
        objects_of(f"storage: [{{{FSX}, size: {size}}}]", VOLUMES)
        for size in ("4800GiB", "9600GiB")
    ]
    assert claims[0] == claims[1]


FSX = "mount: /fsx, type: fsx-lustre, throughput: 250"


def test_only_new_file_systems_are_opened_to_all_users() -> None:
    jobs = objects_of(STORAGE, "manifests/ownership.yaml")
    claims = [job["spec"]["template"]["spec"]["volumes"][0] for job in jobs]
    assert [claim["persistentVolumeClaim"]["claimName"] for claim in claims] == [
        "fsx",
        "home",
        "tools",
    ]
    for job in jobs:
        assert job["spec"]["ttlSecondsAfterFinished"] == 600
        assert job["spec"]["template"]["spec"]["nodeSelector"] == {
            "eks.amazonaws.com/nodegroup": "system_nodes"
        }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize(
    ("owner", "mode", "after"),
    [(0, 0o755, 0o1777), (0, 0o750, 0o750), (0, 0o1777, 0o1777), (1001, 0o755, 0o755)],
)
def test_existing_settings_are_kept(owner: int, mode: int, after: int, tmp_path: Path) -> None:
    [job] = objects_of(f"storage: [{{{FSX}, size: 4800GiB}}]", "manifests/ownership.yaml")
    [container] = job["spec"]["template"]["spec"]["containers"]
    volume = tmp_path / "volume"
    volume.mkdir()
    os.chown(volume, owner, owner)
    volume.chmod(mode)
    script = container["command"][-1].replace("/volume", str(volume))
    for _ in range(2):
        subprocess.run(["/bin/bash", "-ec", script], check=True, capture_output=True)
        assert stat.S_IMODE(volume.stat().st_mode) == after
