"""The bundle of an EKS cluster: the stack's template, and software for the cluster."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.kinds import Eks, ManagedGroup
from clustergen.deployment.model import Objects, OfTarget, Source
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.plan.timetable import phases
from clustergen.services import schedules
from clustergen.services.aws import marks
from clustergen.services.eks import control_plane
from clustergen.services.eks.versions import minor
from clustergen.services.kubernetes import (
    access,
    claims,
    karpenter,
    kueue,
    labels_and_taints,
    pruning,
    timetable,
)
from clustergen.services.kubernetes import bundle as kubernetes_bundle
from clustergen.targets.eks import (
    cluster,
    drivers,
    eks_cluster,
    limits,
    node_groups,
    schedule,
    size_parameters,
)
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.readme import values

__all__ = ["deployment", "document", "emit", "values"]

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    return cluster.template(plan)


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    inside = kubernetes_bundle.files(plan)
    if plan.options_as(Options).by_stack:
        scripts = (kubernetes_bundle.INSTALL,)
        inside = tuple(file for file in inside if file.path not in scripts)
    return (marks.artifact(TEMPLATE, document, plan), *inside, *schedule.files(plan))


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    options = plan.options_as(Options)
    # An overlay may remove a group, which a deployment would wait for.
    made = document.get("Resources", {})
    managed = [each for each in cluster.managed(plan) if node_groups.logical_id(each) in made]
    blocks = [each.name for each in managed if each.capacity.kind == "capacity-block"]
    karpenters = karpenter.is_on(plan)
    service = Eks(
        eks_cluster=plan.cluster_name,
        joins=not plan.creates_cluster,
        installs=not options.by_hand,
        by_cdk=options.by_stack,
        groups={group.name: _group(group) for group in managed},
        system_group=labels_and_taints.SYSTEM,
        dated=tuple(group.name for group in managed if group.capacity.starts),
        blocks=tuple(blocks),
        imaged=tuple(node_groups.imaged(plan, managed)),
        fills=tuple(kubernetes_bundle.filled(plan)),
        karpenter=karpenters,
        leaves_karpenter=not karpenters and plan.creates_cluster and not options.by_hand,
        pools=karpenter.cpu_limits(plan),
        queues=tuple(kueue.held_in_pause(plan)),
        admins=tuple(access.names(plan)) if plan.creates_cluster else (),
        entries=control_plane.entries(plan),
    )
    joining = _joined(plan, managed) if not plan.creates_cluster else {}
    return OfTarget(
        service=replace(service, **joining),
        sources={
            **{name: Source(output=name) for name in eks_cluster.PARAMETERS},
            **schedule.sources(plan),
        },
        periods=schedules.periods(phases(plan)),
        adopted=marks.adopted(document, marks.descriptions(plan)["eks"]),
        objects=Objects(pruning.LABEL, pruning.owner(plan), timetable.PAUSED),
        script=not options.by_stack,
    )


def _joined(plan: Plan, managed: Sequence[NodeGroup]) -> dict[str, Any]:
    """What is said of an existing cluster."""
    known = plan.wrote("kubernetes", "version")
    claims_from = limits.DRA if claims.is_on(plan) and not known else ""
    thin = (
        group.name
        for group in plan.node_groups
        if any(interface.type == "efa-only" for interface in group.interfaces)
    )
    return {
        "version": minor(plan.kubernetes.version) if known else 0,
        "claims_from": minor(claims_from) if claims_from else 0,
        "versioned": tuple(group.name for group in managed if not group.image),
        "security_group": plan.options_as(Options).cluster_security_group or "",
        "efa_only": tuple(thin),
        "cni": tuple(limits.CNI_OF_EFA_ONLY),
        "drivers": drivers.described(plan),
    }


def _group(group: NodeGroup) -> ManagedGroup:
    parameter = size_parameters.parameter(group)
    return ManagedGroup(node_groups.logical_id(group), parameter, *of_eks(group))
