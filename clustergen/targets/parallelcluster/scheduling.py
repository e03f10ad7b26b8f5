"""``Scheduling``: Slurm settings, queues and compute resources."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clustergen.base.patterns import pattern
from clustergen.facts.catalog.slurm import same
from clustergen.plan import sizes, slurm
from clustergen.plan.model import Database, NodeGroup, Plan, Queue
from clustergen.services.aws.members import filled
from clustergen.services.fields import Field, written
from clustergen.services.slurm import collecting, imex
from clustergen.targets.parallelcluster import actions, nodes, permissions, queues
from clustergen.targets.parallelcluster.head_node import metrics_policies
from clustergen.targets.parallelcluster.options import Dns, Options

_NUMBER = pattern(r"(0|[1-9][0-9]*)\Z")


def scheduling(plan: Plan) -> dict[str, Any]:
    """The section of a plan whose queues passed the checks."""
    owners = queues.queue_owners(plan)
    return {
        "Scheduler": "slurm",
        "ScalingStrategy": plan.options_as(Options).scaling_strategy,
        "SlurmSettings": _slurm_settings(plan, owners),
        "SlurmQueues": [_queue(plan, queue, owners) for queue in owners.queues],
    }


def _slurm_settings(plan: Plan, owners: queues.QueueOwners) -> dict[str, Any]:
    accounting = plan.slurm.accounting
    # slurmctld answers on its own port: https://slurm.schedmd.com/metrics.html
    metrics = {"MetricsType": "metrics/openmetrics"} if collecting.wanted(plan) else {}
    written = slurm.cluster_settings(plan, {**metrics, **_imex(plan), **_checks(plan)})
    settings = [typed({name: slurm.quoted(value)}) for name, value in written.items()]
    partitions = [_partition(queue, owners) for queue in owners.partitions]
    update = plan.options_as(Options).queue_update_strategy
    return filled(
        ScaledownIdletime=queues.idle_minutes(plan.slurm.idle_timeout),
        QueueUpdateStrategy=update.upper().replace("-", "_"),
        Dns=_dns(plan),
        EnableMemoryBasedScheduling=plan.options_as(Options).memory_scheduling or None,
        Database=_database(plan, accounting) if isinstance(accounting, Database) else None,
        CustomSlurmSettings=settings + partitions,
    )


def _imex(plan: Plan) -> dict[str, str]:
    """The prolog takes up to 90 seconds; slurmctld logs an error at more than 100.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-imex-p6e-gb200-instance.html
    """
    if imex.needed(plan) and actions.has_hook(plan):
        return {**imex.FLAGS, "MessageTimeout": "100"}
    return {}


def _checks(plan: Plan) -> dict[str, str]:
    """A prolog checks the GPUs, normally for two minutes, and for longer where they are many.
    ParallelCluster's own value is 180 seconds.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html
    https://docs.nvidia.com/datacenter/dcgm/latest/reference/command-line-reference/dcgmi/dcgmi-diag.html
    https://github.com/aws/aws-parallelcluster/issues/6777
    """
    checked = (group for group in plan.node_groups if "gpu" in group.health_checks)
    return {"BatchStartTimeout": "600"} if any(group.type.gpus > 1 for group in checked) else {}


DNS = (
    Field("managed", "DisableManagedDns", default=True, words={False: True}),
    Field("ec2_hostnames", "UseEc2Hostnames", default=False),
    Field("hosted_zone", "HostedZoneId"),
)
"""``targets.parallelcluster.dns``."""


def _dns(plan: Plan) -> dict[str, Any]:
    """Names of nodes: those in Route 53, which has no endpoint, need a way to the internet."""
    dns = plan.options_as(Options).dns
    if dns is None and plan.network.closed:
        dns = Dns(managed=False, ec2_hostnames=True, hosted_zone=None)
    return written(DNS, dns) if dns else {}


def _database(plan: Plan, database: Database) -> dict[str, Any]:
    # Without a port, slurmdbd uses MySQL's, which is the default of the language as well.
    port = f":{database.port}" if plan.wrote("slurm", "accounting", "port") else ""
    return filled(
        Uri=f"{database.endpoint}{port}",
        UserName=database.user,
        PasswordSecretArn=database.secret,
        DatabaseName=database.database,
    )


def _partition(queue: Queue, owners: queues.QueueOwners) -> dict[str, Any]:
    """A custom partition in slurm.conf over nodes that other queues own."""
    owned = [group for group in queue.node_groups if group.name in owners.by_group]
    own = typed(partition_settings(queue))
    return filled(
        PartitionName=queue.name,
        Nodes=",".join(
            names for group in owned for names in _node_names(group, owners, queue.numbers(group))
        ),
        Default="YES" if queue.default else None,
        OverSubscribe="EXCLUSIVE" if queue.exclusive else None,
        **own,
    )


def _node_names(
    group: NodeGroup, owners: queues.QueueOwners, wanted: Sequence[range]
) -> Iterator[str]:
    """ParallelCluster's names of nodes: static ones with ``-st-``, dynamic ones with ``-dy-``.

    A group's first nodes are the static ones; both kinds count from 1.
    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
    """
    least = sizes.kept_by_slurm(group)
    queue = owners.by_group[group.name]
    for kind, before, last in (("st", 0, least), ("dy", least, group.max)):
        parts = (range(max(p.start, before + 1), min(p.stop, last + 1)) for p in wanted)
        found = ",".join(f"{p.start - before}-{p.stop - 1 - before}" for p in parts if p)
        if found:
            yield f"{queue}-{kind}-{group.resource_name}-[{found}]"


def node_names(plan: Plan, group: NodeGroup) -> str:
    """The names of a group's nodes; empty if no queue has it."""
    owners = queues.queue_owners(plan)
    if group.name not in owners.by_group:
        return ""
    return ",".join(_node_names(group, owners, (range(1, group.max + 1),)))


