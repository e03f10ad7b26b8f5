"""What Kubernetes does with changed objects."""

import json
from typing import Any

import pytest

from clustergen.base.text_lists import words
from clustergen.bundle.effects import Kind, effects, worst

Json = dict[str, Any]
FILE = "manifests/a.yaml"


def bundle(**service: object) -> dict[str, str]:
    return {"bundle.json": json.dumps({"service": service})}


BY_CDK = bundle(by_cdk=True)
KUEUE = "kueue.x-k8s.io/v1beta2"

APIS = {
    **dict.fromkeys(words("Topology ResourceFlavor ClusterQueue LocalQueue"), KUEUE),
    **dict.fromkeys(words("StatefulSet Deployment"), "apps/v1"),
    "NodePool": "karpenter.sh/v1",
    "StorageClass": "storage.k8s.io/v1",
    "Job": "batch/v1",
    "PriorityClass": "scheduling.k8s.io/v1",
}


def thing(kind: str, name: str = "a", **fields: Any) -> Json:
    made = {"apiVersion": APIS.get(kind, "v1"), "kind": kind, "metadata": {"name": name}}
    return {**made, **fields}


def kind_of(old: list[Json], new: list[Json], **others: str) -> Kind:
    texts = ("---\n".join(f"{json.dumps(each)}\n" for each in things) for things in (old, new))
    before, after = ({FILE: text} for text in texts)
    return worst(effects(before, {**after, **others}))


def volume(handle: str, source: str = "csi") -> Json:
    return thing("PersistentVolume", spec={source: {"volumeHandle": handle}})


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Retain", "Delete", "data-at-risk"),
        ("", "Delete", "data-at-risk"),
        ("Delete", "Retain", "in-place"),
        ("Retain", "", "in-place"),
    ],
)
def test_a_volume_goes_with_its_claim(old: str, new: str, kind: Kind) -> None:
    """A volume in a manifest stays without its claim, if it does not say what happens to it."""
    specs = ({"persistentVolumeReclaimPolicy": each} if each else {} for each in (old, new))
    before, after = (thing("PersistentVolume", spec=spec) for spec in specs)
    assert kind_of([before], [after]) == kind


def topology(*labels: str) -> Json:
    return thing("Topology", spec={"levels": [{"nodeLabel": label} for label in labels]})


def pool(name: str = "a", values: tuple[str, ...] = ("p5",), **spec: Any) -> Json:
    needs = [{"key": "type", "operator": "In", "values": list(values)}]
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "a"}
    template = {"spec": {"requirements": needs, "nodeClassRef": reference}}
    return thing("NodePool", name, spec={"template": template, **spec})


def storage_class() -> Json:
    return thing("StorageClass", "gp3", allowVolumeExpansion=True)


def claim(size: str, storage: str = "gp3", **spec: Any) -> Json:
    asked = {"requests": {"storage": size}}
    spec = {"storageClassName": storage, "resources": asked, **spec}
    return thing("PersistentVolumeClaim", spec=spec)


def a_set(volume: int = 1, template: int = 1) -> Json:
    return thing("StatefulSet", spec={"template": template, "volumeClaimTemplates": [volume]})


def both(kind: str, old: Json, new: Json) -> tuple[list[Json], list[Json]]:
    return [thing(kind, **old)], [thing(kind, **new)]


def specs(kind: str, old: Any, new: Any) -> tuple[list[Json], list[Json]]:
    return both(kind, {"spec": old}, {"spec": new})


