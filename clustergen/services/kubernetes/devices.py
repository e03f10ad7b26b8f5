"""Software that offers the devices of nodes to pods, where others may have it.

A node can have only one plugin for a device: two compete for a socket of the kubelet, and a driver
for claims beside a plugin lets two pods have one device. Ours runs on nodes of the bundle only. In
an existing cluster, a deployment compares the other DaemonSets with the labels and taints of
these nodes, and installs it for those groups that none of them serves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from clustergen.base.digests import sha256
from clustergen.deployment.software import model
from clustergen.deployment.software.model import DeviceNodes
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes import labels_and_taints
from clustergen.services.kubernetes.names import INSTANCE_TYPE_LABEL

_LONGEST_RELEASE = 53
"""https://helm.sh/docs/chart_template_guide/getting_started/ (the release name)"""


# Containers that offer devices: the end of the image's name and, after a blank, the container's.
NVIDIA_PLUGIN = "k8s-device-plugin [^ ]*plugin[^ ]*"
"""GPU feature discovery and the MPS daemon have the same image."""
NEURON_PLUGIN = "neuron-device-plugin"
EFA_PLUGIN = "aws-efa-k8s-device-plugin"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a component offers, and on which nodes."""

    groups: tuple[NodeGroup, ...]
    same: str
    """Regular expression of containers that offer it likewise: image, blank, name. The image has
    lost its registry and tag."""
    other: str
    """That of containers which offer the same devices in the other way: claims or a plugin."""
    value: str = ""
    """The value with the names of the node groups. Without one, a cluster has only one release:
    its chart has objects with fixed names that are not in a namespace."""


def release(plan: Plan, chart: str, offer: Offer | None) -> str:
    """The name of the release of a chart. An existing cluster may have those of several bundles."""
    if plan.system or offer is None or not offer.value:
        return chart
    name = f"{chart}-{plan.name}".lower()
    if len(name) <= _LONGEST_RELEASE:
        return name
    return f"{name[: _LONGEST_RELEASE - 7].rstrip('-')}-{sha256(plan.name)[:6]}"


@dataclass(frozen=True, slots=True)
class Marks:
    """What a service calls the types of nodes, and what it marks them with."""

    kind: Callable[[InstanceType], str]
    labels: Callable[[NodeGroup], Mapping[str, str]]
    taints: Callable[[NodeGroup], Iterable[Taint]]


def _labels_on_eks(group: NodeGroup) -> dict[str, str]:
    return {**labels_and_taints.labels(group), labels_and_taints.NODE_GROUP_LABEL: group.name}


ON_EKS = Marks(lambda kind: kind.name, _labels_on_eks, labels_and_taints.taints)


def nodes(
    plan: Plan, offers: Mapping[str, tuple[NodeGroup, ...]], marks: Marks
) -> Iterator[DeviceNodes]:
    """The nodes that a deployment compares with DaemonSets; ``offers`` are groups by chart."""
    for group in plan.node_groups:
        used = tuple(name for name, groups in offers.items() if group in groups)
        for kind in map(marks.kind, group.types) if used else ():
            labels = {**marks.labels(group), **dict(_known_labels(plan, group, kind))}
            taints = (t for t in marks.taints(group) if t.effect != "PreferNoSchedule")
            kept = tuple(model.Taint(t.key, t.effect, t.value) for t in taints)
            yield DeviceNodes(group.name, kind, used, labels, kept)


def _known_labels(plan: Plan, group: NodeGroup, kind: str) -> Iterator[tuple[str, str]]:
    """Labels by which a DaemonSet may select nodes, as far as they are known before there are any.

    https://kubernetes.io/docs/reference/labels-annotations-taints/
    """
    arch = "arm64" if group.type.arch == "arm64" else "amd64"
    for prefix in ("kubernetes.io", "beta.kubernetes.io"):
        yield f"{prefix}/os", "linux"
        yield f"{prefix}/arch", arch
    for name in (INSTANCE_TYPE_LABEL, "beta.kubernetes.io/instance-type"):
        yield name, kind
    for name in ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"):
        yield name, plan.region
