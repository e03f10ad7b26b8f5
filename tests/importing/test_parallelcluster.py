"""ParallelCluster configurations as specs: nothing is lost, and the import proves it."""

from textwrap import indent

import pytest
import yaml

from clustergen import targets
from clustergen.base.findings import Severity, errors
from clustergen.base.yaml_text import yaml_text
from clustergen.checking.compiler import check_text
from tests.importing.clusters import CLUSTERS, LARGE, SMALL
from tests.importing.effective import effective
from tests.importing.templates import bring, codes, document, filled, lossless, spec_of
from tests.support.checking import files_of
from tests.validators.parallelcluster import ParallelCluster
from tests.validators.parallelcluster.updates import changes_of_all

TARGET = targets.load("parallelcluster")


@pytest.mark.parametrize("name", CLUSTERS)
def test_nothing_is_lost_in_the_terms_of_parallelcluster(
    name: str, parallelcluster: ParallelCluster
) -> None:
    """Its own object model, with all defaults, is the same for both configurations."""
    original = "Region: us-west-2\n" + CLUSTERS[name].replace("Region: us-west-2\n", "")
    result = lossless(bring(original))
    assert bring(original).text == result.text
    now, before = map(parallelcluster.model, (yaml_text(document(result, TARGET.name)), original))
    assert effective(now) == effective(before)


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(bring(LARGE))
    assert spec.tags == {"team": "speech"}
    assert [group.name for group in spec.node_groups] == ["gpu-nodes", "spot-nodes"]
    assert spec.node_groups[0].capacity.reservation == "cr-0a1b2c3d4e5f67890"
    assert spec.node_groups[0].scratch == "/nvme"
    assert spec.queues[1].exclusive
    assert spec.slurm.idle_timeout == 1200


def test_a_value_that_the_file_lacks_is_a_finding() -> None:
    result = bring(SMALL, region="", vpc="")
    asked = [finding for finding in result.findings if finding.code == "IMP002"]
    assert [finding.span.line for finding in asked if finding.span] == [1, 4]
    assert "# FILL IN: the configuration does not name its VPC" in result.text
    assert "IMP002" not in codes(bring(SMALL))


def test_the_region_of_the_file_is_stronger_than_the_flag() -> None:
    """A zone of the flags belongs to their region, and is left out with it."""
    result = lossless(bring("Region: us-east-2\n" + SMALL, zones={"": "us-west-2b"}))
    assert "region: us-east-2" in result.text
    assert "zone:" not in result.text
    (said,) = [each for each in result.findings if "--region" in each.message]
    assert said.message == (
        "the configuration is for us-east-2, so --region us-west-2 does not apply"
    )


def test_a_zone_is_written_to_its_subnet() -> None:
    result = bring(SMALL, zones={"": "us-west-2b"})
    assert "zone: us-west-2b" in result.text


def test_an_older_dialect_is_rewritten() -> None:
    result = bring(SMALL.replace("alinux2023", "alinux2"))
    assert "IMP004" in codes(result)
    assert "os: alinux2023" in result.text
    assert result.lossless


def test_batch_is_an_error_with_help() -> None:
    result = bring(SMALL.replace("Scheduler: slurm", "Scheduler: awsbatch"))
    assert codes(result) == ["IMP021"]
    assert "slurm" in result.findings[0].help


WRONG_KINDS = {
    "HeadNode.Iam is left out: it is 3.5, and has to be a mapping": {"Iam": 3.5},
    "HeadNode.Ssh is left out: it is 'team', and has to be a mapping": {"Ssh": "team"},
    "HeadNode.Iam.S3Access[0] is left out: it is empty, and has to be a mapping": {
        "Iam": {"S3Access": [None]}
    },
}


