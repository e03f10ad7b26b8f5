"""EC2 user data of nodes: the configuration of nodeadm, and the user's scripts.

EKS adds a part before ours; nodeadm merges them. With a custom image it does
not, and the cluster has to be told as well.
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
    """The settings that a node needs to join, if EKS does not add them."""

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


# Several groups run the same scripts.
@functools.lru_cache(maxsize=8)
def _script(scripts: tuple[Script, ...]) -> str:
    return shell.render("eks/scripts.sh.j2", scripts=scripts)


def node_config(
    types: Sequence[InstanceType], interfaces: Sequence[Interface], cluster: Cluster | None
) -> dict[str, Any]:
    """The NodeConfig of nodes of ``types``, each of which has ``interfaces``."""
    most = min(pods.most(type, interfaces) for type in types)
    spec: dict[str, Any] = {
        **(_joining(cluster) if cluster else {}),
        # nodeadm counts by the type alone, and knows nothing of EFA in a place of the first card.
        "kubelet": {"config": {"maxPods": most}},
    }
    if all(type.disk_count for type in types):
        # Containers and the pods' own space on all local disks together: images of 20 GB and
        # checkpoints want the speed, and the root volume stays small.
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
