"""What ``bundle.json`` says of software and objects in a cluster of Kubernetes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from clustergen.deployment.form import Read

HYPERPOD: Final = "dependencies"
"""The release of HyperPod's chart, which a bundle of the same spec may have for that target."""
HYPERPOD_CHART: Final = "hyperpod-helm-chart"
MPI: Final = "mpi-operator"
"""The MPI operator: its objects, and its image."""
MPI_JOBS: Final = "mpijobs.kubeflow.org"
CLUSTER_QUEUES: Final = "clusterqueues.kueue.x-k8s.io"
"""The resource of Kueue's queues of a cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Read):
    """A release of Helm."""

    name: str
    chart: str
    why: str
    reference: str
    """The chart's name in ``repository``, or its ``oci://`` address."""
    repository: str = ""
    version: str
    namespace: str
    values: str = ""
    """The file with its values."""
    waits: bool = False
    """Whether the next steps need its pods."""
    signs: tuple[str, ...] = ()
    """Each shows that a cluster has the software: ``crd/NAME``, or ``image/NAME`` for the end of
    the name of an image of a DaemonSet or a Deployment."""
    same: str = ""
    """Of what offers devices: a regular expression of containers that offer them likewise, as the
    image's name without registry and tag, a blank, and the container's name."""
    other: str = ""
    """That of containers that offer the same devices in another way."""
    groups_value: str = ""
    """The value with the names of the node groups on which it runs."""


@dataclass(frozen=True, slots=True)
class Chart(Read):
    """A chart that this bundle or an earlier one installs."""

    resource: str = ""
    """The custom resource whose objects show that it is in use."""
    devices: str = ""
    """How the names of the resources begin that it adds to nodes."""
    offers: bool = False
    """Whether all that it does is to offer devices to pods."""


@dataclass(frozen=True, slots=True)
class Taint(Read):
    """A taint of nodes that keeps pods off."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class DeviceNodes(Read):
    """The nodes of one type in a node group, whose devices pods use."""

    group: str
    type: str
    charts: tuple[str, ...]
    """Those that offer the devices."""
    labels: Mapping[str, str]
    """Those that are known before there are nodes."""
    taints: tuple[Taint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(Read):
    """What a cluster that exists may have of others."""

    node_label: str
    """The label of nodes with the name of their group."""
    namespaces: tuple[str, ...] = ()
    """To create where they are missing."""
    operator: str = ""
    """The manifest of the MPI operator."""
    runtimes: str = ""
    """The manifest of runtimes, which another installation of Kubeflow Trainer may have."""
    apis: Mapping[str, str] = field(default_factory=dict)
    """By custom resource, the version that objects of the bundle need."""
    classes: Mapping[str, str] = field(default_factory=dict)
    """The device classes that Kueue has to count, by the name of the quota."""
    nodes: tuple[DeviceNodes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Software(Read):
    """Charts and manifests of a bundle."""

    early: tuple[str, ...] = ()
    """Manifests to apply before the charts."""
    late: tuple[str, ...] = ()
    """Those of kinds that charts install."""
    releases: tuple[Release, ...] = ()
    charts: Mapping[str, Chart] = field(default_factory=dict)
    """By name; none where the bundle installs no charts."""
    registry: str = ""
    """The host of the registry with copies of charts."""
    registry_region: str = ""
    """Its region, if it is one of ECR."""
    mpi_operator: bool = False
    volumes: Mapping[str, str] = field(default_factory=dict)
    """What stands in manifests for the path of a volume of FSx, by its id."""
    timetable: str = ""
    """The name of its objects, also in an earlier bundle."""
    held: str = ""
    """The annotation, or label, of what a timetable holds."""
    joined: Joined | None = None
    """Of a cluster that exists without the bundle."""


@dataclass(frozen=True, slots=True)
class Part(Read):
    """A part of HyperPod's chart that an EKS cluster may have already."""

    chart: str
    switch: str
    """The value that switches it on."""
    same: str = ""
    """Of device plugins: see :attr:`Release.same`."""
    operator: str = ""
    """Of operators: the name of the image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodChart(Read):
    """The chart that HyperPod needs in an EKS cluster before nodes join."""

    values: str
    reference: str
    """Where it is in the registry."""
    version: str
    repository: str
    commit: str
    """The reviewed state of the repository."""
    partitioned: bool = False
    """Whether it includes NVIDIA's operator."""
    parts: tuple[Part, ...] = ()
    nodes: tuple[DeviceNodes, ...] = ()
