"""What objects say of the plan: volumes, claims, queues of other schedulers, Karpenter, tests."""

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.base.text_lists import word_set
from clustergen.services.nodes import nccl
from tests.services.kubernetes.planned import files_of, objects_of, plan_of
from tests.services.kubernetes.specs import SPECS, STORAGE
from tests.support.tiers import needs, without_root

VOLUMES = "manifests/volumes.yaml"


def named(spec: str, path: str) -> dict[str, Any]:
    """The objects of a file by kind and name."""
    return {f"{o['kind']}/{o['metadata']['name']}": o for o in objects_of(spec, path)}


SOURCES: dict[str, Any] = yaml.safe_load("""
cache:
  csi:
    driver: fsx.csi.aws.com
    volumeHandle: fc-0a1b2c3d4e5f67893
    volumeAttributes:
      {dnsname: fc-0a1b2c3d4e5f67893.fsx.us-east-1.amazonaws.com, mountname: hgfedcba}
home: {nfs: {server: "${StorageHomeDnsName}", path: /fsx}}
tools: {csi: {driver: efs.csi.aws.com, volumeHandle: "${StorageToolsId}"}}
bucket:
  accessModes: [ReadOnlyMany]
  mountOptions: [allow-other, prefix raw/]
  csi:
    driver: s3.csi.aws.com
    volumeHandle: bucket.h200
    volumeAttributes: {bucketName: example-corpus}
results:
  accessModes: [ReadWriteMany]
  mountOptions: [allow-other, dir-mode=0777, file-mode=0666, allow-delete, allow-overwrite]
lab:
  nfs:
    server: svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com
    path: /PATH-OF-fsvol-0a1b2c3d4e5f67892
""")


@pytest.mark.parametrize("name", SOURCES)
def test_volumes(name: str) -> None:
    spec = named(STORAGE, VOLUMES)[f"PersistentVolume/{name}.h200"]["spec"]
    assert {key: spec[key] for key in SOURCES[name]} == SOURCES[name]
    assert spec["capacity"] == {"storage": "1200Gi"}
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"


def test_metrics_of_the_root_volume_are_those_of_the_node() -> None:
    """The root of the container, kubelet and logs of pods are on local disks, where it has some."""
    made = named("monitoring: {metrics: managed-prometheus}", "manifests/node-metrics.yaml")
    pod = made["DaemonSet/node-metrics"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    root = container["command"][container["command"].index("--root") + 1]
    paths = {each["name"]: each["hostPath"]["path"] for each in pod["volumes"][1:]}
    places = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    assert paths[places[root]] == "/var/log"


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


KARPENTER = SPECS["Karpenter, Spot and a reservation"]
ALL_REDUCE = "smoke/h200-all-reduce.yaml"


def container_of(pod: Any) -> Any:
    """The one container of the pods of a job or a worker."""
    [container] = pod["spec"]["containers"]
    return container


def worker_of(job: Any) -> Any:
    return job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]


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
    """Devices of a template of claims, by class."""
    templates = named(SPECS["claims of devices"], "manifests/claims.yaml")
    requests = templates[f"ResourceClaimTemplate/{name}"]["spec"]["spec"]["devices"]["requests"]
    exactly = [one["exactly"] for one in requests]
    assert {one["deviceClassName"]: one["count"] for one in exactly} == devices