def last_partitions(plan: Plan, group: NodeGroup) -> tuple[str, ...]:
    """The partitions without nodes once those of this group have stopped."""
    return tuple(queue.name for queue in plan.queues if _last(queue) is group)


def _last(queue: Queue) -> NodeGroup | None:
    """The group whose capacity ends last; None if that of one does not end."""
    ends = [group.capacity.ends for group in queue.node_groups]
    known = [end for end in ends if end]
    return queue.node_groups[ends.index(max(known))] if len(known) == len(ends) else None


def partition_settings(queue: Queue) -> dict[str, str]:
    """Settings of the queue in slurm.conf, overridden by those of the user.

    The queue's ``JobExclusiveAllocation`` replaces OverSubscribe, which ParallelCluster rejects.
    """
    fields = slurm.partition(queue)
    fields.pop("OverSubscribe", None)
    return slurm.merge("partition", fields, queue.slurm)


def _queue(plan: Plan, queue: Queue, owners: queues.QueueOwners) -> dict[str, Any]:
    first = queue.node_groups[0]
    custom = actions.compute(plan, queue)
    scratch = {"EphemeralVolume": {"MountDir": first.scratch}} if first.scratch else {}
    return filled(
        Name=queue.name,
        CapacityType=queues.capacity_type(first),
        AllocationStrategy=_allocation_strategy(plan, queue),
        Networking={
            "SubnetIds": queues.subnets(plan, queue),
            **nodes.security(plan, first.name, first.security_groups),
            **nodes.proxy(plan),
            **_placement_group(_placement(plan, first)),
        },
        Image=nodes.image(first.image, nodes.common_image(plan)),
        ComputeSettings={
            "LocalStorage": {"RootVolume": written(nodes.ROOT_VOLUME, first.volume), **scratch}
        },
        JobExclusiveAllocation=queue.exclusive or None,
        CustomSlurmSettings=typed(_queue_settings(plan, queue, owners)),
        CustomActions=custom,
        Iam=permissions.iam(
            first.iam,
            s3=actions.s3_access(plan, custom),
            policies=[*permissions.session(plan.options_as(Options)), *metrics_policies(plan)],
        ),
        ComputeResources=[
            _compute_resource(
                group,
                several=_takes_a_list(plan, queue, group),
                placement=_own_placement(plan, group, queue),
                one_thread=group.switches_smt_off or nodes.writes_one_thread(plan, group),
            )
            for group in queue.node_groups
        ],
    )


def _queue_settings(plan: Plan, queue: Queue, owners: queues.QueueOwners) -> dict[str, str]:
    """Settings of a queue, including whether it is the default: updates ignore the order of queues.

    ParallelCluster's first queue is the default, which a later partition can override.
    """
    marked = not plan.options_as(Options).leaves_out("default-queue")
    several = marked and len(owners.queues) + len(owners.partitions) > 1
    default = {"Default": "YES" if queue.default else "NO"}
    stated = several and (queue.default or queue == owners.queues[0])
    return {**(default if stated else {}), **partition_settings(queue)}


def _allocation_strategy(plan: Plan, queue: Queue) -> str | None:
    """How EC2 chooses among several types and subnets.

    Subnets are in the order of preference, which ParallelCluster passes to EC2 as priorities; the
    types of a subnet all have the same one. On Spot, the interruption of one node ends the job of
    all, so the pools that are least likely to be interrupted come first.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-allocation-strategy.html
    https://github.com/aws/aws-parallelcluster/pull/6865
    """
    if wanted := queue.node_groups[0].allocation:
        return wanted
    several_types = any(len(group.types) > 1 for group in queue.node_groups)
    several_subnets = len(queues.subnets(plan, queue)) > 1
    if not several_types and not several_subnets:
        return None
    if queues.capacity_type(queue.node_groups[0]) == "SPOT":
        return "capacity-optimized-prioritized" if several_subnets else "capacity-optimized"
    return "prioritized" if several_subnets else "lowest-price"


