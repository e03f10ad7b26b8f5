"""The Kubernetes cluster of a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.base.findings import Path
from clustergen.plan.model.nodes import Machine


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """What an IAM role or user may do in the namespaces of some queues."""

    path: Path
    principal: str
    """Its ARN."""
    queues: tuple[str, ...]
    """Empty: all namespaces."""
    level: Literal["admin", "edit", "view"]


@dataclass(frozen=True, slots=True)
class ClusterAddon:
    """An add-on of EKS, or the version of one that the cluster has anyway."""

    path: Path
    name: str
    version: str | None
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """The Kubernetes settings of the spec."""

    version: str
    admission: str
    scheduler: str
    autoscaler: str
    devices: Literal["plugin", "dra"]
    """How pods get accelerators and EFA interfaces."""
    jobs: Literal["mpi-operator", "kubeflow-trainer", "none"]
    system_nodes: Machine
    """System nodes, for DNS and controllers."""
    support: Literal["auto", "standard", "extended"]
    admins: tuple[str, ...]
    """ARNs of IAM roles and users that are administrators."""
    access: tuple[ClusterAccess, ...]
    addons: tuple[ClusterAddon, ...]
    public_endpoint_from: tuple[str, ...]
