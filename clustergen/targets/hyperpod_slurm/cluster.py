"""A plan as a CreateCluster request with Slurm."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import Database, Machine, NodeGroup, Plan
from clustergen.services.aws.members import present
from clustergen.services.fields import Field, written
from clustergen.services.hyperpod import cluster, groups, limits, memberships, service_mounts
from clustergen.targets.hyperpod_slurm import lifecycle, modes


def request(plan: Plan) -> Json:
    return cluster.request(
        plan,
        _groups(plan),
        vpc=groups.vpc(memberships.of_all(plan), groups.shared_subnets(plan)),
        tags=plan.tags,
        orchestrator=orchestrator(plan),
        NodeProvisioningMode="Continuous" if modes.continuous(plan) else None,
    )


def _groups(plan: Plan) -> Iterator[Json]:
    scripts, mounts = lifecycle.config(plan), _mounts(plan)
    options = modes.options(plan)
    if plan.head:
        yield groups.machine(
            plan,
            plan.head,
            options.controller_group,
            mounts=mounts,
            LifeCycleConfig=scripts,
            OverrideVpcConfig=_own_network(plan, plan.head),
            SlurmConfig=_role(plan, "Controller"),
        )
    if plan.login:
        yield groups.machine(
            plan,
            plan.login,
            options.login_group,
            mounts=mounts,
            LifeCycleConfig=scripts,
            OverrideVpcConfig=_reachable(plan, plan.login),
            SlurmConfig=_role(plan, "Login"),
        )
    for group in plan.node_groups:
        yield groups.node_group(
            plan,
            group,
            continuous=modes.continuous(plan),
            mounts=_mounts(plan, group),
            LifeCycleConfig=scripts,
            OverrideVpcConfig=_own_network(plan, group),
            SlurmConfig=_role(plan, "Compute", _partitions(plan, group)),
        )


def _partitions(plan: Plan, group: NodeGroup) -> list[str] | None:
    """The partition of each group: the first queue that uses it."""
    return [queue.name for queue in plan.queues if group in queue.node_groups][:1] or None


def _role(plan: Plan, type: str, partitions: list[str] | None = None) -> Json | None:
    """The Slurm role; with mode: legacy, a file of the scripts has the roles."""
    return present(NodeType=type, PartitionNames=partitions) if _by_api(plan) else None


def _by_api(plan: Plan) -> bool:
    return modes.mode(plan) != "legacy"


def _mounts(plan: Plan, group: NodeGroup | None = None) -> list[Json]:
    """The mounts of HyperPod; with mode: legacy, scripts mount all file systems."""
    return service_mounts.configs(plan, group) if _by_api(plan) else []


def _own_network(plan: Plan, node: Machine | NodeGroup) -> Json | None:
    return groups.own_network(plan, node, memberships.of_all(plan))


def _reachable(plan: Plan, login: Machine) -> Json | None:
    """The VPC settings of login nodes: with SSH, they have an additional security group."""
    network = plan.network
    if not network.ssh_from or not network.login_security_groups:
        return _own_network(plan, login)
    members = (*memberships.of_all(plan), *network.login_security_groups)
    own = groups.own_network(plan, login, members)
    return own or groups.vpc(members, groups.shared_subnets(plan))


def orchestrator(plan: Plan) -> Json | None:
    """``Orchestrator`` of the request; None where scripts set up Slurm."""
    if not _by_api(plan):
        return None
    # With continuous provisioning, any strategy is rejected; otherwise two pages of the guide have
    # different defaults.
    # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html
    strategy = None if modes.continuous(plan) else "Managed"
    return {"Slurm": present(SlurmConfigStrategy=strategy, AccountingDatabase=_database(plan))}


DATABASE = (
    Field("endpoint", "Endpoint"),
    Field("port", "Port"),
    Field("database", "Name", default=limits.DEFAULT_DATABASE, always=True),
    Field("secret", "SecretArn"),
)
"""``slurm.accounting``."""


def _database(plan: Plan) -> Json | None:
    given = plan.slurm.accounting
    # The service accepts it only with continuous provisioning; otherwise scripts connect it.
    if not isinstance(given, Database) or not (modes.by_service(plan) or modes.continuous(plan)):
        return None
    return written(DATABASE, given)
