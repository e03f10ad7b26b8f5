"""The cluster and its queues."""

from __future__ import annotations

from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan, Queue
from clustergen.services.aws import cfn
from clustergen.targets.pcs import limits, names, pcs_cluster, settings, subnets
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
        **_tags(plan),
    }
    return {"Type": "AWS::PCS::Cluster", "Properties": properties}


def queue(plan: Plan, queue: Queue) -> Json:
    """A queue as a resource."""
    custom = settings.as_parameters(settings.queue(plan, queue))
    properties = {
        "Name": queue.name,
        "ClusterId": pcs_cluster.id(plan),
        "ComputeNodeGroupConfigurations": [
            {"ComputeNodeGroupId": cfn.get_att(names.node_group(group.name), "Id")}
            for group in queue.node_groups
        ],
        **({"SlurmConfiguration": {"SlurmCustomSettings": custom}} if custom else {}),
        **_tags(plan),
    }
    return {"Type": "AWS::PCS::Queue", "Properties": properties}


def _slurm(plan: Plan) -> Json:
    """Slurm settings without empty lists, which PCS rejects."""
    lists = {
        "SlurmCustomSettings": settings.cluster(plan),
        "SlurmdbdCustomSettings": plan.slurm.slurmdbd_settings,
        "CgroupCustomSettings": plan.slurm.cgroup_settings,
    }
    return {
        "ScaleDownIdleTimeInSeconds": plan.slurm.idle_timeout or limits.IDLE_TIMEOUT_SECONDS[1],
        "Accounting": _accounting(plan),
        "SlurmRest": {"Mode": "STANDARD" if plan.options_as(Options).rest else "NONE"},
        **{name: settings.as_parameters(given) for name, given in lists.items() if given},
    }


def _accounting(plan: Plan) -> dict[str, Any]:
    if plan.slurm.accounting != "managed":
        return {"Mode": "NONE"}
    purge = plan.options_as(Options).purge_accounting
    days = {} if purge is None else {"DefaultPurgeTimeInDays": purge // limits.SECONDS_PER_DAY}
    return {"Mode": "STANDARD", **days}


def _tags(plan: Plan) -> Json:
    """Tags as a map, unlike in other services."""
    return {"Tags": dict(plan.tags)} if plan.tags else {}
