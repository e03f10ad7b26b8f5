"""What of a template goes together; asked of templates that an overlay has changed.

A template that clustergen makes by itself keeps these rules; the tests ask them of every one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits

if TYPE_CHECKING:
    from clustergen.targets.eks.breaches.breach import Area, Breach


def _overlay(resources: str) -> str:
    return f"targets: {{eks: {{overlay: {{Resources: {{{resources}}}}}}}}}"


_TEMPLATE = "NodeGroupH200LaunchTemplate: {Properties: {LaunchTemplateData: {%s}}}"
_GROUP = "NodeGroupH200: {Properties: {%s}}"
_CLUSTER = "Cluster: {Properties: {%s}}"
_NETWORK = _CLUSTER % "ResourcesVpcConfig: {%s}"
_ENTRY = (
    "Team: {Type: AWS::EKS::AccessEntry, Properties: {ClusterName: {Ref: Cluster}, "
    "PrincipalArn: 'arn:aws:iam::111122223333:role/team', %s}}"
)
_ADDON = (
    "Metrics: {Type: AWS::EKS::Addon, Properties: {ClusterName: {Ref: Cluster}, AddonName: %s}}"
)

TEMPLATE = Rule(
    code="OVL500",
    title="Template whose launch template EKS refuses",
    why="Subnets, role, Spot and lifecycle are the node group's: a launch template that has them "
    "fails the deployment or a later update.",
    source=limits.LAUNCH_TEMPLATES,
    target="eks",
    bad=_overlay(_TEMPLATE % "InstanceInitiatedShutdownBehavior: terminate"),
    good=_overlay(_TEMPLATE % "Monitoring: {Enabled: true}"),
)
GROUP = Rule(
    code="OVL501",
    title="Template whose node group contradicts its launch template",
    why="What a launch template says, its node group may not say again: disk, image, types.",
    source=limits.LAUNCH_TEMPLATES,
    target="eks",
    bad=_overlay(_GROUP % "DiskSize: 500"),
    good=_overlay(_GROUP % "ForceUpdateEnabled: true"),
)
CAPACITY = Rule(
    code="OVL502",
    title="Template whose capacity cannot be had",
    why="A Capacity Block, a reservation and Spot exclude each other, and a block wants its "
    "market, its id, its type and its zone said in full.",
    source=limits.CAPACITY_BLOCKS,
    target="eks",
    bad=_overlay(_GROUP % "CapacityType: CAPACITY_BLOCK"),
    good=_overlay(_GROUP % "CapacityType: ON_DEMAND"),
)
INTERFACES = Rule(
    code="OVL503",
    title="Template whose network interfaces do not fit",
    why="An interface sits on a card that the type has, the first has an address, and each has "
    "the cluster's own security group, without which nodes do not join.",
    source=limits.EFA,
    target="eks",
    bad=_overlay(_TEMPLATE % "SecurityGroupIds: [sg-0a1b2c3d4e5f67890]"),
    good=_overlay(_TEMPLATE % "EbsOptimized: true"),
)
IMAGE = Rule(
    code="OVL504",
    title="Template whose image does not boot on its instances",
    why="The image has to be of the type's architecture, with a driver for its accelerators, and "
    "there for the version of Kubernetes.",
    source=limits.IMAGES,
    target="eks",
    bad=_overlay(_GROUP % "AmiType: AL2023_ARM_64_NVIDIA"),
    good=_overlay(_GROUP % "AmiType: AL2023_x86_64_NVIDIA"),
)
USER_DATA = Rule(
    code="OVL505",
    title="Template whose user data EKS cannot merge",
    why="EKS adds a part of its own to user data of a node group: it has to be MIME multi-part, "
    "of 16 KiB at the most, and may not start the kubelet.",
    source=f"{limits.LAUNCH_TEMPLATES}#launch-template-user-data",
    target="eks",
    bad=_overlay(_TEMPLATE % "UserData: {Fn::Base64: '#!/bin/bash'}"),
    good=_overlay(_TEMPLATE % "UserData: null"),
)
SCALING = Rule(
    code="OVL506",
    title="Template whose numbers of nodes contradict each other",
    why="Minimum, desired and maximum come in this order; a threshold is a count or a percentage.",
    source=limits.CREATE_NODE_GROUP,
    target="eks",
    bad=_overlay(_GROUP % "ScalingConfig: {MinSize: 9}"),
    good=_overlay(_GROUP % "ScalingConfig: {MinSize: 0}"),
)
CLUSTER = Rule(
    code="OVL507",
    title="Template whose control plane EKS refuses",
    why="A control plane has subnets of two zones, a way to its API, and access entries only in "
    "the mode API; Auto Mode is on as a whole or not at all.",
    source=limits.CREATE_CLUSTER,
    target="eks",
    bad=_overlay(_NETWORK % "EndpointPrivateAccess: false"),
    good=_overlay(_NETWORK % "EndpointPrivateAccess: true"),
)
ENDPOINT = Rule(
    code="OVL508",
    title="Template whose API is open to the internet",
    why="Whoever holds a leaked credential reaches the API from anywhere.",
    source=limits.ENDPOINT,
    severity=Severity.WARNING,
    target="eks",
    bad=_overlay(_NETWORK % "EndpointPublicAccess: true"),
    good=_overlay(_NETWORK % "EndpointPublicAccess: true, PublicAccessCidrs: [203.0.113.0/24]"),
)
ACCESS = Rule(
    code="OVL509",
    title="Template whose access entries or roles of pods EKS refuses",
    why="Entries of nodes have no policies, a policy for namespaces names some, and a role of "
    "pods lets pods take it.",
    source=limits.ACCESS_ENTRIES,
    target="eks",
    bad=_overlay(_ENTRY % "Type: EC2_LINUX, KubernetesGroups: [admins]"),
    good=_overlay(_ENTRY % "KubernetesGroups: [admins]"),
)
ADDON = Rule(
    code="OVL510",
    title="Template whose add-ons EKS does not have",
    why="Add-ons are those of EKS's list; other software comes by its chart.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html",
    target="eks",
    bad=_overlay(_ADDON % "aws-efa-k8s-device-plugin"),
    good=_overlay(_ADDON % "metrics-server"),
)
_BY_AREA: Mapping[Area, Rule] = {
    "template": TEMPLATE,
    "group": GROUP,
    "capacity": CAPACITY,
    "interfaces": INTERFACES,
    "image": IMAGE,
    "user-data": USER_DATA,
    "scaling": SCALING,
    "cluster": CLUSTER,
    "endpoint": ENDPOINT,
    "access": ACCESS,
    "add-on": ADDON,
}
RULES = tuple(_BY_AREA.values())


def check(plan: Plan, document: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Finding]:
    """What the overlay of ``plan``, laid on ``document`` with ``keys``, breaks."""
    from clustergen import overlay  # with its schemas, of no use to a spec that has none
    from clustergen.targets.eks.breaches import breaches

    before = set(breaches(document))
    for breach in breaches(overlay.apply(document, plan.overlay, keys=keys)):
        if breach not in before:
            path = ("targets", "eks", "overlay", *_place(breach, plan.overlay))
            yield _BY_AREA[breach.area].at(path, breach.message, help=breach.help)


def _place(breach: Breach, over: Mapping[str, Any]) -> Path:
    """The part of the overlay that the breach is about, as far as the overlay has it."""
    place: Path = ()
    node: Any = over
    for step in ("Resources", breach.resource, "Properties", *breach.path):
        if not isinstance(node, Mapping) or step not in node:
            break
        place, node = (*place, step), node[step]
    return place