HOST = "kubernetes.io/hostname"
A, B = {"topologyName": "a"}, {"topologyName": "b"}
ONE, TWO, SEALED = {"data": {"a": "1"}}, {"data": {"a": "2"}}, {"immutable": True}
TOLERANT = {"tolerations": [{"key": "b"}]}
CHANGES: dict[Kind, dict[str, tuple[list[Json], list[Json]]]] = {
    "refused": {
        "another file system": ([volume("fs-1")], [volume("fs-2")]),
        "another NFS server": ([volume("a", "nfs")], [volume("b", "nfs")]),
        "a larger claim of another class": ([claim("10Gi")], [claim("20Gi")]),
        "a smaller claim": ([storage_class(), claim("10Gi")], [storage_class(), claim("9G")]),
        "another class of a claim": ([claim("1Gi", "a")], [claim("1Gi", "b")]),
        "another volume of a set": ([a_set(1)], [a_set(2)]),
        "another value of a sealed map": both("ConfigMap", SEALED | ONE, SEALED | TWO),
        "another type of a secret": both("Secret", {"type": "a"}, {"type": "b"}),
        "another selector": specs("Deployment", {"selector": 1}, {"selector": 2}),
        "another value of a priority": both("PriorityClass", {"value": 1}, {"value": 2}),
        "tolerations of a flavor with a topology": specs("ResourceFlavor", A, A | TOLERANT),
        "another topology of a flavor": specs("ResourceFlavor", A, B),
        "levels above hosts": ([topology("a", HOST)], [topology("b", HOST)]),
        "levels without hosts": ([topology("a")], [topology("b")]),
        "a static pool": ([pool()], [pool(replicas=2)]),
    },
    "in-place": {
        "a larger claim of a class that grows": (
            [storage_class(), claim("10Gi")],
            [storage_class(), claim("0.5Ti")],
        ),
        "another template of a set": ([a_set(template=1)], [a_set(template=2)]),
        "a set without volumes less": ([thing("StatefulSet", spec={})], []),
        "a claim of a named volume less": ([claim("1Gi", "", volumeName="a")], []),
        "another value of a map": both("ConfigMap", ONE, TWO),
        "tolerations of a flavor without": specs("ResourceFlavor", {}, TOLERANT),
        "a first topology of a flavor": specs("ResourceFlavor", {}, B),
        "a quota": specs("ClusterQueue", {"quota": 1}, {"quota": 2}),
        "more types": ([pool()], [pool(values=("p5", "p5e"))]),
        "a limit of a pool": ([pool(limits=1)], [pool(limits=2)]),
        "a quota less": ([thing("ClusterQueue")], []),
    },
    "data-at-risk": {
        "a set with volumes less": ([a_set(1)], []),
        "a claim with a volume of its own less": ([claim("1Gi")], []),
    },
    "new-nodes-only": {"other types": ([pool()], [pool(values=("p5e",))])},
    "removes-nodes": {"a pool less": ([pool(), pool("b")], [pool()])},
    "replaces-resource": {
        "a pool's name": ([pool()], [pool("b")]),
        "no pools": ([pool()], []),
        "a queue less": ([thing("LocalQueue")], []),
    },
    "leftover": {"a namespace less": ([thing("Namespace")], [])},
    "none": {"a job less": ([thing("Job")], [])},
}


ROWS = [pytest.param(*row, k, id=name) for k in CHANGES for name, row in CHANGES[k].items()]


@pytest.mark.parametrize(("old", "new", "kind"), ROWS)
def test_objects(old: list[Json], new: list[Json], kind: Kind) -> None:
    assert kind_of(old, new) == kind


def test_a_kind_of_another_api_group_is_another_object() -> None:
    """Volcano and KAI both have queues. The CDK app uninstalls Volcano."""
    groups, queue = ("scheduling.volcano.sh", "scheduling.run.ai"), thing("Queue")
    old, new = (json.dumps({**queue, "apiVersion": f"{group}/v1"}) for group in groups)
    found = effects({FILE: old}, {FILE: new, **BY_CDK})
    told = [(each.kind, each.text.split()[0]) for each in found]
    queues = [("in-place", "creates"), ("in-place", "deletes")]
    assert told == [*queues, ("leftover", "uninstalls")]


def test_the_cdk_app_keeps_namespaces() -> None:
    old, new = ({FILE: json.dumps(thing(kind))} for kind in ("Namespace", "ConfigMap"))
    found = effects(old, {**new, **BY_CDK})
    assert worst(found) == "leftover"


def test_what_stays_is_shown_in_its_file() -> None:
    deleted, kept = (json.dumps(thing(kind)) for kind in ("ConfigMap", "Namespace"))
    found = effects({FILE: deleted, "manifests/kept.yaml": kept}, {})
    assert [each.file for each in found if each.kind == "leftover"] == ["manifests/kept.yaml"]


PARTITIONS = "migManager: {config: {data: {config.yaml: '{mig-configs: {%s}}'}}}\n"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("a: [1g]", "a: [2g]", "replaces-nodes"),
        ("a: [1g]", "a: [1g], b: [2g]", "in-place"),
        ("a: [1g], b: [2g]", "a: [1g]", "in-place"),
    ],
)
def test_other_partitions_of_a_group(old: str, new: str, kind: Kind) -> None:
    """A group that has partitions for the first time gets a label, which the template has."""
    path = "values/gpu-operator.yaml"
    assert worst(effects({path: PARTITIONS % old}, {path: PARTITIONS % new})) == kind


def test_a_chart_less() -> None:
    names = (["kueue", "volcano"], ["kueue"])
    releases = ([{"name": name} for name in each] for each in names)
    before, after = (bundle(software={"releases": each}) for each in releases)
    [effect] = effects(before, after)
    assert (effect.kind, effect.subject) == ("leftover", "chart volcano")


def test_a_new_file_system_is_a_new_source() -> None:
    """The placeholder in the manifest is the same; its value is another one."""
    systems = [{"Type": "AWS::EFS::FileSystem", "Properties": {"KmsKeyId": k}} for k in ("a", "b")]
    before, after = (
        {
            "foundation.template.json": json.dumps(
                {"Resources": {"Home": each}, "Outputs": {"HomeId": {"Value": {"Ref": "Home"}}}}
            ),
            FILE: json.dumps(volume("${HomeId}")),
        }
        for each in systems
    )
    assert {each.kind for each in effects(before, after)} == {"data-at-risk", "refused"}
