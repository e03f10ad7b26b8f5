"""Metrics and alerts of a cluster: what its README says about them."""

from typing import Any

from clustergen.plan.model import Plan, Ref
from clustergen.plan.slurm_settings import service_of
from clustergen.services.monitoring.names import namespace
from clustergen.services.monitoring.samples import cloudwatch_metrics, series
from clustergen.services.monitoring.sources import Source, sources


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/readme/monitoring.md.j2``."""
    metrics, workspace = plan.monitoring.metrics, plan.monitoring.workspace
    own = isinstance(workspace, Ref)
    agent = metrics == "cloudwatch" and Source.AGENT in sources(plan)
    return {
        "agent": cloudwatch_metrics(plan) if agent else (),
        "alarms": plan.scheduler == "batch" and _has_alarms(plan),
        "insights": plan.insights if metrics != "cloudwatch" else not agent,
        "measured": _measured(plan),
        "metrics": "managed-prometheus" if workspace else metrics,
        "namespace": namespace(plan.name),
        "series": series(plan)[1],
        "workspace": "" if own else workspace,
    }


def _has_alarms(plan: Plan) -> bool:
    from clustergen.services.monitoring.alarms import alarms

    return bool(alarms(plan))


def _measured(plan: Plan) -> str:
    """Nodes, and those of their devices that have metrics: of Neuron devices, only the number."""
    gpus = any(group.type.gpus for group in plan.node_groups)
    efa = any(group.efa for group in plan.node_groups)
    words = ["nodes", *(["GPUs"] if gpus else []), *(["EFA"] if efa else [])]
    if plan.monitoring.metrics == "self-hosted":
        words.append("Kubernetes")
    # Beside the controller of an existing cluster, only login nodes measure Slurm.
    elif not service_of(plan) or Source.SLURM in sources(plan):
        words.append("the scheduler")
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
