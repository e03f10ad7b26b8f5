"""What members of a request go together; asked of requests that an overlay has changed.

A request that clustergen makes by itself keeps these rules; the tests ask them of every one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.artifacts import Json
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod import limits
from clustergen.hyperpod.rules.breaches import Breach, breaches
from clustergen.hyperpod.schema import SCHEMA
from clustergen.plan.model import Plan

_SLURM_GROUP = "InstanceGroups: [{InstanceGroupName: h200, SlurmConfig: "

ROLES = Rule(
    code="OVL300",
    title="Request whose orchestrator HyperPod refuses",
    why="A cluster is of Slurm or of EKS. With Slurm one group is the controller, one at the most "
    "is for logins, and each compute group has one partition.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: {"
    + _SLURM_GROUP
    + "{NodeType: Controller, PartitionNames: null}}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {" + _SLURM_GROUP + "{PartitionNames: [gpu]}}]}}}",
)
COUNTS = Rule(
    code="OVL301",
    title="Request whose instances HyperPod refuses",
    why="A group has one instance type or a list of them, and no more instances at the least than "
    "at the most; what is flexible needs continuous provisioning.",
    source=limits.INSTANCE_GROUP,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: "
    "{InstanceGroups: [{InstanceGroupName: h200, MinInstanceCount: 3}]}}}",
    good="targets: {hyperpod-slurm: {overlay: "
    "{InstanceGroups: [{InstanceGroupName: h200, MinInstanceCount: 1}]}}}",
)
STORAGE = Rule(
    code="OVL302",
    title="Request whose storage HyperPod refuses",
    why="A group has a root and a second volume at the most, one Lustre and one OpenZFS file "
    "system. The root volume takes a key and no size, the other a size.",
    source=f"{limits.INSTANCE_GROUP}#sagemaker-Type-ClusterInstanceGroupSpecification-InstanceStorageConfigs",
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "InstanceStorageConfigs: [{EbsVolumeConfig: {RootVolume: true}}]}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "InstanceStorageConfigs: [{EbsVolumeConfig: {RootVolume: true, VolumeKmsKeyId: alias/disk}}]"
    "}]}}}",
)
SCRIPTS = Rule(
    code="OVL303",
    title="Request whose scripts HyperPod refuses",
    why="A group names one script, to run instead of HyperPod's set-up or after it, and the folder "
    "in S3 that it is in; on EKS every group has to.",
    source=limits.SLURM_API,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: "
    "{InstanceGroups: [{InstanceGroupName: h200, LifeCycleConfig: {OnCreate: setup.sh}}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "LifeCycleConfig: {OnCreate: setup.sh, SourceS3Uri: 's3://sagemaker-scripts/x/'}}]}}}",
)
KUBERNETES = Rule(
    code="OVL304",
    title="Request whose Kubernetes part HyperPod refuses",
    why="Labels, taints, Spot and autoscaling are for clusters of EKS; autoscaling needs a role of "
    "the cluster and continuous provisioning.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-autoscaling.html",
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: {InstanceGroups: "
    "[{InstanceGroupName: h200, KubernetesConfig: {Labels: {team: a}}}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: "
    "[{InstanceGroupName: h200, NetworkInterface: {InterfaceType: efa}}]}}}",
)
PATCHES = Rule(
    code="OVL305",
    title="Request whose patching HyperPod refuses",
    why="Draining nodes first is for EKS and goes in batches; a window of idleness is for the "
    "strategies that wait; a schedule is a cron expression.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterAutoPatchConfig.html",
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "ScheduledUpdateConfig: {ScheduleExpression: rate(7 days)}}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "ScheduledUpdateConfig: {ScheduleExpression: 'cron(0 3 ? * SUN *)'}}]}}}",
)
BUCKET = Rule(
    code="OVL306",
    title="Scripts in a bucket that nodes may not read",
    why="The managed policy of HyperPod's nodes reads buckets of the same account that are called "
    "sagemaker- and something.",
    source="https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerClusterInstanceRolePolicy.html",
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "LifeCycleConfig: {OnCreate: setup.sh, SourceS3Uri: 's3://my-scripts/x/'}}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "LifeCycleConfig: {OnCreate: setup.sh, SourceS3Uri: 's3://sagemaker-scripts/x/'}}]}}}",
)
HARDWARE = Rule(
    code="OVL307",
    title="Request that the instance types do not fit",
    why="Deep health checks are of accelerators, UltraServers come by training plan, EFA stays in "
    "one subnet, a version is of HyperPod's own image, and Karpenter starts neither what is "
    "planned nor what is checked for an hour.",
    source=limits.INSTANCE_GROUP,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, instance_type: c6i.8xlarge}]\n"
    "targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "OnStartDeepHealthChecks: [InstanceStress]}]}}}",
    good="targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, "
    "OnStartDeepHealthChecks: [InstanceStress]}]}}}",
)
_BY_AREA: Mapping[str, Rule] = {
    "roles": ROLES,
    "counts": COUNTS,
    "storage": STORAGE,
    "scripts": SCRIPTS,
    "bucket": BUCKET,
    "kubernetes": KUBERNETES,
    "patches": PATCHES,
    "hardware": HARDWARE,
}
RULES = tuple(_BY_AREA.values())


def check(plan: Plan, document: Json) -> Iterator[Finding]:
    """What the overlay of ``plan``, laid on ``document``, breaks."""
    if not plan.overlay:
        return
    from clustergen import overlay  # with its schemas, of no use to a spec that has none

    before = set(breaches(document))
    merged = overlay.apply(document, plan.overlay, keys=SCHEMA.list_keys)
    for breach in breaches(merged):
        if breach not in before:
            path = ("targets", plan.target, "overlay", *_place(breach, plan.overlay))
            yield _BY_AREA[breach.area].at(path, breach.message, help=breach.help)


def _place(breach: Breach, over: Mapping[str, Any]) -> Path:
    """The member of the overlay that the breach is about, as far as the overlay has it."""
    if not breach.group:
        return breach.path[:1] if breach.path and breach.path[0] in over else ()
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        for index, group in enumerate(over.get(kind) or ()):
            if isinstance(group, Mapping) and group.get("InstanceGroupName") == breach.group:
                member = breach.path[:1] if breach.path and breach.path[0] in group else ()
                return (kind, index, *member)
    return ()
