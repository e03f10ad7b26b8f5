"""A plan as a CreateCluster request with Slurm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clustergen.hyperpod import groups, limits, storage
from clustergen.hyperpod.request import (
    AccountingDatabase,
    InstanceGroup,
    InstanceStorage,
    Request,
    Slurm,
    SlurmNode,
    Vpc,
)
from clustergen.plan.model import Database, NodeGroup, Plan
from clustergen.targets.hyperpod_slurm import lifecycle, modes
from clustergen.targets.hyperpod_slurm.limits import CONTROLLER, LOGIN


def request(plan: Plan) -> Request:
    """The cluster; a plan with errors gives one that the service would refuse, never an error."""
    continuous = modes.continuous(plan)
    return Request(
        name=plan.name,
        groups=tuple(_groups(plan)),
        vpc=groups.vpc(plan),
        orchestrator=_orchestrator(plan, continuous),
        recover=plan.resilience.replace_failed_nodes,
        continuous=continuous,
        tags=plan.tags,
    )


def partition(plan: Plan, group: NodeGroup) -> str | None:
    """The one partition of a group: the first queue that has it."""
    return next((queue.name for queue in plan.queues if group in queue.node_groups), None)


def _groups(plan: Plan) -> Iterator[InstanceGroup]:
    scripts, mounts = lifecycle.config(plan), _mounts(plan)
    if plan.head:
        node = _role(plan, SlurmNode("Controller"))
        yield groups.of_machine(plan.head, CONTROLLER, slurm=node, lifecycle=scripts, mounts=mounts)
    if plan.login:
        node = _role(plan, SlurmNode("Login"))
        login = groups.of_machine(plan.login, LOGIN, slurm=node, lifecycle=scripts, mounts=mounts)
        yield replace(login, vpc=_reachable(plan))
    for group in plan.node_groups:
        node = _role(plan, SlurmNode("Compute", partition(plan, group)))
        mounts = _mounts(plan, group)
        yield groups.of_group(plan, group, slurm=node, lifecycle=scripts, mounts=mounts)


def _role(plan: Plan, node: SlurmNode) -> SlurmNode | None:
    """The old form says the roles of groups in a file of its own."""
    return node if _by_api(plan) else None


def _by_api(plan: Plan) -> bool:
    return modes.mode(plan) != "legacy"


def _mounts(plan: Plan, group: NodeGroup | None = None) -> tuple[InstanceStorage, ...]:
    """The old form has no member for file systems: its scripts mount them."""
    return storage.mounts(plan, group) if _by_api(plan) else ()


def _reachable(plan: Plan) -> Vpc | None:
    """Login nodes that may be reached by SSH are members of one more security group."""
    more = plan.network.login_security_groups
    if not plan.network.ssh_from or not more:
        return None
    shared = groups.vpc(plan)
    return Vpc((*shared.security_groups, *more), shared.subnets)


def _orchestrator(plan: Plan, continuous: bool) -> Slurm | None:
    if not _by_api(plan):
        return None
    # With continuous provisioning any strategy is refused; otherwise two pages of the guide name
    # different defaults. https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html
    return Slurm(None if continuous else "Managed", _database(plan))


def _database(plan: Plan) -> AccountingDatabase | None:
    given = plan.slurm.accounting
    if not isinstance(given, Database):
        return None
    name = given.database or limits.DEFAULT_DATABASE
    return AccountingDatabase(given.endpoint, given.port, name, given.secret)