@pytest.mark.parametrize("message", WRONG_KINDS)
def test_a_value_of_a_wrong_kind_is_left_out_and_the_rest_imported(message: str) -> None:
    config = yaml.safe_load(SMALL)
    config["HeadNode"] |= WRONG_KINDS[message]
    result = bring(yaml.safe_dump(config))
    assert not result.lossless
    assert [f.message for f in result.findings if f.code == "IMP012"] == [message]
    assert "instance_type: c7i.4xlarge" in result.text


def test_a_number_of_nodes_that_is_none_is_left_out() -> None:
    result = bring(SMALL.replace("c7i.4xlarge", "c7i.4xlarge, MinCount: some"))
    assert [f.code for f in result.findings if f.severity is Severity.ERROR] == ["IMP012"]


@pytest.mark.parametrize("part", ["InstanceType: c7i.xlarge", "SlurmQueues"])
def test_a_configuration_without_its_parts_is_incomplete(part: str) -> None:
    (finding,) = bring(SMALL.replace(part, "Tags" if part == "SlurmQueues" else "")).findings
    assert finding.code == "IMP022"
    assert part.partition(":")[0] in finding.message


def test_other_files_are_no_clusters() -> None:
    assert codes(bring("version: 1")) == ["IMP020"]
    assert codes(bring("a: [")) == ["IMP020"]


