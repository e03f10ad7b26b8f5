"""EC2 user data of nodes: the configuration of nodeadm, and the user's scripts.

EKS adds a part before ours, and nodeadm merges them. With a custom image, EKS adds nothing, and
ours must have the cluster's settings too.
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-user-data
https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
"""

import functools
from collections.abc import Sequence

from clustergen.base import shell
from clustergen.base.artifacts import Json
from clustergen.base.yaml_text import yaml_text
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Interface, NodeGroup, Plan, Script
from clustergen.services.aws import cfn, mime
from clustergen.targets.eks import eks_cluster, pods


def for_group(plan: Plan, group: NodeGroup) -> Json | str:
    """The user data of a group's nodes, in clear text."""
    joining = eks_cluster.joining(plan) if group.image else None
    config = yaml_text(node_config(group.types, group.interfaces, joining))
    parts = [("application/node.eks.aws", config)]
    if scripts := plan.scripts_of(group):
        text = _script(scripts)
        parts.append((mime.SHELL_SCRIPT, cfn.literal(text) if group.image else text))
    made = mime.multipart(parts)
    return cfn.sub(made) if group.image else made


# Groups may run the same scripts.
@functools.lru_cache(maxsize=8)
def _script(scripts: tuple[Script, ...]) -> str:
    return shell.render("eks/scripts.sh.j2", scripts=scripts)


def node_config(
    types: Sequence[InstanceType], interfaces: Sequence[Interface], joining: Json | None = None
) -> Json:
    """The NodeConfig for nodes of ``types`` with ``interfaces``.

    ``joining`` are settings of the cluster, if EKS does not add them.
    """
    most = min(pods.most(type, interfaces) for type in types)
    spec: Json = {
        **({"cluster": joining} if joining else {}),
        # nodeadm counts by type, and does not consider EFA-only interfaces on the first card.
        "kubelet": {"config": {"maxPods": most}},
    }
    if all(type.disk_count for type in types):
        # Containers and ephemeral storage are on the combined local disks: large images and
        # checkpoints need the speed, and the root volume can be small.
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
