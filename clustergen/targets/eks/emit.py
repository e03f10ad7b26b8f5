"""The bundle of an EKS cluster: the stack's template, and software for the cluster."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.kinds import Eks, ManagedGroup
from clustergen.deployment.model import Objects, OfTarget, Source
from clustergen.deployment.software.model import Software
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.plan.timetable import phases
from clustergen.services import schedules
from clustergen.services.aws import marks
from clustergen.services.eks import addons, control_plane, versions
from clustergen.services.eks.versions import minor
from clustergen.services.kubernetes import (
    access,
    claims,
    karpenter,
    kueue,
    kueue_configuration,
    labels_and_taints,
    names,
    namespaces,
    ownership,
    pruning,
    timetable,
    training,
)
from clustergen.services.kubernetes import bundle as kubernetes_bundle
from clustergen.targets.eks import (
    cluster,
    drivers,
    eks_cluster,
    limits,
    node_groups,
    requests,
    schedule,
    size_parameters,
)
from clustergen.targets.eks.options import Options

TEMPLATE = "cluster.template.json"


document = cluster.template
"""The CloudFormation template of a plan without errors."""


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    inside = kubernetes_bundle.files(plan)
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
        software=Software() if options.by_stack else kubernetes_bundle.software(plan),
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


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/eks/readme.md.j2``."""
    groups, managed = plan.node_groups, cluster.managed(plan)
    has_logs = plan.creates_cluster and not plan.options.leaves_out("control-plane-logs")
    return {
        "added_addons": [addon.name for addon in drivers.drivers(plan)],
        "blocks": [_block(plan, g) for g in managed if g.capacity.kind == "capacity-block"],
        "control_plane_logs": control_plane.log_group_name(plan.cluster_name) if has_logs else "",
        "elastic": [
            group.name
            for group in managed
            if not group.capacity.reserved and of_eks(group).wanted < group.max
        ],
        "end_nodes": karpenter.end_nodes(plan) if karpenter.is_on(plan) else "",
        "extends_support": versions.support(plan.kubernetes) == "extended",
        "has_kueue": kueue.is_on(plan),
        "priority_label": names.PRIORITY_LABEL,
        "has_sample_jobs": bool(training.groups(plan)),
        "held_in_pause": kueue.held_in_pause(plan),
        "imaged": node_groups.imaged(plan, managed),
        "kueue_minutes": kueue_configuration.READY_MINUTES,
        "kueue_tries": kueue_configuration.TRIES,
        "label_of_jobs": _label_of_jobs(plan),
        "log_groups": control_plane.log_groups(plan),
        "managed": bool(managed),
        "most_addresses": max(g.addresses + (plan.options.pod_addresses(g) or 0) for g in groups),
        "node_monitoring": addons.NODE_MONITORING.name,
        "pools": bool(karpenter.groups(plan)),
        "sizes": {
            "command": size_parameters.command(plan, managed),
            "present": size_parameters.present(plan, managed),
        },
        "taints": sorted({t.key for g in groups for t in labels_and_taints.taints(g)}),
        "undated_blocks": [_block(plan, group) for group in requests.undated_blocks(plan)],
        "version": versions.ending(plan.kubernetes),
    }


def _block(plan: Plan, group: NodeGroup) -> dict[str, Any]:
    """A group in a Capacity Block, and what starts and stops its nodes."""
    return {
        "is_ultraserver": bool(group.type.nvlink_domain),
        "name": group.name,
        "request": requests.command(plan, group, f"desiredSize={group.max}"),
        "stop": requests.command(plan, group, "minSize=0,desiredSize=0"),
    }


def _label_of_jobs(plan: Plan) -> str:
    """The label of jobs that a deployment has created already in the default namespace."""
    if plan.creates_cluster or not any(ownership.objects(plan, [namespaces.DEFAULT], {})):
        return ""
    return f"{pruning.LABEL}={pruning.owner(plan)}"
