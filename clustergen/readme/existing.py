"""Requirements on an existing network and existing file systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from clustergen.catalog import fsx
from clustergen.plan import endpoints
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

_SCRIPTS: Final = (
    "may read the scripts of `software.scripts` and the bucket `ScriptsBucketName`, which "
    "`./deploy.sh --foundation` makes"
)
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
# https://docs.aws.amazon.com/parallelcluster/latest/ug/iam-roles-in-parallelcluster-v3.html
# https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html
# https://docs.aws.amazon.com/batch/latest/userguide/instance_IAM_role.html
_NEEDS_OF_ROLES: Final[Mapping[str, str]] = {
    "hyperpod": "trusts SageMaker, has the managed policy AmazonSageMakerClusterInstanceRolePolicy "
    "and the permissions for network interfaces in a VPC, and may read the lifecycle scripts in S3",
    "parallelcluster": "trusts EC2, has the permissions that ParallelCluster documents for its "
    f"head or compute nodes, and {_SCRIPTS}",
    "pcs": f"its role trusts EC2, allows pcs:RegisterComputeNodeGroupInstance, and {_SCRIPTS}",
    "batch": "trusts EC2, has the managed policy AmazonEC2ContainerServiceforEC2Role, and "
    f"{_SCRIPTS}",
}


def of_vpc(plan: Plan) -> str:
    """What an existing VPC needs; empty for a new one."""
    if plan.network.new:
        return ""
    way = (
        "the private subnets have a route out (NAT, or endpoints of every service that nodes call)"
    )
    if plan.network.closed:
        names = ", ".join(f"`{service}`" for service in endpoints.needed(plan))
        way = (
            f"it has endpoints of {names}: S3 and DynamoDB as gateways in the routes of the "
            "private subnets, the others with private DNS and TCP 443 open to nodes"
        )
    return f"{escape(str(plan.network.vpc))}: DNS support and DNS host names are on, and {way}"


def of_security_groups(plan: Plan) -> str:
    """What existing security groups of nodes need; empty for new ones."""
    ids = [id for id in plan.network.node_security_groups if not isinstance(id, Ref)]
    lines = [f"{escape(', '.join(ids))}: {_member_rules(plan.node_groups)}, and all traffic out"]
    lines = lines if ids else []
    lines += [
        f"{escape(id)}, a group of the cluster that the nodes get: all traffic in from the group "
        "itself, and all traffic out"
        for id in plan.options.memberships
    ]
    return "\n".join(lines)


def of_storage(plan: Plan) -> str:
    """What existing file systems need, in a line each."""
    groups = _groups_of_nodes(plan)
    return "\n".join(_storage(item) + groups for item in plan.storage if is_served(item))


def _groups_of_nodes(plan: Plan) -> str:
    """How to find the group of nodes that such a file system has to admit."""
    if plan.options.memberships:
        return f"; the nodes get {escape(' and '.join(plan.options.memberships))}"
    if plan.network.new_security_groups and "security-groups" not in plan.unused:
        return "; `./deploy.sh --foundation` makes the group of the nodes, `ClusterSecurityGroupId`"
    return ""


def of_roles(plan: Plan) -> str:
    """What existing roles and instance profiles of nodes need, in a line each."""
    needs = _NEEDS_OF_ROLES.get("hyperpod" if plan.sagemaker else plan.target or "", "")
    own = [machine.iam for machine in plan.machines] + [group.iam for group in plan.node_groups]
    arns = [arn for iam in own for arn in (iam.role, iam.instance_profile) if arn and needs]
    return "\n".join(f"{escape(arn)}: {needs}" for arn in dict.fromkeys(arns))


def _member_rules(groups: Sequence[NodeGroup]) -> str:
    """The rules of a security group for EFA, which name the group itself in both directions."""
    if any(group.efa for group in groups):
        return "all traffic in from the group itself and out to the group itself, as EFA needs"
    return "all traffic in from the group itself, as Slurm and MPI need"


def is_served(item: Storage) -> bool:
    """Whether nodes reach it over the network, and it exists already."""
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
