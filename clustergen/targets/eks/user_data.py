"""EC2 user data of nodes: the configuration of nodeadm, and the user's scripts.

EKS adds a part before ours, and nodeadm merges them. With a custom image, EKS adds nothing, and
ours must have the cluster's settings too.
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-user-data
https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clustergen import shell
from clustergen.aws import mime
from clustergen.catalog import InstanceType
from clustergen.plan.model import Interface, NodeGroup, Plan, Script
from clustergen.targets.eks import pods
from clustergen.yaml_text import yaml_text


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster's settings that nodes need to join, if EKS does not add them."""

    name: str
    endpoint: str
    certificate_authority: str
    service_cidr: str


def for_group(plan: Plan, group: NodeGroup, cluster: Cluster) -> str:
    """The user data of a group's nodes, in clear text."""
    config = node_config(group.types, group.interfaces, cluster if group.image else None)
    parts = [("application/node.eks.aws", yaml_text(config))]
    if scripts := plan.scripts_of(group):
        parts.append((mime.SHELL_SCRIPT, _script(scripts)))
    return mime.multipart(parts)


# Groups may run the same scripts.
@functools.lru_cache(maxsize=8)
def _script(scripts: tuple[Script, ...]) -> str:
    return shell.render("eks/scripts.sh.j2", scripts=scripts)


def node_config(
    types: Sequence[InstanceType], interfaces: Sequence[Interface], cluster: Cluster | None
) -> dict[str, Any]:
    """The NodeConfig for nodes of ``types`` with ``interfaces``."""
    most = min(pods.most(type, interfaces) for type in types)
    spec: dict[str, Any] = {
        **(_joining(cluster) if cluster else {}),
        # nodeadm counts by type, and does not consider EFA-only interfaces on the first card.
        "kubelet": {"config": {"maxPods": most}},
    }
    if all(type.disk_count for type in types):
        # Containers and ephemeral storage are on the combined local disks: large images and
        # checkpoints need the speed, and the root volume can be small.
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}


def _joining(cluster: Cluster) -> dict[str, Any]:
    return {
        "cluster": {
            "name": cluster.name,
            "apiServerEndpoint": cluster.endpoint,
            "certificateAuthority": cluster.certificate_authority,
            "cidr": cluster.service_cidr,
        }
    }
