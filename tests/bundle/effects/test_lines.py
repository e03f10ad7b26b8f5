"""What `render` says that deploying a bundle over an earlier one does."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

import pytest

from clustergen import cli
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.bundle import effects, renderer
from clustergen.facts.schemas import replacements
from tests.support.checking import Fragments

PLAIN = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, efa: false}]\n"
EFA = PLAIN.replace("false", "true")
PARTS = {
    "PLAIN": PLAIN.strip(),
    "EFA": EFA.strip(),
    "FSX": PLAIN.partition(", efa")[0],
    "ZFS": "fsx-openzfs, size: 1000GiB",
    "TIERED": "fsx-lustre, storage_class: intelligent-tiering",
    "IDLE": "replaces the nodes of NodeGroupH200 once they are idle",
}


def rendered(text: str) -> Bundle:
    return renderer.render(Fragments("pcs").checked(text), "pcs")


CHANGES = """
# Target, before, after; below it, the first words of each line.
pcs | $PLAIN | $PLAIN + slurm: {idle_timeout: 20m}
pcs | $PLAIN | $PLAIN + users: [{name: ann, uid: 2001}]
    $IDLE (NodeLifecycleActions
pcs | $PLAIN | $EFA
    replaces StorageFsx (SecurityGroupIds changes): the new file system is empty
    $IDLE (NodeLifecycleActions
pcs | $PLAIN | storage: [{mount: /data, type: fsx-lustre, size: 4800GiB, efa: false}]
    removes StorageFsx from the stack: the file system stays
    $IDLE (NodeLifecycleActions
# A change in place has a line if it takes long.
pcs | $PLAIN | storage: [{mount: /fsx, type: fsx-lustre, size: 7200GiB, efa: false}]
    enlarges StorageFsx to 7200 GiB, in hours to days
batch | storage: [{mount: /work, type: $TIERED, throughput: 4000}]
  | storage: [{mount: /work, type: $TIERED, throughput: 8000}]
# New subnets would have the CIDR blocks of the old ones; so nothing in them is replaced.
pcs | $PLAIN + network: {zone: use1-az6} | $PLAIN + network: {zone: use1-az5}
    is refused: AvailabilityZoneId of PublicSubnet cannot change, because two subnets
    is refused: AvailabilityZoneId of PrivateSubnet
    is refused: AvailabilityZoneId of ControlPlaneSubnet1
    is refused: AvailabilityZoneId of SystemSubnet1
# Names are fixed, so CloudFormation cannot replace what has one.
pcs | | node_groups: [{name: h200, instance_type: p5.48xlarge}]
    is refused: InstanceConfigs of NodeGroupH200 cannot change
batch | | slurm: {accounts: [{name: vision}]}
    is refused: Batch neither gives QueueH200 fair shares nor takes them away
parallelcluster | | monitoring: {log_retention: 90d}
# What expires earlier, what serves no more, and what does not come back.
pcs | monitoring: {log_retention: 30d} | monitoring: {log_retention: 7d}
    deletes events of JobsLogGroup that
    deletes events of NodeLogGroup that
    deletes events of SchedulerLogGroup that
batch | monitoring: {log_retention: 30d} | monitoring: {log_retention: 7d}
    deletes events of JobLogGroup that
eks | monitoring: {log_retention: 30d} | monitoring: {log_retention: 7d}
    deletes events of ClusterLogs that
parallelcluster | monitoring: {log_retention: 30d} | monitoring: {log_retention: 7d}
    deletes events of the log group that
pcs | monitoring: {log_retention: 7d} | monitoring: {log_retention: 30d}
pcs | slurm: {accounting: managed} + targets: {pcs: {purge_accounting: 365d}}
  | slurm: {accounting: managed} + targets: {pcs: {purge_accounting: 1d}}
    purges records of jobs that are older than 1 day
pcs | slurm: {accounting: managed} + targets: {pcs: {purge_accounting: 1d}}
  | slurm: {accounting: managed} + targets: {pcs: {purge_accounting: 365d}}
pcs | slurm: {accounting: managed} | slurm: {accounting: off}
    ends the accounting of Cluster
pcs | $FSX, data_repositories: [{path: /data, s3: s3://corpus, export: [new]}], efa: false}]
  | $FSX, data_repositories: [{path: /data, s3: s3://corpus, export: [new, deleted]}], efa: false}]
    exports deletions of Repository1Of
parallelcluster | login: {instance_type: m7i.xlarge, count: 2}
  | login: {instance_type: m7i.xlarge, count: 1}
    terminates 1 of 2 login nodes, with the sessions on them
pcs | monitoring: {log_retention: forever} | monitoring: {log_retention: 90d}
    deletes events of JobsLogGroup that are
    deletes events of JobsLogGroup that are
    deletes events of JobsLogGroup that are
batch | storage: [{mount: /work, type: $ZFS, backups: 30d}]
  | storage: [{mount: /work, type: $ZFS, backups: 7d}]
    keeps automatic backups of StorageWork for 7 days instead of 3
batch | storage: [{mount: /work, type: $ZFS, backups: 30d}]
  | storage: [{mount: /work, type: $ZFS, backups: 35d}]
batch | storage: [{mount: /work, type: $ZFS, backups: 30d}] | storage: [{mount: /work, type: $ZFS}]
    ends automatic backups of StorageWork, and may delete those that
batch | storage: [{mount: /work, type: efs, backups: 35d}] | storage: [{mount: /work, type: efs}]
    ends automatic backups of StorageWork; those that exist expire as planned
pcs | | network: {internet: none}
    deletes InternetGateway at once
    deletes NatAddress and releases its address, which does not come back
    deletes NatGateway at once: nodes without a public address lose the internet
pcs | login: {instance_type: m7i.large}
  | login: {instance_type: m7i.large} + users: [{name: ann, uid: 2001}]
    $IDLE (NodeLifecycleActions
    replaces login nodes at once, with the sessions on them (NodeLifecycleActions
pcs | tags: {team: a} | tags: {team: b}
    $IDLE (CustomLaunchTemplate.Version changes): 2
pcs | tags: {team: a} + node_groups: [{name: h200, count: {min: 0, max: 16}}]
  | tags: {team: b} + node_groups: [{name: h200, count: {min: 0, max: 16}}]
    $IDLE (CustomLaunchTemplate.Version changes): up to 16
parallelcluster | node_groups: [{name: h200, count: 4}] |
    needs the compute nodes stopped first (Scheduling
parallelcluster | node_groups: [{name: h200, count: 4}]
  | targets: {parallelcluster: {queue_update_strategy: terminate}}
    terminates nodes, with the jobs on them
parallelcluster | | node_groups: [{name: h200, instance_type: p5.48xlarge}]
    needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].ComputeResources
parallelcluster | | software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]}]}
    replaces the nodes of queue h200 once their jobs have ended (CustomActions changes): 2
parallelcluster |
  | targets: {parallelcluster: {queue_update_strategy: terminate}}
  + software: {scripts: [{run: 's3://my-bucket/a.sh'}]}
    terminates the nodes of queue h200, with the jobs on them (CustomActions changes)
parallelcluster |
  | targets: {parallelcluster: {queue_update_strategy: compute-fleet-stop}}
  + node_groups: [{name: h200, root_volume: {size: 300GiB}}]
    needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].ComputeSettings
parallelcluster | | head_node: {instance_type: m7i.8xlarge}
    is refused: HeadNode.InstanceType of a cluster cannot change
parallelcluster | login: {instance_type: m7i.large} | login: {instance_type: m7i.xlarge}
    needs the login nodes stopped first (LoginNodes.Pools[login].InstanceType changes)
parallelcluster | queues: [{name: a, node_groups: [h200]}]
  | queues: [{name: b, node_groups: [h200]}]
    needs the compute nodes stopped first
parallelcluster | | node_groups: [{name: h200, placement: none}]
    needs the compute nodes stopped first (Scheduling.SlurmQueues[h200].Networking
parallelcluster | storage: [{mount: /data, type: ebs, size: 500GiB}]
  | storage: [{mount: /data, type: ebs, size: 600GiB}]
    is refused: SharedStorage[data].EbsSettings.Size of a cluster
# ParallelCluster knows the file system by its id, which is another one.
parallelcluster | $PLAIN | $EFA
    replaces StorageFsx
    replaces the nodes of queue h200
    is refused: SharedStorage[fsx].FsxLustreSettings.FileSystemId of a cluster
parallelcluster | | {region: us-east-2, network: {zone: use2-az2}}
    creates another cluster, in us-east-2: all that is in us-east-1 stays
parallelcluster | | targets: {parallelcluster: {overlay: {HeadNode: {Imds: {Secured: false}}}}}
    is refused: HeadNode.Imds.Secured of a cluster cannot change
hyperpod-slurm | node_groups: [{name: h200, count: 4}] |
    terminates 2 nodes of h200, with what runs on them
hyperpod-slurm | | node_groups: [{name: h200, instance_type: p5.48xlarge}]
    is refused: InstanceType of instance group h200 cannot change; give the group another
hyperpod-slurm | login: {instance_type: m7i.large} |
    leaves instance group login, which runs and costs money
    runs the changed lifecycle scripts only on new nodes of controller, h200
hyperpod-slurm | | users: [{name: ann, uid: 2001}]
    runs the changed lifecycle scripts only on new nodes of controller, h200
hyperpod-slurm | | tags: {a: b}
    does not change the tags of the cluster
hyperpod-slurm | | node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
    reaches new nodes of h200, but maybe not running ones (ImageId changes)
hyperpod-slurm | $PLAIN | storage: [{mount: /data, type: fsx-lustre, size: 4800GiB, efa: false}]
    removes StorageFsx from the stack
    runs the changed lifecycle scripts only on new nodes of controller, h200
    mounts the changed file systems only on new nodes of controller, h200: reduce
hyperpod-eks | $PLAIN + network: {zone: use1-az6} | $PLAIN + network: {zone: use1-az5}
    is refused: AvailabilityZoneId of PublicSubnet cannot change
    is refused
    is refused
    is refused
"""


def changes() -> Iterator[tuple[str, str, str, list[str]]]:
    """The rows of the table: ` + ` joins parts of a spec, `$NAME` is one of PARTS."""
    text = re.sub(r"\n  ([|+]) ", r" \1 ", Template(CHANGES).substitute(PARTS))
    for row in re.findall(r"^[^#\s].*\n(?:    .*\n)*", text, re.MULTILINE):
        change, *expected = row.splitlines()
        specs = f"{change} ".replace(" + ", "\n").split("| ")
        target, before, after = (spec.strip() for spec in specs)
        yield target, before, after, [line.strip() for line in expected]


@pytest.mark.parametrize(("target", "before", "after", "expected"), list(changes()))
def test_each_effect_has_a_line(target: str, before: str, after: str, expected: list[str]) -> None:
    made = Fragments(target)
    found = effects.effects(made.files(before), made.files(after))
    lines = [e.text for e in found if e.kind != "in-place" or e.text.startswith("enlarges")]
    assert len(lines) == len(expected), lines
    for words in expected:
        assert any(line.startswith(words) for line in lines), lines


def test_render_prints_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.yaml"
    printed = []
    for text in (PLAIN, EFA):
        spec.write_text(f"{EXAMPLE_BASE}{text}")
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
    for type, name in replacements.NAMES.items():
        assert name in replacements.properties()[type]


@pytest.mark.parametrize(
    ("also", "kind"), [("", "data-at-risk"), ("foundation: example\n", "leftover")]
)
def test_another_name_is_another_cluster(also: str, kind: str) -> None:
    """Its file systems are empty, unless it shares the foundation of the first."""
    old, new = rendered(PLAIN), rendered(f"{PLAIN}name: second\n{also}")
    [found] = effects.effects(effects.files_of(old), effects.files_of(new))
    assert found.kind == kind
    assert ("the new file systems are empty" in found.text) is (kind == "data-at-risk")
