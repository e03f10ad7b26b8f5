"""Amazon EKS: a control plane that AWS runs and managed node groups, as a stack of the AWS CDK."""

from __future__ import annotations

from clustergen.plan.model import Traits
from clustergen.targets import Target
from clustergen.targets.eks.checks import RULES, check, overlaid
from clustergen.targets.eks.support import SUPPORT

POD_ADDRESSES = 16
"""IPv4 addresses that the VPC CNI holds for the pods of a node: what :mod:`clustergen.eks.addons`
tells it to, in place of a whole interface of them."""

TARGET = Target(
    traits=Traits(
        name="eks",
        section="eks",
        scheduler="kubernetes",
        # One address for the node, and cards that carry EFA alone:
        # https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html
        efa_layout="efa-only",
        card_device_index=0,
        pod_addresses=POD_ADDRESSES,
        system_nodes=True,
    ),
    title="Amazon EKS",
    support=SUPPORT,
    rules=RULES,
    check=check,
    emitter="clustergen.targets.eks.emit",
    primary="cluster.template.json",
    schema="eks",
    overlaid=overlaid,
)
