"""What edits do on EKS, on HyperPod with EKS and on Batch."""

from __future__ import annotations

import pytest

from clustergen.effects import Kind, effects, worst
from tests.checking import Fragments

EKS, HPE, BATCH = "eks", "hyperpod-eks", "batch"
GROUP = "node_groups: [{name: h200, %s}]\n"
CPU = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.8xlarge, count: 2%s}]\n"
QUEUES = "queues: [{name: train, node_groups: [h200]%s}%s]\n"
PREP = ", {name: prep, node_groups: [h200]}"
PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/a"
BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f6789%s}"
POOL = "node_groups: [{name: h200, count: {min: 0, max: 4}%s}]\nkubernetes: {autoscaler: %s}\n"
SYSTEM = "kubernetes: {system_nodes: {%s}}"

EDITS: dict[str, tuple[str, str, dict[str, Kind]]] = {
    "a label": (
        "",
        GROUP % "labels: {team: blue}",
        {EKS: "in-place", HPE: "in-place", BATCH: "replaces-nodes"},
    ),
    # Kueue rejects other tolerations of a flavor: there is a new one.
    "a taint": (
        "",
        GROUP % "taints: [{key: a, value: b, effect: NoSchedule}]",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "no taint of accelerators": (
        "",
        GROUP % "accelerator_taint: false",
        {EKS: "in-place"},
    ),
    "more nodes": (
        "",
        GROUP % "count: 6",
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "fewer nodes": (
        GROUP % "count: 6",
        "",
        {EKS: "removes-nodes", HPE: "removes-nodes", BATCH: "in-place"},
    ),
    "another type": (
        "",
        GROUP % "instance_type: p5.48xlarge",
        {EKS: "refused", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "another purchase option": (
        CPU % "",
        CPU % ", capacity: spot",
        {EKS: "refused", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "a reservation": (
        "",
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67890}",
        {EKS: "replaces-nodes", BATCH: "replaces-nodes"},
    ),
    "no Spot": (CPU % ", capacity: spot", CPU % "", {EKS: "refused", HPE: "refused"}),
    "a Capacity Block": ("", GROUP % (BLOCK % 1), {EKS: "refused"}),
    "the next Capacity Block": (GROUP % (BLOCK % 1), GROUP % (BLOCK % 2), {EKS: "needs-stop"}),
    "a training plan": (
        "",
        GROUP
        % "capacity: {training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/a'}",
        {HPE: "new-nodes-only"},
    ),
    "an image": (
        "",
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        {EKS: "refused", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "another image": (
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        GROUP % "image: ami-0a1b2c3d4e5f67891",
        {EKS: "replaces-nodes", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "a larger root volume": (
        "",
        GROUP % "root_volume: {size: 700GiB}",
        {EKS: "replaces-nodes", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "one thread per core": (
        "",
        GROUP % "threads_per_core: 1",
        {EKS: "replaces-nodes", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "no EFA": (
        "",
        GROUP % "efa: false",
        {EKS: "replaces-nodes", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "a node group": (
        "",
        CPU % "",
        {EKS: "in-place", HPE: "new-nodes-only", BATCH: "in-place"},
    ),
    "a node group less, with its queue": (
        CPU % "",
        "",
        {EKS: "removes-nodes", HPE: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "a node group less": (
        (CPU % "") + QUEUES % ("", ""),
        QUEUES % ("", ""),
        {EKS: "removes-nodes", HPE: "leftover", BATCH: "removes-nodes"},
    ),
    "a node group's name": (
        CPU % "",
        (CPU % "").replace("cpu", "other"),
        {EKS: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "a priority": (
        QUEUES % (", priority: 10", ""),
        QUEUES % (", priority: 20", ""),
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "a queue": (
        QUEUES % ("", ""),
        QUEUES % ("", PREP),
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "a queue less": (
        QUEUES % ("", PREP),
        QUEUES % ("", ""),
        {EKS: "leftover", HPE: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "a queue's name": (
        QUEUES % ("", ""),
        (QUEUES % ("", "")).replace("train", "other"),
        {EKS: "leftover", HPE: "replaces-resource", BATCH: "replaces-resource"},
    ),
    "a tag": (
        "",
        "tags: {team: blue}",
        {EKS: "replaces-nodes", HPE: "replaces-nodes", BATCH: "replaces-nodes"},
    ),
    "another zone": (
        "",
        "network: {zone: use1-az5}",
        {EKS: "refused", HPE: "refused", BATCH: "refused"},
    ),
    "the next Kubernetes": (
        "kubernetes: {version: '1.33'}",
        "kubernetes: {version: '1.34'}",
        {EKS: "replaces-nodes", HPE: "replaces-nodes"},
    ),
    "two versions at once": (
        "kubernetes: {version: '1.33'}",
        "kubernetes: {version: '1.35'}",
        {EKS: "refused", HPE: "refused"},
    ),
    "an older Kubernetes": (
        "kubernetes: {version: '1.34'}",
        "kubernetes: {version: '1.33'}",
        {EKS: "refused", HPE: "refused"},
    ),
    "another type of system nodes": (
        SYSTEM % "instance_type: m7i.xlarge",
        SYSTEM % "instance_type: m7i.2xlarge",
        {EKS: "refused", HPE: "refused"},
    ),
    "more system nodes": (
        SYSTEM % "count: 2",
        SYSTEM % "count: 3",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "no Kueue": ("", "kubernetes: {admission: none}", {EKS: "leftover"}),
    "another scheduler": (
        "kubernetes: {scheduler: kai}",
        "kubernetes: {scheduler: volcano}",
        {EKS: "leftover"},
    ),
    "Karpenter": (POOL % ("", "none"), POOL % ("", "karpenter"), {EKS: "removes-nodes"}),
    "no Karpenter": (POOL % ("", "karpenter"), POOL % ("", "none"), {EKS: "replaces-resource"}),
    "a taint of Karpenter's nodes": (
        POOL % ("", "karpenter"),
        POOL % (", taints: [{key: a, value: b, effect: NoSchedule}]", "karpenter"),
        {EKS: "new-nodes-only"},
    ),
    "claims of devices": ("", "kubernetes: {devices: dra}", {EKS: "leftover"}),
    "no claims": ("kubernetes: {devices: dra}", "", {EKS: "leftover"}),
    "addresses of people": (
        "",
        "kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "another file system in a bucket's place": (
        "storage: [{mount: /a, type: s3, bucket: 's3://bucket-a'}]",
        "storage: [{mount: /a, type: s3, bucket: 's3://bucket-b'}]",
        {EKS: "refused", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "a larger Lustre": (
        "storage: [{mount: /a, type: fsx-lustre, size: 4800GiB}]",
        "storage: [{mount: /a, type: fsx-lustre, size: 7200GiB}]",
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
}
CASES = [(edit, target, kind) for edit, row in EDITS.items() for target, kind in row[2].items()]


@pytest.mark.parametrize(("edit", "target", "kind"), CASES)
def test_the_most_dangerous_effect(edit: str, target: str, kind: Kind) -> None:
    before, after, _ = EDITS[edit]
    made = Fragments(target)
    found = effects(made.files(before), made.files(after))
    assert worst(found) == kind, [each.text for each in found if each.kind != "in-place"]


def test_another_existing_cluster_is_no_other_name_of_ours() -> None:
    """The script has both names: that of the bundle, and that of the cluster it adds to."""
    before, after = (
        {"deploy.sh": f"region=us-east-1\ncluster=mine\neks_cluster={name}\n"} for name in "ab"
    )
    [effect] = effects(before, after)
    assert (effect.kind, effect.stays) == ("leftover", "objects in a")
