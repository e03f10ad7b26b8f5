"""Overlays: merging, and findings."""

import copy
import functools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import overlay, targets
from clustergen.base.findings import Path as Place
from clustergen.base.findings import Problem, rule
from tests.support.checking import Fragments
from tests.support.paths import ROOT
from tests.support.tables import flow
from tests.support.tiers import IN_REAL, share
from tests.validators.parallelcluster.environment import python_for_validators

KEYS = ("Card+Device", "Name", "Key")

# document, overlay, merged
MERGED: list[tuple[Any, Any, Any]] = flow("""
- [{a: 1}, {b: 2}, {a: 1, b: 2}]
- [{a: {b: 1, c: 2}}, {a: {b: 3}}, {a: {b: 3, c: 2}}]
- [{a: 1, b: 2}, {a: null}, {b: 2}]
- [{a: 1}, {b: null}, {a: 1}]
- [{}, {a: {b: null, c: {d: null}}}, {a: {c: {}}}]
- [{a: [1, 2]}, {a: [3]}, {a: [3]}]
- [{a: [1]}, {a: []}, {a: []}]
- [{a: [1]}, {a: {b: 1}}, {a: {b: 1}}]
- [{a: {b: 1}}, {a: [1]}, {a: [1]}]
- [{a: 1}, {a: [null, {b: null}]}, {a: [null, {}]}]
- [[{Name: x, v: 1}, {Name: y}], [{Name: z}, {Name: x, w: 2}],
   [{Name: x, v: 1, w: 2}, {Name: y}, {Name: z}]]
- [[{Key: x, v: 1}], [{Key: x, v: null}], [{Key: x}]]
- [[{Name: 1}], [{Name: 1, v: 2}], [{Name: 1, v: 2}]]
- [[{Name: x}], [{v: 1}], [{v: 1}]]
- [[{Name: x}, {Name: x}], [{Name: x, v: 1}], [{Name: x, v: 1}]]
- [[{Card: 0, Device: 0}, {Card: 0, Device: 1}], [{Card: 0, Device: 1, v: 1}],
   [{Card: 0, Device: 0}, {Card: 0, Device: 1, v: 1}]]
# Items are deleted and renamed, and lists replaced.
- [[{Name: x}, {Name: y}], [{Name: x, $patch: delete}], [{Name: y}]]
- [[{Name: x, v: 1}], [{Name: x, $patch: delete}, {Name: z}], [{Name: z}]]
- [[{Name: x}], [{$patch: replace}, {Name: z}], [{Name: z}]]
- [{a: {b: 1}}, {a: {$patch: replace, c: 2}}, {a: {c: 2}}]
- [[{Name: x, v: 1}, {Name: y}], [{Name: x, $rename: z, w: 2}],
   [{Name: z, v: 1, w: 2}, {Name: y}]]
""")


@pytest.mark.parametrize(("document", "changes", "merged"), MERGED)
def test_apply(document: Any, changes: Any, merged: Any) -> None:
    assert overlay.apply(document, changes, keys=KEYS) == merged


def test_keys_keep_their_order() -> None:
    merged = overlay.apply({"a": 1, "b": 2, "c": 3}, {"d": 5, "b": 4}, keys=KEYS)
    assert list(merged) == ["a", "b", "c", "d"]


