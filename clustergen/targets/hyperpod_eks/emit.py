"""The bundle of a HyperPod cluster with EKS."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.deployment.kinds import NodesInEks
from clustergen.deployment.model import Objects, OfTarget, Source
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.services import foundation, schedules
from clustergen.services.aws import marks
from clustergen.services.eks import control_plane as eks_control_plane
from clustergen.services.hyperpod import deploy
from clustergen.services.kubernetes import access, bundle, pruning
from clustergen.targets.hyperpod_eks import (
    addons,
    charts,
    cluster,
    control_plane,
    eks_cluster,
    governance,
    jobs,
    karpenter,
    lifecycle,
    limits,
    manifests,
    smoke,
)
from clustergen.targets.hyperpod_eks.readme import values

__all__ = ["deployment", "document", "emit", "values"]

EKS_TEMPLATE = "eks.template.json"


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for outputs of the foundation."""
    return cluster.request(plan)


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of the cluster; ``document`` is its request with the user's overlay."""
    scripts = lifecycle.files(plan)
    inside = (*smoke.files(plan), *jobs.files(plan))
    return (
        *deploy.requests(plan, document, _outputs(plan)),
        *scripts,
        *deploy.updates(plan, document, scripts),
        *_eks(plan),
        *governance.files(plan),
        *manifests.files(plan),
        # The owner of an existing cluster has installed the chart, with values for all groups.
        *((charts.values(plan),) if plan.creates_cluster else ()),
        *inside,
        *charts.mirrored(plan, (*manifests.files(plan), *inside)),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    new = plan.options.creates_eks
    arn = (document.get("Orchestrator") or {}).get("Eks", {}).get("ClusterArn", "")
    paths = (file.path for file in manifests.files(plan))
    eks = NodesInEks(
        arn=arn,
        creates=new,
        chart=charts.deployed(plan) if plan.creates_cluster else None,
        admins=tuple(access.names(plan)) if new else (),
        entries=eks_control_plane.entries(plan) if new else {},
        quotas=governance.quotas(plan),
        priorities=governance.SCHEDULER if governance.wanted(plan) else "",
        addon=governance.TASK_GOVERNANCE,
        software=bundle.objects(plan, paths, limits.GROUP_LABEL),
        pools=tuple(pool.name for pool in karpenter.pools(plan)),
    )
    service = deploy.service(plan, document, lifecycle.files(plan), plan.kubernetes_name, eks)
    until = ("nodes of Karpenter until their pods end",) if service.scaled else ()
    return OfTarget(
        service,
        sources={name: Source(output=name) for name in eks_cluster.OUTPUTS},
        periods=schedules.periods(timetable.phases(plan)),
        billed=until,
        objects=Objects(pruning.LABEL, pruning.owner(plan)),
    )


def _outputs(plan: Plan) -> Mapping[str, str]:
    """Name -> description of the outputs of the stacks before the HyperPod cluster."""
    given = foundation.outputs(plan)
    return {**given, **eks_cluster.OUTPUTS} if plan.options.creates_eks else given


def _eks(plan: Plan) -> Iterator[Artifact]:
    if plan.options.creates_eks:
        yield marks.artifact(EKS_TEMPLATE, control_plane.template(plan), plan)
        yield from addons.files(plan)
