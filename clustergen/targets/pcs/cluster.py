"""The cluster and its queues."""

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan, Queue
from clustergen.services.aws import cfn
from clustergen.services.aws.members import filled
from clustergen.targets.pcs import limits, names, settings, subnets
from clustergen.targets.pcs.limits import Size
from clustergen.targets.pcs.options import Options, managed_nodes


def size(plan: Plan) -> Size:
    """The controller's size; the largest if the cluster exceeds all sizes."""
    return limits.size(plan.options_as(Options).size, managed_nodes(plan))


def resource(plan: Plan) -> Json:
    """The cluster as a resource.

    Name, networking and size cannot change in place. The fixed name prevents CloudFormation from
    replacing the cluster, which would lose all queued jobs.
    """
    subnet = subnets.controller_subnet(plan) or plan.network.private[0]
    properties = {
        "Name": plan.name,
        "Size": size(plan).name,
        "Scheduler": {"Type": "SLURM", "Version": settings.version(plan)},
        "Networking": {
            "SubnetIds": [cfn.value(subnet.id)],
            "SecurityGroupIds": [cfn.value(id) for id in plan.network.node_security_groups],
        },
        "SlurmConfiguration": _slurm(plan),
        # A map, unlike in other services.
        **filled(Tags=dict(plan.tags)),
    }
    return {"Type": "AWS::PCS::Cluster", "Properties": properties}


def queue(plan: Plan, queue: Queue) -> Json:
    custom = filled(SlurmCustomSettings=settings.as_parameters(settings.queue(plan, queue)))
    properties = {
        "Name": queue.name,
        "ClusterId": names.cluster_id(plan),
        "ComputeNodeGroupConfigurations": [
            {"ComputeNodeGroupId": cfn.get_att(names.node_group(group.name), "Id")}
            for group in queue.node_groups
        ],
        **filled(SlurmConfiguration=custom, Tags=dict(plan.tags)),
    }
    return {"Type": "AWS::PCS::Queue", "Properties": properties}


def _slurm(plan: Plan) -> Json:
    """Slurm settings without empty lists, which PCS rejects."""
    return {
        "ScaleDownIdleTimeInSeconds": plan.slurm.idle_timeout or limits.IDLE_TIMEOUT_SECONDS[1],
        "Accounting": _accounting(plan),
        "SlurmRest": {"Mode": "STANDARD" if plan.options_as(Options).rest else "NONE"},
        **filled(
            SlurmCustomSettings=settings.as_parameters(settings.cluster(plan)),
            SlurmdbdCustomSettings=settings.as_parameters(plan.slurm.slurmdbd_settings),
            CgroupCustomSettings=settings.as_parameters(plan.slurm.cgroup_settings),
        ),
    }


def _accounting(plan: Plan) -> Json:
    if plan.slurm.accounting != "managed":
        return {"Mode": "NONE"}
    purge = plan.options_as(Options).purge_accounting
    days = {} if purge is None else {"DefaultPurgeTimeInDays": purge // limits.SECONDS_PER_DAY}
    return {"Mode": "STANDARD", **days}