NAMES = st.sampled_from(["Name", "Key", "Card", "Device", "a", "b"])
SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["x", "y", "z"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
MAPS = st.dictionaries(NAMES, VALUES, max_size=4)


@settings(max_examples=share(500))
@given(MAPS, MAPS)
def test_laws(document: dict[str, Any], changes: dict[str, Any]) -> None:
    before = copy.deepcopy((document, changes))
    once = overlay.apply(document, changes, keys=KEYS)
    assert overlay.apply(document, {}, keys=KEYS) == document
    assert overlay.apply(once, changes, keys=KEYS) == once
    assert not {key for key, value in changes.items() if value is None} & once.keys()
    assert all(once[key] == value for key, value in document.items() if key not in changes)
    assert (document, changes) == before


CLUSTER: dict[str, Any] = flow("""
Region: us-east-1
Image: {Os: ubuntu2404}
HeadNode:
  InstanceType: m7i.4xlarge
  Networking:
    SubnetId: '${PrivateSubnetId}'
    AdditionalSecurityGroups: ['${ClusterSecurityGroupId}']
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      Networking: {SubnetIds: ['${PrivateSubnetId}']}
      ComputeResources: [{Name: h200, InstanceType: p5en.48xlarge, MaxCount: 4}]
""")
TEMPLATE: dict[str, Any] = flow("""
Parameters: {PrivateSubnetId: {Type: AWS::EC2::Subnet::Id}}
Resources:
  Cluster:
    Type: AWS::PCS::Cluster
    Properties:
      Scheduler: {Type: SLURM, Version: '25.11'}
      Size: SMALL
      Networking: {SubnetIds: [{Ref: PrivateSubnetId}]}
  Group: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        Placement: {GroupName: {Ref: Group}}
        NetworkInterfaces:
          - {NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: interface}
          - {NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: efa-only}
""")


def queue(**changes: Any) -> dict[str, Any]:
    return {"Scheduling": {"SlurmQueues": [{"Name": "train", **changes}]}}


def properties(resource: str, **changes: Any) -> dict[str, Any]:
    return {"Resources": {resource: {"Properties": changes}}}


REQUEST: dict[str, Any] = flow("""
ClusterName: train
InstanceGroups:
  - InstanceGroupName: gpu
    InstanceType: ml.p5.48xlarge
    InstanceCount: 4
    LifeCycleConfig: {SourceS3Uri: 's3://${ScriptsBucketName}/lifecycle/0123',
      OnInitComplete: on_init_complete.sh}
    ExecutionRole: '${HyperPodExecutionRoleArn}'
VpcConfig: {SecurityGroupIds: ['${ClusterSecurityGroupId}'], Subnets: ['${PrivateSubnetId}']}
Orchestrator: {Slurm: {SlurmConfigStrategy: Managed}}
""")


def group(**keys: Any) -> dict[str, Any]:
    """An overlay on the one instance group of REQUEST."""
    return {"InstanceGroups": [{"InstanceGroupName": "gpu", **keys}]}


def interface(**changes: Any) -> dict[str, Any]:
    """An overlay on the second network interface of TEMPLATE."""
    changed = {"NetworkCardIndex": 0, "DeviceIndex": 1, **changes}
    return properties("Template", LaunchTemplateData={"NetworkInterfaces": [changed]})


# Parts of the documents: the overlay on one, and the place of what is found in it.
PARTS: Mapping[str, tuple[Callable[..., dict[str, Any]], str]] = {
    "QUEUE": (queue, "Scheduling.SlurmQueues.0"),
    "GROUP": (group, "InstanceGroups.0"),
    "CLUSTER": (functools.partial(properties, "Cluster"), "Resources.Cluster.Properties"),
    "INTERFACE": (
        interface,
        "Resources.Template.Properties.LaunchTemplateData.NetworkInterfaces.0",
    ),
}

# By target: an overlay, and what is found beside the note, as code, path, and words of message or
# help. What overlays and paths begin with in capitals is one of PARTS.
SAID = flow(r"""
hyperpod-slurm:
- [{TieredStorageConfig: {Mode: Enable}}]
- [{GROUP: {ExecutionRole: '${OtherRoleArn}', ImageId: default}}]
- [{GROUP: {InstanceCount: 8}}, OVL010 GROUP.InstanceCount `count` of the node group]
- [{GROUP: {InstanceType: null, InstanceRequirements: {InstanceTypes: [ml.p5.48xlarge]}}},
   OVL010 GROUP.InstanceType InstanceType is gone]
- [{ClusterName: tr ain}, OVL003 ClusterName does not match the required,
   OVL009 ClusterName change `name` in the spec]
- [{ClusterName: "train\n"}, OVL003 ClusterName does not match the required,
   OVL009 ClusterName change `name` in the spec]
- [{NodRecovery: None}, OVL002 NodRecovery NodeRecovery]
- [{NodeRecovery: Sometimes}, OVL003 NodeRecovery known are Automatic]
- [{GROUP: {InstanceCount: '8'}}, OVL003 GROUP.InstanceCount a whole number]
- [{GROUP: {InstanceType: ml.p5.48xlage}}, 'OVL003 GROUP.InstanceType ml.p5.48xlarge?']
- [{GROUP: {ThreadsPerCore: 4}}, OVL003 GROUP.ThreadsPerCore 4 is greater than]
- [{GROUP: {InstanceType: null}}, OVL007 GROUP exactly one of InstanceType or]
- [{GROUP: {LifeCycleConfig: {OnCreate: on_create.sh}}},
   OVL007 GROUP.LifeCycleConfig OnCreate and OnInitComplete cannot both]
- [{GROUP: {InstanceStorageConfigs: [{EbsVolumeConfig: {}, FsxLustreConfig: {}}]}},
   OVL007 GROUP.InstanceStorageConfigs.0 exactly one of EbsVolumeConfig,
   OVL005 GROUP.InstanceStorageConfigs.0.FsxLustreConfig needs DnsName,
   OVL005 GROUP.InstanceStorageConfigs.0.FsxLustreConfig needs MountName]
- [{Orchestrator: {Eks: {ClusterArn: '${EksClusterArn}'}}},
   OVL007 Orchestrator exactly one of Eks or Slurm]
parallelcluster:
- [{Monitoring: {DetailedMonitoring: true}}]
- [{DevSettings: {Timeouts: {HeadNodeBootstrapTimeout: 3600}}}]
- [{HeadNode: {Networking: {SubnetId: subnet-12345678}}}]
- [{HeadNode: {Networking: {SubnetId: '${Other}', ElasticIp: true}}}]
- [{HeadNode: {Imds: {Secured: false}}, Imds: {ImdsSupport: v1.0}}]
- [{QUEUE: {CustomActions: {OnNodeStart: {Script: 's3://b/k', Args: [a]}}}}]
- [{QUEUE: {ComputeResources: [{Name: h200, MaxCount: '8'}]}},
   OVL010 QUEUE.ComputeResources.0.MaxCount no longer 4]
- [{Monitorin: {}}, 'OVL002 Monitorin did you mean Monitoring?']
- [{QUEUE: {Nme: 1}}, 'OVL002 QUEUE.Nme did you mean Name?']
- [{QUEUE: {ComputeResources: [{Name: h200, MaxCount: 0}]}},
   OVL003 QUEUE.ComputeResources.0.MaxCount minimum of 1]
- [{Image: {Os: ubuntu2405}}, 'OVL003 Image.Os did you mean ubuntu2404?']
- [{LoginNodes: 3}, 'OVL003 LoginNodes LoginNodes is a mapping, not 3']
- [{QUEUE: {Networking: {SubnetIds: [subnet-1]}}},
   OVL003 QUEUE.Networking.SubnetIds.0 the pattern is ^subnet-]
- [{Scheduling: {Schedulr: null}}, 'OVL004 Scheduling.Schedulr Scheduler?']
- [{Scheduling: {SlurmQueues: [{Name: trian, $rename: big}]}}, 'OVL004 QUEUE did you mean train?']
- [{Tags: [{Key: team, $patch: delete}]}, 'OVL004 Tags.0 no Tags[team] to delete']
- [{QUEUE: {$patch: remove}}, 'OVL002 QUEUE.$patch KEY: null']
- [{Image: {$rename: Os}}, OVL002 Image.$rename items of a list]
- [{Image: {Os: null}}, OVL005 Image.Os Image needs Os]
- [{HeadNode: {Image: {}}}, OVL005 HeadNode.Image HeadNode.Image needs CustomAmi]
- [{QUEUE: {ComputeResources: [{Name: h200, InstanceType: null}]}},
   OVL007 QUEUE.ComputeResources.0 InstanceType or Instances or Cap]
- [{HeadNode: {Networking: {SecurityGroups: [sg-12345678]}}},
   OVL007 HeadNode.Networking cannot both be given]
- [{SharedStorage: [{Name: x, MountDir: /x, StorageType: Ebs,
     EfsSettings: {Encrypted: true}}]},
   OVL007 SharedStorage.0 EfsSettings cannot be given here]
- [{SharedStorage: [{Name: x, MountDir: /x, StorageType: FsxLustre,
     FsxLustreSettings: {FileSystemId: fs-12345678901234567, StorageCapacity: 1200}}]},
   OVL007 SharedStorage.0.FsxLustreSettings FileSystemId and StorageCap]
pcs:
- [{CLUSTER: {Tags: {team: x}}}]
- [{CLUSTER: {Size: {'Fn::If': [Big, LARGE, SMALL]}}}]
- [{INTERFACE: {DeleteOnTermination: 'true'}}]
- [{Outputs: {Id: {Value: {'Fn::GetAtt': [Cluster, Id]}}}}]
- [{Outputs: {Id: {Value: {'Fn::Sub': '${AWS::Region} ${Cluster.Id} ${!Not}'}}}}]
- [{Outputs: {Id: {Value: {'Fn::Sub': ['${A} ${Group}', {A: 1}]}}}}]
- [{CLUSTER: {Nme: x, Size: SMAL}}, 'OVL002 CLUSTER.Nme did you mean Name?',
   'OVL003 CLUSTER.Size did you mean SMALL?']
- [{INTERFACE: {InterfaceTyp: efa}}, 'OVL002 INTERFACE.InterfaceTyp did you mean InterfaceType?']
- [{CLUSTER: {Scheduler: null}}, OVL005 CLUSTER.Scheduler needs Scheduler]
- [{Resources: {Topic: {Type: 'AWS::SNS::Topic', Properties: {X: 1}}}},
   'OVL006 Resources.Topic AWS::SNS::Topic']
- [{Resources: {Group: null}}, OVL008 Resources.Group refers to Group]
- [{Outputs: {Id: {Value: {'Fn::GetAtt': Clustr.Id}}}},
   'OVL008 Outputs.Id.Value did you mean Cluster?']
- [{Outputs: {Id: {Value: {'Fn::Sub': ['${Own} ${Gone}', {Own: {Ref: Too}}]}}}},
   OVL008 Outputs.Id.Value refers to Gone, 'OVL008 Outputs.Id.Value.Fn::Sub.1.Own refers to Too']
""")
DOCUMENTS = {"hyperpod-slurm": REQUEST, "parallelcluster": CLUSTER, "pcs": TEMPLATE}
Said = tuple[str, Place, str]


def overlaid(changes: dict[str, Any]) -> dict[str, Any]:
    """An overlay of the table in full."""
    name = next(iter(changes))
    return PARTS[name][0](**changes[name]) if name in PARTS else changes


def said(finding: str) -> Said:
    """Code, place and words of a finding of the table."""
    code, place, words = finding.split(" ", 2)
    first, dot, rest = place.partition(".")
    steps = f"{PARTS[first][1] if first in PARTS else first}{dot}{rest}".split(".")
    return code, tuple(int(step) if step.isdigit() else step for step in steps), words


EXPECTED = [
    (DOCUMENTS[target], target, overlaid(changes), [said(finding) for finding in findings])
    for target, rows in SAID.items()
    for changes, *findings in rows
]


def check(document: dict[str, Any], target: str, changes: dict[str, Any]) -> list[Any]:
    schema = targets.load(target).schema
    return overlay.check(document, changes, schema, ("targets", "x", "overlay"))


@pytest.mark.parametrize(("document", "schema", "changes", "expected"), EXPECTED)
def test_check(
    document: dict[str, Any], schema: str, changes: dict[str, Any], expected: list[Said]
) -> None:
    note, *found = check(document, schema, changes)
    assert note.code == "OVL001"
    assert [(f.code, f.path) for f in found] == [
        (code, ("targets", "x", "overlay", *path)) for code, path, _ in expected
    ]
    for finding, (_, _, words) in zip(found, expected, strict=True):
        assert words in f"{finding.message} {finding.help}"


# Document, target, overlay that changes a name, and its place.
RENAMED: list[tuple[dict[str, Any], str, dict[str, Any], Place]] = [
    (REQUEST, "hyperpod-slurm", {"ClusterName": "other"}, ("ClusterName",)),
    *(
        (
            {"Resources": {"One": {"Type": type, "Properties": {key: "one"}}}},
            type.split("::")[1].lower(),
            {"Resources": {"One": {"Properties": {key: name}}}},
            ("Resources", "One", "Properties", key),
        )
        for type, key in (
            ("AWS::EKS::Cluster", "Name"),
            ("AWS::EKS::Nodegroup", "NodegroupName"),
            ("AWS::PCS::Cluster", "Name"),
            ("AWS::PCS::ComputeNodeGroup", "Name"),
            ("AWS::PCS::Queue", "Name"),
        )
        for name in ("other", None)
    ),
]


@pytest.mark.parametrize(("document", "target", "changes", "path"), RENAMED)
def test_names_do_not_change(
    document: dict[str, Any], target: str, changes: dict[str, Any], path: Place
) -> None:
    """deploy.sh, labels and queues go by the name of the spec."""
    found = [f for f in check(document, target, changes) if f.code == "OVL009"]
    assert [finding.path for finding in found] == [("targets", "x", "overlay", *path)]
    assert not any(f.code == "OVL009" for f in check(document, target, {"Resources": {}}))


# overlay on CLUSTER, the words of the note
NOTES = [
    ({"Image": {"Os": "ubuntu2404"}}, "the overlay changes nothing"),
    ({"Image": {"Os": "rocky9"}}, "overlay changes: Image.Os"),
    ({"HeadNode": {"InstanceType": "x"}, "Tags": []}, "changes: HeadNode.InstanceType, Tags"),
    ({"Scheduling": {"SlurmQueues": None}}, "Scheduling.SlurmQueues (deleted)"),
    (queue(JobExclusiveAllocation=True), "Scheduling.SlurmQueues[train].JobExclusiveAllocation"),
    ({str(n): n for n in range(20)}, "10, 11 and 8 more"),
]


@pytest.mark.parametrize(("changes", "words"), NOTES)
def test_the_note_names_what_changes(changes: dict[str, Any], words: str) -> None:
    assert words in check(CLUSTER, "parallelcluster", changes)[0].message


def test_without_an_overlay_there_is_no_finding() -> None:
    assert check(CLUSTER, "parallelcluster", {}) == []


def test_problems_without_the_overlay_are_not_reported() -> None:
    wrong = {**CLUSTER, "Colour": "red"}
    found = check(wrong, "parallelcluster", {"Tags": []})
    assert [finding.code for finding in found] == ["OVL001"]


@settings(max_examples=share(200))
@given(st.sampled_from(["pcs", "parallelcluster", "hyperpod-slurm"]), MAPS, MAPS)
def test_any_overlay_gives_a_document_or_findings(
    schema: str, top: dict[str, Any], deep: dict[str, Any]
) -> None:
    document = DOCUMENTS[schema]
    named = [{"InstanceGroupName": "gpu", **deep}]
    sections: dict[str, Any] = {
        "Resources": {"Cluster": top, "More": deep},
        "Scheduling": top,
        "Image": deep,
        "Orchestrator": top,
        "InstanceGroups": named,
    }
    for changes in (top, sections, {"Resources": top}, {"Outputs": {"Ref": top, "Fn::Sub": deep}}):
        found = check(document, schema, changes)
        assert (found[0].code if found else "") == ("OVL001" if changes else "")


def test_the_validator_is_not_imported_without_an_overlay() -> None:
    code = "import clustergen.overlay, sys; print('jsonschema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", targets.NAMES)