def test_queues_of_volcano_and_kai() -> None:
    volcano = named(SPECS["Volcano"], "manifests/queues.yaml")["Queue/train"]["spec"]
    assert (volcano["weight"], volcano["priority"]) == (7, 7)
    assert volcano["capability"]["nvidia.com/gpu"] == "16"
    kai = named(SPECS["KAI"], "manifests/queues.yaml")["Queue/train"]["spec"]
    assert kai["parentQueue"] == "clustergen"
    quotas = {name: each["quota"] for name, each in kai["resources"].items()}
    mib = int(volcano["capability"]["memory"].removesuffix("Mi"))
    cpu = int(volcano["capability"]["cpu"])
    assert quotas == {"cpu": cpu * 1000, "memory": mib * 2**20 // 10**6, "gpu": 16}
    assert 300 < cpu < 384


SCHEDULED = [
    ("Volcano", "volcano", {"scheduling.volcano.sh/queue-name": "train"}, {}),
    ("KAI", "kai-scheduler", {}, {"kai.scheduler/queue": "train"}),
    ("smallest", None, {"kueue.x-k8s.io/podset-preferred-topology": "kubernetes.io/hostname"}, {}),
]


@pytest.mark.parametrize(("spec", "scheduler", "annotations", "labels"), SCHEDULED)
def test_jobs_use_their_queue(
    spec: str, scheduler: str | None, annotations: dict[str, str], labels: dict[str, str]
) -> None:
    [job] = objects_of(SPECS[spec], ALL_REDUCE)
    worker = worker_of(job)
    assert worker["spec"].get("schedulerName") == scheduler
    assert worker.get("metadata", {}).get("annotations", {}) == annotations
    assert worker.get("metadata", {}).get("labels", {}) == labels
    together = job["spec"]["runPolicy"].get("schedulingPolicy")
    assert together == ({"queue": "train", "minAvailable": 3} if spec == "Volcano" else None)


@pytest.mark.parametrize(("scheduler", "policy"), [("volcano", {"volcano": {}}), ("default", None)])
def test_the_trainer_creates_a_pod_group_for_volcano(scheduler: str, policy: Any) -> None:
    text = f"kubernetes: {{jobs: kubeflow-trainer, scheduler: {scheduler}}}"
    [runtime, _] = objects_of(text, ALL_REDUCE)
    assert runtime["spec"].get("podGroupPolicy") == policy


@pytest.mark.parametrize(("name", "after"), [("spot", "10m"), ("held", "Never")])
def test_karpenter_keeps_nodes_of_a_reservation(name: str, after: str) -> None:
    pool = named(KARPENTER, "manifests/karpenter.yaml")[f"NodePool/{name}"]
    assert pool["spec"]["disruption"]["consolidateAfter"] == after


def test_kai_limits_no_gpus_that_it_does_not_count() -> None:
    parts = "}\nnode_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}}]"
    for more, gpus in ((", devices: dra}", -1), (parts, 16)):
        text = f"kubernetes: {{scheduler: kai, admission: none{more}"
        for queue in objects_of(text, "manifests/queues.yaml"):
            resources = queue["spec"]["resources"]
            assert (resources["gpu"]["quota"], resources["gpu"]["limit"]) == (gpus, gpus)
            assert resources["cpu"]["limit"] > 0


def test_requests_fit_a_small_node() -> None:
    [job] = objects_of(SPECS["small nodes"], ALL_REDUCE)
    memory = container_of(worker_of(job))["resources"]["limits"]["memory"]
    assert int(memory.removesuffix("Mi")) < 16 * 1024


REFERENCES = [("p5.48xlarge", "487 GB/s at 16 GiB"), ("p5en.48xlarge", "")]


@pytest.mark.parametrize(("type", "words"), REFERENCES)
def test_published_measurements_are_a_note(type: str, words: str) -> None:
    text = f"node_groups: [{{name: h200, instance_type: {type}}}]"
    group = plan_of(text).node_groups[0]
    assert words in nccl.reference(group.type)
    assert bool(words) == ("Published for" in files_of(text)[ALL_REDUCE])


TESTS = [
    ("Trainium", "h200-accelerators h200-all-reduce h200-efa h200-nccom"),
    ("partitions", "h200-accelerators h200-mig-1g-18gb h200-mig-2g-35gb h200-mig-3g-71gb"
     " h100-accelerators h100-mig-3g-40gb h100-mig-1g-10gb-me h100-mig-1g-10gb"
     " whole-accelerators whole-efa whole-all-reduce"),
    ("HPC nodes", "h200-efa"),
    ("UltraServers", "h200-accelerators h200-efa h200-all-reduce h200-nvlink"),
    ("no operator, no queues", "h200-accelerators h200-efa h200-all-reduce h200-file-systems"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "tests"), TESTS)
def test_tests_of_a_group(spec: str, tests: str) -> None:
    found = {path for path in files_of(SPECS[spec]) if path.startswith("smoke/")}
    assert found == {f"smoke/{name}.yaml" for name in word_set(tests)}


def test_node_pools_match_their_groups() -> None:
    objects = named(KARPENTER, "manifests/karpenter.yaml")
    kinds = ("EC2NodeClass", "NodePool")
    assert set(objects) == {f"{kind}/{name}" for kind in kinds for name in ("spot", "held")}
    held = objects["EC2NodeClass/held"]["spec"]
    assert held["capacityReservationSelectorTerms"] == [{"id": "cr-0a1b2c3d4e5f67890"}]
    assert len(held["networkInterfaces"]) == 33
    assert held["subnetSelectorTerms"] == [{"id": "${PrivateSubnetId}"}]
    assert held["instanceStorePolicy"] == "RAID0"
    assert held["tags"]["team"] == "research"
    pool = objects["NodePool/held"]["spec"]
    assert pool["limits"] == {"cpu": "768", "nvidia.com/gpu": "32"}
    own = {"eks.amazonaws.com/nodegroup": "held", "nvidia.com/gpu.present": "true"}
    assert pool["template"]["metadata"]["labels"] == {"team": "a", **own}
    required = pool["template"]["spec"]["requirements"]
    [kinds] = [r["values"] for r in required if r["key"] == "karpenter.sh/capacity-type"]
    assert kinds == ["reserved"]
    assert [o["spec"]["weight"] for name, o in objects.items() if "Pool" in name] == [100, 99]


STARTED = [
    *((KARPENTER, name, 2) for name in ("spot", "held", "h200")),
    ("node_groups: [{name: h200, count: 16}]", "h200", 16),
]


@pytest.mark.parametrize(("text", "name", "nodes"), STARTED)
def test_tests_start_few_nodes_on_demand(text: str, name: str, nodes: int) -> None:
    [job] = objects_of(text, f"smoke/{name}-accelerators.yaml")
    assert job["spec"]["completions"] == nodes


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
    assert container_of(pod)["resources"]["limits"] == limits
    assert "labels" not in job["metadata"]
    assert "annotations" not in pod.get("metadata", {})


def test_arm_nodes_run_collectives_within_a_node() -> None:
    [job] = objects_of(SPECS["UltraServers"], ALL_REDUCE)
    assert (job["kind"], job["spec"]["completions"]) == ("Job", 18)
    limits = container_of(job["spec"]["template"])["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": "4"}


FSX = "storage: [{mount: /fsx, type: fsx-lustre, throughput: 250, size: %s}]"


def test_a_claim_does_not_depend_on_the_size_of_the_file_system() -> None:
    small, large = (objects_of(FSX % size, VOLUMES) for size in ("4800GiB", "9600GiB"))
    assert small == large


def test_only_new_file_systems_are_opened_to_all_users() -> None:
    jobs = objects_of(STORAGE, "manifests/ownership.yaml")
    pods = [job["spec"]["template"]["spec"] for job in jobs]
    claims = [pod["volumes"][0]["persistentVolumeClaim"]["claimName"] for pod in pods]
    assert claims == ["fsx", "home", "tools"]
    assert {job["spec"]["ttlSecondsAfterFinished"] for job in jobs} == {600}
    for pod in pods:
        assert pod["nodeSelector"] == {"eks.amazonaws.com/nodegroup": "system_nodes"}


@needs(without_root)
@pytest.mark.parametrize(
    ("owner", "mode", "after"),
    [(0, 0o755, 0o1777), (0, 0o750, 0o750), (0, 0o1777, 0o1777), (1001, 0o755, 0o755)],
)
def test_existing_settings_are_kept(owner: int, mode: int, after: int, tmp_path: Path) -> None:
    spec = FSX % (
        "4800GiB, data_repositories: [{path: /out, s3: s3://b1-a, export: [new]}, "
        "{path: /later, s3: s3://b2-a, export: [new]}]"
    )
    [job] = objects_of(spec, "manifests/ownership.yaml")
    container = container_of(job["spec"]["template"])
    folders = [tmp_path / "volume", tmp_path / "volume/out"]
    for folder in folders:
        folder.mkdir()
        os.chown(folder, owner, owner)
        folder.chmod(mode)
    script = container["command"][-1].replace("/volume", str(folders[0]))
    for _ in range(2):
        subprocess.run(["/bin/bash", "-ec", script], check=True, capture_output=True)
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {after}
