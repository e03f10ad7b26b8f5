"""What ``slurm-settings.sh`` writes into HyperPod's Slurm configuration."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.facts.catalog import slurm as catalog
from clustergen.plan import slurm
from clustergen.plan.model import Plan, Queue
from clustergen.services.hyperpod.limits import UNIVERSAL_PARTITION


def values(plan: Plan) -> dict[str, Any]:
    """Variables of the script template."""
    chosen = [queue.name for queue in plan.queues if queue.default]
    return {
        "settings": _pairs(_single(plan)),
        "options": _options(plan),
        "cgroup": {name: slurm.quoted(value) for name, value in plan.slurm.cgroup_settings.items()},
        "prolog": has_prolog(plan),
        "partitions": [{"name": name, "pairs": pairs} for name, pairs in _partitions(plan)],
        "default": chosen[0] if chosen else "",
        "written": _written(plan),
    }


def has_prolog(plan: Plan) -> bool:
    """Whether a job begins with a look at the GPUs of its nodes."""
    return any(group.type.gpus for group in plan.node_groups)


def cluster_settings(plan: Plan) -> dict[str, str]:
    """The slurm.conf settings of the spec, and those derived from the rest of it."""
    # Else a node that HyperPod reboots stays down: "Node unexpectedly rebooted".
    # https://slurm.schedmd.com/slurm.conf.html#OPT_ReturnToService
    return slurm.cluster_settings(plan, {**slurm.cluster(plan), "ReturnToService": "2"})


def partition_settings(queue: Queue) -> dict[str, str]:
    """The slurm.conf settings of a queue's fields, overridden by the user's settings."""
    return slurm.merge("partition", slurm.partition(queue), queue.slurm)


def limits_queues(plan: Plan) -> bool:
    """Whether jobs would get around limits of queues in HyperPod's partition of all nodes."""
    names = {queue.name for queue in plan.queues}
    limited = any(queue.time_limit or queue.exclusive or queue.slurm for queue in plan.queues)
    return limited and UNIVERSAL_PARTITION not in names


def _single(plan: Plan) -> dict[str, str]:
    lists = catalog.options("cluster")
    return {name: v for name, v in cluster_settings(plan).items() if name.lower() not in lists}


def _options(plan: Plan) -> dict[str, str]:
    """Lists of options, which are added to HyperPod's own."""
    lists = catalog.options("cluster")
    found = ((lists.get(name.lower()), v) for name, v in cluster_settings(plan).items())
    return {name: value.strip('"') for name, value in found if name}


def _partitions(plan: Plan) -> Iterator[tuple[str, list[str]]]:
    if limits_queues(plan):
        # https://slurm.schedmd.com/slurm.conf.html#OPT_AllowGroups: root may always use it, and
        # jobs of HyperPod's own run as root.
        yield UNIVERSAL_PARTITION, ["AllowGroups=root"]
    for queue in plan.queues:
        if pairs := _pairs(partition_settings(queue)):
            yield queue.name, pairs


def _written(plan: Plan) -> list[str]:
    scripts = ["clustergen-prolog.sh", "clustergen-epilog.sh"] if has_prolog(plan) else []
    return ["clustergen.conf", *scripts, *(["cgroup.conf"] if plan.slurm.cgroup_settings else [])]


def _pairs(settings: Mapping[str, str]) -> list[str]:
    return [f"{name}={slurm.quoted(value)}" for name, value in settings.items()]
