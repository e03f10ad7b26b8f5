"""Code that head node, login nodes and queues share: ids, networks, volumes, images."""

import ipaddress
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clustergen.base.findings import Path
from clustergen.plan.model import Id, Machine, Network, NodeGroup, Plan, Subnet
from clustergen.plan.network import is_internal, is_prefix_list
from clustergen.services.aws import references
from clustergen.services.aws.members import filled
from clustergen.services.fields import Field
from clustergen.targets.parallelcluster.options import Dcv, Options

NOBODY = "127.0.0.1/32"
"""An SSH source that matches no host; without one ParallelCluster opens port 22 to the world."""


def writes_one_thread(plan: Plan, node: Machine | NodeGroup) -> bool:
    """Whether the spec switches SMT off, also of types that have none: those start as they are."""
    return node.threads_per_core == 1 and plan.wrote(*node.at("threads_per_core"))


ROOT_VOLUME = (
    Field("type", "VolumeType", default="gp3", always=True),
    Field("size", "Size", plan="size_gib", spelled="{}GiB"),
    Field("iops", "Iops"),
    Field("throughput", "Throughput"),
    Field("encrypted", "Encrypted", default=True, always=True),
    Field(
        "on_delete",
        "DeleteOnTermination",
        plan="retain",
        default=False,
        words={True: False},
        spelled={True: "retain"},
    ),
)
"""``root_volume`` as ``RootVolume``, with ParallelCluster's defaults for what the spec omits."""


def common_image(plan: Plan) -> str | None:
    """The head node's image as image of the cluster, if all nodes have custom images."""
    machines = [machine for machine in (plan.head, *plan.all_login) if machine]
    images = [*(m.image for m in machines), *(group.image for group in plan.node_groups)]
    return images[0] if all(images) else None


def image(own: str | None, common: str | None) -> dict[str, Any]:
    """``Image`` of nodes whose image differs from the cluster's; otherwise empty."""
    return {} if own is None or own == common else {"CustomAmi": own}


def desktops(plan: Plan) -> Iterator[tuple[Path, Dcv, Machine | None]]:
    """The places of ``dcv`` in the spec, what they say, and the nodes with the desktops."""
    options = plan.options_as(Options)
    here: Path = ("targets", "parallelcluster")
    if options.dcv:
        yield (*here, "dcv"), options.dcv, plan.head
    if options.login_pool.dcv:
        yield (*here, "login_pool", "dcv"), options.login_pool.dcv, plan.login
    for pool, machine in zip(options.more_login_pools, plan.more_login, strict=False):
        if pool.dcv:
            yield (*machine.path, "dcv"), pool.dcv, machine


def security(
    plan: Plan, nodes: str, own: Sequence[str], *, entry: bool = False
) -> dict[str, list[str]]:
    """Security groups of ``nodes``: head, login, or a node group.

    They are those of all nodes, which storage accepts, those of nodes that accept SSH, and ``own``
    ones, besides the groups of ParallelCluster. Or only ``own`` ones, in place of all others.
    """
    options = plan.options_as(Options)
    if nodes in options.own_security_groups:
        return {"SecurityGroups": list(own)}
    only = options.leaves_out("service-groups")
    given = (plan.network.node_security_groups, plan.network.login_security_groups if entry else ())
    groups = [id for ids in given for id in ids] if _takes_groups(plan) else []
    key = "SecurityGroups" if only else "AdditionalSecurityGroups"
    return filled(**{key: _texts((*groups, *own))})


def proxy(plan: Plan) -> dict[str, Any]:
    """``Proxy``, for nodes without another way to AWS."""
    address = plan.options_as(Options).proxy
    return {"Proxy": {"HttpProxyAddress": address}} if address else {}


def _takes_groups(plan: Plan) -> bool:
    """Whether nodes are in the groups of the foundation, if it has any."""
    left_out = plan.options_as(Options).leaves_out("security-groups")
    return not (left_out and plan.network.new_security_groups)


def _texts(groups: Iterable[Id]) -> list[str]:
    return list(dict.fromkeys(references.text(group) for group in groups))


def allowed_ips(plan: Plan) -> str:
    """``AllowedIps``: at most one block; the foundation's login group allows the others."""
    network = plan.network
    opened = network.login_security_groups and _takes_groups(plan)
    if opened or not network.ssh_from:
        return NOBODY
    return network.ssh_from[0]


def from_outside(network: Network) -> bool:
    """Whether SSH is allowed from public addresses, as those of a prefix list may be."""
    return any(
        is_prefix_list(source) or not is_internal(ipaddress.ip_network(source))
        for source in network.ssh_from
    )


def entry_subnet(network: Network) -> Subnet:
    """The subnet of nodes that accept SSH."""
    return network.public[0] if from_outside(network) and network.public else network.private[0]
