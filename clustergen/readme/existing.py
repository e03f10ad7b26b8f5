"""Requirements on an existing network and existing file systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from clustergen.catalog import fsx
from clustergen.plan.model import (
    Efs,
    FileCache,
    Lustre,
    NodeGroup,
    Ontap,
    OpenZfs,
    Plan,
    Ref,
    Storage,
)
from clustergen.readme.markdown import escape

_PORTS: Final[Mapping[type[Storage], str]] = {
    Lustre: "TCP {lustre} both ways between its security group and the nodes', and within its own",
    FileCache: "TCP {lustre} both ways between its security group and the nodes'",
    OpenZfs: "TCP and UDP {openzfs} from the nodes",
    Ontap: "TCP and UDP 111, 635, 2049 and 4045-4046 from the nodes",
    Efs: "TCP {efs} from the nodes, and a mount target in their zone",
}


def requirements(plan: Plan) -> str:
    """One item for each existing resource that the cluster uses."""
    items = [
        *_network(plan),
        *_roles(plan),
        *(_storage(item) for item in plan.storage if _is_served(item)),
    ]
    return "\n".join(f"- {item}" for item in items)


def _network(plan: Plan) -> Iterator[str]:
    network = plan.network
    if not network.new:
        yield (
            f"{escape(str(network.vpc))}: DNS support and DNS host names are on, and the private "
            "subnets have a route out (NAT, or endpoints of every service that nodes call)"
        )
    if not network.new_security_groups and network.node_security_groups:
        groups = ", ".join(id for id in network.node_security_groups if not isinstance(id, Ref))
        yield f"{escape(groups)}: {_member_rules(plan.node_groups)}, and all traffic out"


def _roles(plan: Plan) -> Iterator[str]:
    """What existing roles of instances in SageMaker's account need.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
    """
    roles = [machine.iam.role for machine in plan.machines]
    roles += [group.iam.role for group in plan.node_groups]
    for role in dict.fromkeys(filter(None, roles if plan.sagemaker else ())):
        yield (
            f"{escape(role)}: trusts SageMaker, has the managed policy "
            "AmazonSageMakerClusterInstanceRolePolicy and the permissions for network interfaces "
            "in a VPC, and may read the lifecycle scripts in S3"
        )


def _member_rules(groups: Sequence[NodeGroup]) -> str:
    """The rules of a security group for EFA, which name the group itself in both directions."""
    if any(group.efa for group in groups):
        return "all traffic in from the group itself and out to the group itself, as EFA needs"
    return "all traffic in from the group itself, as Slurm and MPI need"


def _is_served(item: Storage) -> bool:
    return item.existing and type(item) in _PORTS


def _storage(item: Storage) -> str:
    if isinstance(item, Lustre) and item.efa:
        rules = "is in the security group of the nodes, as Lustre over EFA needs"
    else:
        rules = f"lets in {_PORTS[type(item)]}".format(
            lustre=_ranges(fsx.LUSTRE_TCP_PORTS),
            openzfs=_ranges(fsx.OPENZFS_PORTS),
            efs=fsx.EFS_PORT,
        )
    return f"{escape(item.mount)}: {rules}; the folder is writable for those who use it"


def _ranges(ranges: Sequence[tuple[int, int]]) -> str:
    words = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
