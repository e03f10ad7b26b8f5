"""The Slurm settings of a cluster, its queues and its node groups, for PCS."""

from collections.abc import Mapping
from typing import Any

from clustergen.plan import slurm
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.plan.slurm import Settings
from clustergen.services.slurm import imex
from clustergen.targets.pcs import limits

METRICS_SINCE = "25.11"
"""slurmctld has no metrics before, and PCS rejects the setting.
https://slurm.schedmd.com/metrics.html"""


PROLOG = "/opt/clustergen/imex/prolog.sh"


def has_imex(plan: Plan) -> bool:
    """Whether the cluster runs our prolog: settings of an existing one, and a prolog in the spec,
    are the user's."""
    own = any(setting.key == "prolog" for setting in slurm.written(plan))
    return imex.needed(plan) and plan.creates_cluster and not own


def version(plan: Plan) -> str:
    """The Slurm version of the cluster."""
    return plan.slurm.version or limits.DEFAULT_SLURM_VERSION


def since(version: str, minimum: str) -> bool:
    """Whether ``version`` is at least ``minimum``; both are YY.MM, so they compare as text."""
    return version >= minimum


def cluster(plan: Plan) -> Settings:
    """The slurm.conf settings of the spec, and those derived from the rest of it."""
    return slurm.cluster_settings(plan, _derived(plan))


def queue(plan: Plan, queue: Queue) -> Settings:
    """Partition settings: those from fields of the spec, then those of the user."""
    return slurm.merge("partition", _partition(plan, queue), queue.slurm)


def node_group(plan: Plan, group: NodeGroup) -> Settings:
    """Node settings: labels as features, MIG partitions as resources, then those of the user."""
    given = {name: value for name, value in group.slurm.items() if name.lower() != "features"}
    return slurm.merge("node", _node(plan, group), given)


def gres_records(group: NodeGroup) -> list[Settings]:
    """gres.conf records; MIG devices exist only on running nodes, so Slurm must detect them.

    Empty without MIG: PCS writes the record of a GPU type itself.
    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    return [{"AutoDetect": "nvml"}] if group.mig else []


def as_parameters(settings: Mapping[str, str]) -> list[dict[str, Any]]:
    """Settings in the form of the API: a list of name and value."""
    return [
        {"ParameterName": name, "ParameterValue": slurm.quoted(value)}
        for name, value in settings.items()
    ]


def _partition(plan: Plan, queue: Queue) -> Settings:
    """The settings of a queue's fields; an existing cluster has a default queue already."""
    is_default = queue.default and (plan.creates_cluster or plan.wrote(*queue.at("default")))
    default = {"Default": "YES"} if is_default else {}
    return {**default, **slurm.partition(queue)}


def _derived(plan: Plan) -> Settings:
    settings = slurm.cluster(plan)
    if plan.monitoring.of_nodes and since(version(plan), METRICS_SINCE):
        # https://docs.aws.amazon.com/pcs/latest/userguide/slurm-metrics.html
        settings["MetricsType"] = "metrics/openmetrics"
        settings["CommunicationParameters"] = "enable_http"
    if has_imex(plan):
        settings |= {"Prolog": PROLOG, **imex.FLAGS}
    return settings


def _node(plan: Plan, group: NodeGroup) -> Settings:
    settings: Settings = {}
    labels = [f"{key}={value}" if value else key for key, value in group.labels.items()]
    own = [value for name, value in group.slurm.items() if name.lower() == "features"]
    # Jobs in a queue with several groups select one by its name.
    name = [group.name] if _shares_queue(plan, group) else []
    if features := ",".join([*name, *labels, *own]):
        settings["Features"] = ",".join(dict.fromkeys(features.split(",")))
    if group.mig:
        gpus = group.type.gpus
        settings["Gres"] = ",".join(f"gpu:{name}:{n * gpus}" for name, n in group.mig.items())
    return settings


def _shares_queue(plan: Plan, group: NodeGroup) -> bool:
    return any(group in each.node_groups and len(each.node_groups) > 1 for each in plan.queues)