def test_the_schemas_are_valid(name: str) -> None:
    from jsonschema import Draft202012Validator

    schema = targets.load(name).schema.document()
    Draft202012Validator.check_schema(schema)
    referred = set(json.dumps(schema).split('"#/$defs/')[1:])
    assert {text.partition('"')[0] for text in referred} <= schema["$defs"].keys()


@IN_REAL
@pytest.mark.parametrize("validator", ["cfn-lint", "parallelcluster"])
def test_the_schemas_are_those_of_their_sources(validator: str) -> None:
    python = sys.executable if validator == "cfn-lint" else python_for_validators(ROOT)
    command = [str(python), "-m", "tools.schemas.build", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@rule("OVL399", "Not a rule of clustergen", why="It validates a toy.", source="tests")
def few(document: dict[str, Any]) -> Iterator[Problem]:
    for index, item in enumerate(document["Items"]):
        if item["n"] > 3:
            yield Problem(("Items", index, "n"), f"{item['Key']} has {item['n']}")
    if "Name" not in document:
        yield Problem(("Name",), "no name")


# What is applied to the document below, and the places of what it breaks.
ITEM: Place = ("Items", 0, "n")
BROKEN: list[tuple[dict[str, Any], list[Place]]] = [
    ({}, []),
    ({"Other": 1}, []),
    ({"Items": [{"Key": "c", "n": 4}]}, [ITEM]),
    ({"Items": [{"Key": "b", "n": 4}, {"Key": "a", "m": 1}]}, [ITEM]),
    ({"Items": [{"Key": "big", "n": 8}]}, []),
    ({"Items": [{"Key": "big", "n": 9}]}, [ITEM]),
    ({"Name": None}, [("Name",)]),
    ({"Name": None, "Items": [{"Key": "a", "n": 5}]}, [ITEM, ("Name",)]),
]


@pytest.mark.parametrize(("changes", "places"), BROKEN)
def test_only_problems_of_the_overlay_are_reported(
    changes: dict[str, Any], places: list[Place]
) -> None:
    document = flow("{Name: x, Items: [{Key: a, n: 1}, {Key: b, n: 2}, {Key: big, n: 8}]}")
    schema = targets.load("parallelcluster").schema
    found = overlay.check(document, changes, schema, ("over",), rules=[few])
    broken = [finding.path for finding in found if finding.code == few.code]
    assert broken == [("over", *place) for place in places]


_LISTS = st.lists(
    st.fixed_dictionaries({"Name": st.sampled_from("abc")}, optional={"v": st.integers(0, 2)}),
    max_size=3,
)
_DOCUMENTS = st.dictionaries(st.sampled_from("xyz"), _LISTS | st.integers(0, 2), max_size=3)


@given(_DOCUMENTS, _DOCUMENTS)
def test_the_difference_makes_one_document_of_another(one: Any, other: Any) -> None:
    changes = overlay.difference(one, other, keys=KEYS)
    assert overlay.apply(one, changes, keys=KEYS) == other
    assert changes if one != other else not changes


USED: dict[str, list[tuple[dict[str, Any], str, str]]] = flow("""
parallelcluster:
- [{Region: us-west-2}, OVL009, Region]
- [{QUEUE: {$patch: delete}}, OVL009, train is gone]
- [{QUEUE: {$rename: other}}, OVL009, train is gone]
- [{QUEUE: {ComputeResources: [{$patch: replace}]}}, OVL009, ComputeResources.h200 is gone]
- [{QUEUE: {ComputeResources: [{Name: h200, MaxCount: 2}]}}, OVL010, no longer 4]
- [{Image: {Os: rocky9}}, OVL010, software.os]
hyperpod-slurm:
- [{GROUP: {$patch: delete}}, OVL009, InstanceGroups.gpu is gone]
- [{GROUP: {$rename: other}}, OVL009, InstanceGroups.gpu is gone]
- [{GROUP: {InstanceType: ml.p5en.48xlarge}}, OVL010, ml.p5.48xlarge]
""")


@pytest.mark.parametrize(
    ("target", "changes", "code", "words"),
    [(target, *row) for target, rows in USED.items() for row in rows],
)
def test_what_the_bundle_uses_stays(
    target: str, changes: dict[str, Any], code: str, words: str
) -> None:
    document = CLUSTER | {"Region": "us-east-1"} if target == "parallelcluster" else REQUEST
    found = check(document, target, overlaid(changes))
    [finding] = [f for f in found if f.code in ("OVL009", "OVL010")]
    assert finding.code == code
    assert words in f"{finding.message} {finding.help}"


MADE = """
node_groups: [{name: h200, count: 4}, {name: cpu, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]
"""
FLAWED = MADE.replace("count: 4", "count: {min: 4, max: 2}")
SETTINGS = "Resources: {%s: {Properties: {%s}}}"
NETWORK = "Scheduling: {SlurmQueues: [{Name: h200, Networking: {%s}}]}"
REMOVED = "Resources: {%s: null}"
TAKEN: list[tuple[str, str, str]] = [
    ("pcs", REMOVED % "QueueCpu", "OVL010"),
    ("pcs", SETTINGS % ("NodeGroupCpu", "ScalingConfiguration: {MaxInstanceCount: 1}"), "OVL010"),
    ("pcs", "Outputs: null", "OVL010"),
    ("eks", REMOVED % "NodeGroupCpu", "OVL010"),
    ("eks", REMOVED % "SystemNodes", "OVL010"),
    ("eks", REMOVED % "AddonAwsFsxCsiDriver", "OVL010"),
    ("eks", SETTINGS % ("NodeGroupCpu", "ScalingConfig: {DesiredSize: 2}"), "OVL010"),
    ("eks", SETTINGS % ("NodeRole", "ManagedPolicyArns: ['arn:aws:iam::aws:policy/X']"), "OVL010"),
    ("batch", SETTINGS % ("JobLogGroup", "LogGroupName: /mine"), "OVL009"),
    ("batch", SETTINGS % ("QueueCpu", "JobQueueName: mine"), "OVL009"),
    ("batch", REMOVED % "QueueCpu", "OVL010"),
    ("parallelcluster", NETWORK % "PlacementGroup: null", "OVL102"),
    ("hyperpod-eks", "Orchestrator: {Eks: {ClusterArn: 'arn:aws:eks:x:1:cluster/y'}}", "OVL009"),
]


@pytest.mark.parametrize(("target", "text", "code"), TAKEN)
def test_no_overlay_splits_a_bundle_silently(target: str, text: str, code: str) -> None:
    overlay = f"targets: {{{target}: {{overlay: {{{text}}}}}}}"
    assert code in Fragments(target).codes(f"{MADE}{overlay}")
    # What there is to take away depends on what is wrong.
    assert code not in Fragments(target).codes(f"{FLAWED}{overlay}")


def test_deploy_does_not_wait_for_a_group_that_an_overlay_removes() -> None:
    fragments = Fragments("eks")
    removed = f"{MADE}targets: {{eks: {{overlay: {{{REMOVED % 'NodeGroupCpu'}}}}}}}"
    assert "SizeOfNodeGroupCpu" in fragments.files(MADE)["bundle.json"]
    assert "SizeOfNodeGroupCpu" not in fragments.files(removed)["bundle.json"]


ITS_OWN = [
    *((name, "Unknown: null", "OVL004") for name in targets.NAMES),
    ("parallelcluster", NETWORK % "AssignPublicIp: true", "OVL102"),
]


@pytest.mark.parametrize(("target", "text", "code"), ITS_OWN)
def test_errors_of_a_spec_hide_none_of_its_overlay(target: str, text: str, code: str) -> None:
    overlay = f"targets: {{{target}: {{overlay: {{{text}}}}}}}"
    assert {"CAP008", code} <= {*Fragments(target).codes(f"{FLAWED}{overlay}")}
