"""What `render` says that deploying a bundle over an earlier one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from clustergen import bundle, cli, effects, renderer
from clustergen.artifacts import Artifact, Bundle
from clustergen.findings import EXAMPLE_BASE
from clustergen.schemas import replacing
from tests.checking import Fragments

FSX = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, efa: %s}]\n"
PLAIN = FSX % "false"
ZONES = [f"{PLAIN}network: {{zone: use1-az{number}}}\n" for number in (6, 5)]
GROUP = "node_groups: [{name: h200, %s}]\n"
RENAMED = "queues: [{name: %s, node_groups: [h200]}]\n"
LOGIN = "login: {instance_type: %s}\n"
PC, SLURM, PODS = "parallelcluster", "hyperpod-slurm", "hyperpod-eks"
STRATEGY = "targets: {parallelcluster: {queue_update_strategy: %s}}\n"
EBS = "storage: [{mount: /data, type: ebs, size: %sGiB}]\n"


def rendered(text: str, target: str = "pcs") -> Bundle:
    return renderer.render(Fragments(target).checked(text), target)


CHANGES = [
    # Target, before, after, words of each line.
    ("pcs", PLAIN, f"{PLAIN}slurm: {{idle_timeout: 20m}}", []),
    (
        "pcs",
        PLAIN,
        f"{PLAIN}users: [{{name: ann, uid: 2001}}]",
        ["replaces the nodes of NodeGroupH200 once they are idle (NodeLifecycleActions"],
    ),
    (
        "pcs",
        PLAIN,
        FSX % "true",
        [
            "replaces StorageFsx (SecurityGroupIds changes): the new file system is empty",
            "replaces the nodes of NodeGroupH200 once they are idle (NodeLifecycleActions",
        ],
    ),
    (
        "pcs",
        PLAIN,
        PLAIN.replace("/fsx", "/data"),
        [
            "removes StorageFsx from the stack: the file system stays",
            "replaces the nodes of NodeGroupH200 once they are idle (NodeLifecycleActions",
        ],
    ),
    # New subnets would have the CIDR blocks of the old ones; so nothing in them is replaced.
    (
        "pcs",
        *ZONES,
        [
            "is refused: AvailabilityZoneId of PublicSubnet cannot change, because two subnets",
            "is refused: AvailabilityZoneId of PrivateSubnet",
            "is refused: AvailabilityZoneId of ControlPlaneSubnet1",
            "is refused: AvailabilityZoneId of SystemSubnet1",
        ],
    ),
    # Names are fixed, so CloudFormation cannot replace what has one.
    (
        "pcs",
        "",
        GROUP % "instance_type: p5.48xlarge",
        ["is refused: InstanceConfigs of NodeGroupH200 cannot change"],
    ),
    (
        "batch",
        "",
        "slurm: {accounts: [{name: vision}]}",
        ["is refused: Batch neither gives QueueH200 fair shares nor takes them away"],
    ),
    (PC, "", "monitoring: {log_retention: 90d}", []),
    (PC, "", GROUP % "count: 4", []),
    (PC, GROUP % "count: 4", "", ["needs the compute nodes stopped first (Scheduling"]),
    (PC, GROUP % "count: 4", STRATEGY % "terminate", ["terminates nodes, with the jobs on them"]),
    (
        PC,
        "",
        GROUP % "instance_type: p5.48xlarge",
        ["needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].ComputeResources"],
    ),
    (
        PC,
        "",
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]}]}",
        ["replaces the nodes of queue h200 once their jobs have ended (CustomActions changes)"],
    ),
    (
        PC,
        "",
        STRATEGY % "terminate" + "software: {scripts: [{run: 's3://my-bucket/a.sh'}]}",
        ["terminates the nodes of queue h200, with the jobs on them (CustomActions changes)"],
    ),
    (
        PC,
        "",
        STRATEGY % "compute-fleet-stop" + GROUP % "root_volume: {size: 300GiB}",
        ["needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].ComputeSettings"],
    ),
    (
        PC,
        "",
        "head_node: {instance_type: m7i.8xlarge}",
        ["is refused: HeadNode.InstanceType of a cluster cannot change"],
    ),
    (
        PC,
        LOGIN % "m7i.large",
        LOGIN % "m7i.xlarge",
        ["needs the login nodes stopped first (LoginNodes.Pools[login].InstanceType changes)"],
    ),
    (PC, "", LOGIN % "m7i.large", []),
    (PC, RENAMED % "a", RENAMED % "b", ["needs the compute nodes stopped first"]),
    (
        PC,
        "",
        GROUP % "placement: none",
        ["needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].Networking"],
    ),
    (PC, EBS % 500, EBS % 600, ["is refused: SharedStorage[data].EbsSettings.Size of a cluster"]),
    (
        PC,
        PLAIN,
        FSX % "true",
        [
            "replaces StorageFsx",
            "replaces the nodes of queue h200",
            # ParallelCluster knows the file system by its id, which is another one.
            "is refused: SharedStorage[fsx].FsxLustreSettings.FileSystemId of a cluster",
        ],
    ),
    (
        PC,
        "",
        "{region: us-east-2, network: {zone: use2-az2}}",
        ["creates another cluster, in us-east-2: all that is in us-east-1 stays"],
    ),
    (
        PC,
        "",
        "targets: {parallelcluster: {overlay: {HeadNode: {Imds: {Secured: false}}}}}",
        ["is refused: HeadNode.Imds.Secured of a cluster cannot change"],
    ),
    (SLURM, "", GROUP % "count: 4", []),
    (SLURM, GROUP % "count: 4", "", ["terminates 2 nodes of h200, with what runs on them"]),
    (
        SLURM,
        "",
        GROUP % "instance_type: p5.48xlarge",
        ["is refused: InstanceType of instance group h200 cannot change; give the group another"],
    ),
    (
        SLURM,
        LOGIN % "m7i.large",
        "",
        [
            "leaves instance group login, which runs and costs money",
            "runs the changed lifecycle scripts only on new nodes of controller, h200",
        ],
    ),
    (
        SLURM,
        "",
        "users: [{name: ann, uid: 2001}]",
        ["runs the changed lifecycle scripts only on new nodes of controller, h200"],
    ),
    (SLURM, "", "tags: {a: b}", ["does not change the tags of the cluster"]),
    (
        SLURM,
        "",
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        ["reaches new nodes of h200, but maybe not running ones (ImageId changes)"],
    ),
    (
        SLURM,
        PLAIN,
        PLAIN.replace("/fsx", "/data"),
        [
            "removes StorageFsx from the stack",
            "runs the changed lifecycle scripts only on new nodes of controller, h200",
            "mounts the changed file systems only on new nodes of controller, h200: reduce",
        ],
    ),
    (
        PODS,
        *ZONES,
        ["is refused: AvailabilityZoneId of PublicSubnet cannot change", *["is refused"] * 3],
    ),
]


@pytest.mark.parametrize(("target", "before", "after", "expected"), CHANGES)
def test_each_effect_has_a_line(
    target: str, before: str, after: str, expected: list[str], tmp_path: Path
) -> None:
    bundle.write(tmp_path / "out", rendered(before, target))
    lines = [each.text for each in effects.of_folder(tmp_path / "out", rendered(after, target))]
    assert len(lines) == len(expected), lines
    for words in expected:
        assert any(line.startswith(words) for line in lines), lines


def test_render_prints_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.yaml"
    printed = []
    for efa in ("false", "true"):
        spec.write_text(f"{EXAMPLE_BASE}{FSX % efa}")
        cli.main(["render", str(spec), "--target", "pcs", "-o", str(tmp_path / "out")])
        printed.append(capsys.readouterr().out)
    assert "deploying it" not in printed[0]
    assert "pcs: deploying it replaces StorageFsx (SecurityGroupIds changes)" in printed[1]


TEMPLATE = '{"Resources": {"A": {"Type": "AWS::EC2::VPC"}}}'
WRITTEN = {
    "foundation.template.json": TEMPLATE,
    "cluster.yaml": "Region: us-east-1\nSharedStorage: []\n",
    "create-cluster.json": '{"ClusterName": "a", "InstanceGroups": []}',
}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"Resources": 1, "SharedStorage": 1}'])
@pytest.mark.parametrize("path", WRITTEN)
def test_incomparable_templates_have_unknown_effects(text: str, path: str, tmp_path: Path) -> None:
    new = Artifact(path, WRITTEN[path])
    assert effects.of_folder(tmp_path, (new,)) == []
    (tmp_path / path).write_text(text)
    kinds = {each.kind for each in effects.of_folder(tmp_path, (new,))}
    assert kinds
    assert kinds <= {"unknown", "refused", "left-over"}


def test_a_key_that_parallelcluster_lacks_has_unknown_effects(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text("Region: us-east-1\nNew: 1\n")
    [effect] = effects.of_folder(tmp_path, (Artifact("cluster.yaml", "Region: us-east-1\n"),))
    assert (effect.kind, effect.subject, effect.cause) == ("unknown", "New", "New")
    assert "New changes" in effect.text


def test_the_names_of_resources_are_properties_that_replace_them() -> None:
    for type, name in replacing.NAMES.items():
        assert name in replacing.properties()[type]


@pytest.mark.parametrize(
    ("also", "kind"), [("", "data-at-risk"), ("foundation: example\n", "leftover")]
)
def test_another_name_is_another_cluster(also: str, kind: str) -> None:
    """Its file systems are empty, unless it shares the foundation of the first."""
    old, new = rendered(PLAIN), rendered(f"{PLAIN}name: second\n{also}")
    [found] = effects.effects(effects.files_of(old), effects.files_of(new))
    assert found.kind == kind
    assert ("the new file systems are empty" in found.text) is (kind == "data-at-risk")