_STORED = (
    "SharedStorage: [{{Name: a, MountDir: /a, StorageType: FsxLustre, FsxLustreSettings: {{{}}}}}]"
)
PAIRS = [
    ("Monitoring: {DetailedMonitoring: false}", ""),
    ("Monitoring: {Logs: {CloudWatch: {RetentionInDays: '180'}}}", ""),
    ("Imds: {ImdsSupport: v2.0}", ""),
    ("SharedStorage: []", ""),
    (
        _STORED.format("StorageCapacity: 1200, DeploymentType: SCRATCH_2"),
        _STORED.format("StorageCapacity: 1200"),
    ),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_defaults_make_no_difference(one: str, other: str) -> None:
    result = bring(SMALL + one), bring(SMALL + other)
    assert result[0].text == result[1].text


def test_another_value_is_a_difference() -> None:
    assert bring(SMALL).text != bring(SMALL + "Monitoring: {DetailedMonitoring: true}").text


def test_a_stand_in_is_an_error_until_it_is_filled_in() -> None:
    asking = bring(SMALL, vpc="")
    assert [f.code for f in errors(check_text(asking.text).findings)] == ["SPC061"]
    assert asking.errors == ()
    assert errors(check_text(bring(SMALL).text).findings) == []


def test_a_stand_in_of_the_original_is_an_error_of_the_import() -> None:
    result = bring(SMALL.replace("subnet-0a1b2c3d4e5f67890", "subnet-00000000000000001"))
    assert {each.code for each in result.errors} == {"SPC061"}


def test_a_small_cluster_needs_no_overlay() -> None:
    assert "overlay" not in bring(SMALL).text
    assert "IMP005" not in codes(bring(SMALL))


def test_names_per_queue_are_kept_without_an_overlay() -> None:
    """Both queues have compute resources called `nodes`."""
    spec = spec_of(bring(LARGE))
    assert [group.service_name for group in spec.node_groups] == ["nodes", "nodes"]


_PARTITIONS = """  SlurmSettings:
    CustomSlurmSettings:
      - {NodeSet: some, Nodes: "cpu-dy-c7i-[1-3,9]"}
      - {PartitionName: Some, Nodes: some, MaxTime: 60}
      - {PartitionName: every, Nodes: cpu_nodes, OverSubscribe: EXCLUSIVE}
      - {PartitionName: one, Nodes: cpu-dy-c7i-10, Default: "YES"}
  SlurmQueues:
"""


def test_partitions_over_node_sets_are_queues() -> None:
    result = lossless(bring(SMALL.replace("  SlurmQueues:\n", _PARTITIONS)))
    # Slurm sees the same nodes, but ParallelCluster other settings.
    assert result.overlaid == 1
    spec = spec_of(result)
    assert [(q.name, q.nodes, q.exclusive, q.default, q.slurm) for q in spec.queues] == [
        ("cpu", {}, False, False, {}),
        ("one", {"c7i": "10"}, False, True, {}),
        ("Some", {"c7i": "1-3,9"}, False, False, {"MaxTime": "60"}),
        ("every", {}, True, False, {}),
    ]


def test_own_security_groups_of_some_nodes_need_no_overlay() -> None:
    own = "SecurityGroups: [sg-0a1b2c3d4e5f67890]"
    result = lossless(bring(SMALL.replace("{SubnetIds: [", f"{{{own}, SubnetIds: [")))
    assert not result.overlaid
    assert "own_security_groups:\n      - c7i\n" in result.text


_OF_THE_CLUSTER = """
Iam: {PermissionsBoundary: 'arn:aws:iam::111122223333:policy/boundary', ResourcePrefix: ml-}
DevSettings: {Timeouts: {HeadNodeBootstrapTimeout: 3600}}
DeploymentSettings: {DisableSudoAccessForDefaultUser: true, DefaultUserHome: Local}
SharedStorage:
  - {Name: a, MountDir: /a, StorageType: Ebs, EbsSettings: {Size: 50, DeletionPolicy: Snapshot}}
  - {Name: b, MountDir: /b, StorageType: FsxLustre, FsxLustreSettings:
     {StorageCapacity: 1200, ImportPath: 's3://corpus/in', ExportPath: 's3://corpus/out'}}
"""


def test_roles_timeouts_storage_and_numbers_in_slurm_conf_need_no_overlay() -> None:
    settings = "- Name: cpu\n      CustomSlurmSettings: {GraceTime: 60}\n"
    result = lossless(bring(SMALL.replace("- Name: cpu\n", settings) + _OF_THE_CLUSTER))
    assert not result.overlaid


@pytest.mark.parametrize("line", ["NodeSet: some, Feature: efa", "NodeSet: some, Nodes: other-1"])
def test_a_node_set_of_unknown_nodes_stays_in_the_overlay(line: str) -> None:
    lines = _PARTITIONS.replace('NodeSet: some, Nodes: "cpu-dy-c7i-[1-3,9]"', line)
    result = lossless(bring(SMALL.replace("  SlurmQueues:\n", lines)))
    assert f"- {line.partition(',')[0]}" in result.text


def test_scripts_of_all_nodes_are_one_list() -> None:
    spec = spec_of(bring(LARGE))
    scripts = [(script.run, script.on, script.node_groups) for script in spec.software.scripts]
    assert sorted(scripts) == [
        ("s3://team-scripts/head.sh", ["head"], []),
        ("s3://team-scripts/one.sh", ["compute"], ["gpu-nodes"]),
        ("s3://team-scripts/two.sh", ["compute"], ["gpu-nodes"]),
        ("s3://team-scripts/update.sh", ["head"], []),
    ]


def test_the_readme_says_what_is_deleted_with_the_cluster() -> None:
    cluster = LARGE.replace("DeletionPolicy: Retain", "DeletionPolicy: Delete")
    checked = check_text(filled(bring(cluster)).text, targets=("parallelcluster",))
    files = files_of(checked, "parallelcluster")
    _, _, lost = files["README.md"].partition("This goes with the cluster.")
    for mount in ("/projects", "/fsx", "/raid"):
        assert f"- {mount} with all data: it is the cluster's own" in lost
    assert "start-session" not in files["README.md"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CLUSTERS)
def test_an_adopted_cluster_has_nothing_to_update(name: str) -> None:
    """An update compares what is written: a default that only one file has is a change."""
    text = "Region: us-west-2\n" + CLUSTERS[name].replace("Region: us-west-2\n", "")
    original = yaml.safe_load(text)
    adopted, plain = (document(bring(text, adopt=a), TARGET.name) for a in (True, False))
    assert adopted == original
    nothing, something = changes_of_all([(original, adopted), (original, plain)])
    assert nothing == []
    assert something


_SPELLINGS = {
    "placement of a queue": ("SubnetIds: [", "PlacementGroup: {Enabled: true}, SubnetIds: ["),
    "no placement group": ("SubnetIds: [", "PlacementGroup: {Enabled: false}, SubnetIds: ["),
    "one script": (
        "  Ssh: {KeyName: team}",
        "  CustomActions: {OnNodeConfigured: {Script: 's3://team/x.sh', Args: [a]}}",
    ),
    "a number": (
        "  SlurmQueues:",
        "  SlurmSettings: {CustomSlurmSettings: [{SlurmctldTimeout: 300}]}\n  SlurmQueues:",
    ),
    "a type without SMT": (
        "InstanceType: c7i.4xlarge",
        "InstanceType: hpc6a.48xlarge, DisableSimultaneousMultithreading: true",
    ),
}


@pytest.mark.parametrize("kind", _SPELLINGS)
def test_what_users_write_needs_no_overlay(kind: str) -> None:
    result = lossless(bring(SMALL.replace(*_SPELLINGS[kind])))
    assert not result.overlaid


_SAME_EFFECT = {
    "placement of a compute resource": (
        "Name: c7i,",
        "Name: c7i, Networking: {PlacementGroup: {Enabled: true}},",
    ),
    "a sequence of one": (
        "  Ssh: {KeyName: team}",
        "  CustomActions: {OnNodeConfigured: {Sequence: [{Script: 's3://team/x.sh'}]}}",
    ),
    "a number as text": (
        "  SlurmQueues:",
        "  SlurmSettings: {CustomSlurmSettings: [{SlurmctldTimeout: '300'}]}\n  SlurmQueues:",
    ),
    "a reservation of a queue": (
        "    - Name: cpu",
        "    - Name: cpu\n"
        "      CapacityReservationTarget: {CapacityReservationId: cr-0a1b2c3d4e5f67890}",
    ),
}


@pytest.mark.parametrize("kind", _SAME_EFFECT)
def test_the_overlay_keeps_the_form_that_the_object_model_tells_apart(kind: str) -> None:
    result = lossless(bring(SMALL.replace(*_SAME_EFFECT[kind])))
    assert result.overlaid


_STACK = """\
Parameters:
  Most: {{Type: Number, Default: 4}}
Resources:
  Cluster:
    Type: Custom::PclusterCluster
    Properties:
      ServiceToken: !GetAtt [Provider, Outputs.ServiceToken]
      ClusterName: research
      ClusterConfiguration:
{0}
"""


def test_a_cluster_of_a_template_is_imported_with_its_parameters() -> None:
    config = SMALL.replace(
        "InstanceType: c7i.4xlarge", "InstanceType: c7i.4xlarge, MaxCount: !Ref Most"
    )
    config = config.replace(
        "subnet-0a1b2c3d4e5f67890}\n  Ssh", "!GetAtt [Vpc, Outputs.Public]}\n  Ssh"
    )
    config += """LoginNodes:
  Pools:
    - Name: login
      InstanceType: c7i.large
      Networking:
        SubnetIds: [subnet-0a1b2c3d4e5f67890]
        AdditionalSecurityGroups: [!GetAtt [Data, Outputs.Group]]
      CustomActions: {OnNodeStart: {Script: 's3://team/x.sh', Args: [587]}}
"""
    text = _STACK.format(indent(config, " " * 8))
    result = lossless(bring(text))
    assert "IMP012" not in codes(result)
    spec = spec_of(result)
    assert spec.node_groups[0].count.max == 4
    asked = [f for f in result.findings if f.code == "IMP002"]
    assert [f.message for f in asked if "Outputs" in f.message] == [
        "no file says what Vpc.Outputs.Public is",
        "no file says what Data.Outputs.Group is",
    ]
    assert all(f.span for f in asked)


def test_check_of_a_template_with_a_cluster_points_to_import() -> None:
    found = check_text(_STACK.format(indent(SMALL, " " * 8))).findings
    assert any("clustergen import" in f.help for f in found)