def _takes_a_list(plan: Plan, queue: Queue, group: NodeGroup) -> bool:
    """Whether EC2 Fleet starts the nodes: in several subnets, or of a list of types."""
    # EC2 Fleet starts no nodes in a single reservation or block.
    alone = group.capacity.kind in ("reservation", "capacity-block")
    return (group.listed and not alone) or len(queues.subnets(plan, queue)) > 1


def _compute_resource(
    group: NodeGroup, *, several: bool, placement: dict[str, Any], one_thread: bool
) -> dict[str, Any]:
    return filled(
        Name=group.resource_name,
        **_types(group, several),
        MinCount=sizes.kept_by_slurm(group),
        MaxCount=group.max,
        DisableSimultaneousMultithreading=one_thread or None,
        Efa={"Enabled": True} if group.efa else None,
        Networking=_placement_group(placement),
        CapacityReservationTarget=_reservation(group),
        HealthChecks={"Gpu": {"Enabled": True}} if "gpu" in group.health_checks else None,
        **_priorities(group),
        CustomSlurmSettings=typed(node_settings(group)),
        Tags=[{"Key": key, "Value": value} for key, value in group.tags.items()],
    )


def _types(group: NodeGroup, several: bool) -> dict[str, Any]:
    """``Instances`` for several types or subnets, else ``InstanceType``, which allows reservations
    and EFA.

    With ``InstanceType``, ParallelCluster starts all nodes in the first subnet.
    """
    if several or len(group.types) > 1:
        return {"Instances": [{"InstanceType": type.name} for type in group.types]}
    return {"InstanceType": group.type.name}


def _placement_group(settings: dict[str, Any]) -> dict[str, Any]:
    return {"PlacementGroup": settings} if settings else {}


def _own_placement(plan: Plan, group: NodeGroup, queue: Queue) -> dict[str, Any]:
    """The placement of a group, where it differs from that of its queue.

    A queue has the one of its first group: if it moved elsewhere with the next group,
    ParallelCluster would see the deletion of a placement group, and reject it while nodes run. Each
    compute resource gets a placement group of its own from either place.
    """
    common, own = (_placement(plan, each) for each in (queue.node_groups[0], group))
    if own == common:
        return {}
    return own or ({"Enabled": False} if common != {"Enabled": False} else {})


def _placement(plan: Plan, group: NodeGroup) -> dict[str, Any]:
    """The placement group, which ParallelCluster needs with EFA, but not for Capacity Blocks."""
    if group.capacity.kind == "capacity-block":
        return {}
    if group.placement.kind == "existing":
        return {"Name": group.placement.group}
    if group.placement.kind == "cluster" or group.efa or plan.wrote(*group.at("placement")):
        return {"Enabled": group.placement.kind == "cluster"}
    return {}


def _reservation(group: NodeGroup) -> dict[str, Any] | None:
    match group.capacity.kind:
        case "reservation" | "capacity-block":
            return {"CapacityReservationId": group.capacity.id}
        case "reservation-group":
            return {"CapacityReservationResourceGroupArn": group.capacity.id}
    return None


def _priorities(group: NodeGroup) -> dict[str, int]:
    """Slurm's Weight as ParallelCluster settings, which differ for static and dynamic nodes."""
    weight = queues.weight_of(group)
    fields = ("StaticNodePriority", "DynamicNodePriority")
    return dict.fromkeys(fields, int(weight)) if weight else {}


def node_settings(group: NodeGroup) -> dict[str, str]:
    """Settings of nodes in slurm.conf; labels are features, which jobs can request.

    ParallelCluster writes ``Feature``. If a key occurs twice, Slurm uses the last one; if
    ``Feature`` is present, it ignores the other spelling, ``Features``.
    """
    own = {same("node", key): value for key, value in group.slurm.items()}
    rest = {
        key: value
        for key, value in group.slurm.items()
        if same("node", key) not in ("feature", "weight")
    }
    own_features = [own["feature"]] if "feature" in own else []
    if not group.labels and not own_features:
        return rest
    return {"Feature": ",".join([*features(group), *own_features])} | rest


def typed(settings: Mapping[str, str]) -> dict[str, str | int]:
    """Settings of slurm.conf, numbers as such, as users of ParallelCluster write them."""
    return {key: int(value) if _NUMBER.match(value) else value for key, value in settings.items()}


def features(group: NodeGroup) -> list[str]:
    """Labels as features, after ParallelCluster's own, which the list replaces."""
    known: Mapping[str, bool] = {
        group.type.name: len(group.types) == 1,
        group.resource_name: True,
        "efa": group.efa,
        "gpu": bool(group.type.gpus),
    }
    labels = [f"{key}={value}" if value else key for key, value in group.labels.items()]
    return [name for name, holds in known.items() if holds] + labels
