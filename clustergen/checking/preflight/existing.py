"""Requirements on an existing network and existing file systems."""

from collections.abc import Mapping, Sequence
from typing import Final

from clustergen.facts.catalog import fsx
from clustergen.output.markdown_text import escape
from clustergen.plan import endpoints
from clustergen.plan.model import Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Ref, Storage
from clustergen.services.aws.mounts import LOCAL_HOMES

_PORTS: Final[Mapping[type[Storage], str]] = {
    Lustre: "TCP {lustre} both ways between its security group and the nodes', and within its own",
    FileCache: "TCP {lustre} both ways between its security group and the nodes'",
    OpenZfs: "TCP and UDP {openzfs} from the nodes",
    Ontap: "TCP and UDP 111, 635, 2049 and 4045-4046 from the nodes",
    Efs: "TCP {efs} from the nodes, has a mount target in their zone, and no policy that needs IAM",
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
    "and the permissions for network interfaces in a VPC, and may list and read the bucket "
    "`ScriptsBucketName`; that of the controller also reads the secret of an external accounting "
    "database",
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
    # The rules of a security group for EFA name the group itself in both directions.
    efa = any(group.efa for group in plan.node_groups)
    need = " and out to the group itself, as EFA needs" if efa else ", as Slurm and MPI need"
    members = f"all traffic in from the group itself{need}, and all traffic out"
    lines = [f"{escape(', '.join(ids))}: {members}"] if ids else []
    lines += [
        f"{escape(id)}, a group of the cluster that the nodes get: all traffic in from the group "
        "itself, and all traffic out"
        for id in plan.existing.memberships
    ]
    return "\n".join(lines)


def of_storage(plan: Plan) -> str:
    """What existing file systems need, in a line each."""
    groups = ""  # those of nodes, which such a file system has to admit
    if plan.existing.memberships:
        groups = f"; the nodes get {escape(' and '.join(plan.existing.memberships))}"
    elif plan.network.new_security_groups and "security-groups" not in plan.shared.unused:
        made = "makes the group of the nodes, `ClusterSecurityGroupId`"
        groups = f"; `./deploy.sh --foundation` {made}"
    served = (item for item in plan.storage if item.existing and type(item) in _PORTS)
    return "\n".join(_storage(plan, item) + groups for item in served)


def of_roles(plan: Plan) -> str:
    """What existing roles and instance profiles of nodes need, in a line each."""
    needs = _NEEDS_OF_ROLES.get("hyperpod" if plan.sagemaker else plan.target or "", "")
    own = [machine.iam for machine in plan.machines] + [group.iam for group in plan.node_groups]
    arns = [arn for iam in own for arn in (iam.role, iam.instance_profile) if arn and needs]
    return "\n".join(f"{escape(arn)}: {needs}" for arn in dict.fromkeys(arns))


def _storage(plan: Plan, item: Storage) -> str:
    if isinstance(item, Lustre) and item.efa:
        rules = "is in the security group of the nodes, as Lustre over EFA needs"
    else:
        rules = f"lets in {_PORTS[type(item)]}".format(
            lustre=_ranges(fsx.LUSTRE_TCP_PORTS),
            openzfs=_ranges(fsx.OPENZFS_PORTS),
            efs=fsx.EFS_PORT,
        )
    use = "the folder is writable for those who use it"
    if plan.scheduler == "slurm" and item.mount.rstrip("/") == LOCAL_HOMES:
        # Root makes no home in a folder where others could replace it.
        use = "the folder is root's, with mode 0755 or 1777, and each home in it its user's"
    return f"{escape(item.mount)}: {rules}; {use}"


def _ranges(ranges: Sequence[tuple[int, int]]) -> str:
    words = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
