"""The bundle of an EKS cluster: the stack's template, and software for the cluster."""

from __future__ import annotations

from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.deployment import resource_types
from clustergen.deployment.model import OfTarget, Service
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.services import foundation
from clustergen.services.aws import cfn, marks
from clustergen.services.eks import control_plane
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
    deploy = _deploy(plan, document)
    return (marks.artifact(TEMPLATE, document, plan), *inside, *schedule.files(plan), deploy)


def deployment(plan: Plan, document: Json) -> OfTarget:  # noqa: ARG001
    """What ``bundle.json`` says of the target."""
    return OfTarget(
        Service(
            "amazon-eks",
            eks_cluster=plan.cluster_name,
            installs=not plan.options_as(Options).by_hand,
        )
    )


def _deploy(plan: Plan, document: Json) -> Artifact:
    known = {**foundation.outputs(plan), **eks_cluster.PARAMETERS}
    # An overlay may remove a group, which deploy.sh would wait for.
    made = document.get("Resources", {})
    managed = [each for each in cluster.managed(plan) if node_groups.logical_id(each) in made]
    described = marks.descriptions(plan)["eks"]
    blocks = [each.name for each in managed if each.capacity.kind == "capacity-block"]
    of_nodes = {
        "system_nodes": labels_and_taints.SYSTEM,
        **resource_types.of_nodes(
            "AWS::EKS::Nodegroup",
            most={node_groups.logical_id(each): of_eks(each).most for each in managed},
        ),
        "stopped_groups": blocks,
    }
    text = shell.render(
        "eks/deploy.sh.j2",
        **{**foundation.frame(plan), "adopted": marks.adopted_words(document, described)},
        uploads=[],
        parameters=[name for name in document.get("Parameters", {}) if name in known],
        fills=list(kubernetes_bundle.filled(plan)),
        karpenter=karpenter.is_on(plan),
        ends_karpenter=not karpenter.is_on(plan)
        and plan.creates_cluster
        and not plan.options_as(Options).by_hand,
        groups=[group.name for group in managed],
        sizes=[word for group in managed for word in _size(group)],
        group_ids=[w for each in managed for w in (each.name, node_groups.logical_id(each))],
        dated=[group.name for group in managed if group.capacity.starts],
        pools=list(karpenter.cpu_limits(plan).items()),
        queues=kueue.held_in_pause(plan),
        mark=timetable.PAUSED,
        owner=pruning.owner(plan),
        owner_path=pruning.OWNER_PATH,
        label=f"{pruning.LABEL}={pruning.owner(plan)}",
        theirs=f"{pruning.LABEL} notin ({pruning.owner(plan)})",
        log_groups=cfn.log_groups(document),
        admins=access.names(plan) if plan.creates_cluster else [],
        entry_ids=control_plane.entry_ids(plan),
        eks_cluster=plan.cluster_name,
        joined=not plan.creates_cluster,
        by_hand=plan.options_as(Options).by_hand,
        versioned=[group.name for group in managed if not group.image],
        imaged=node_groups.imaged(plan, managed),
        **of_nodes,
        **_joined(plan),
        **schedule.values(plan),
    )
    return Artifact("deploy.sh", text, executable=True)


def _joined(plan: Plan) -> dict[str, Any]:
    """Values for an existing cluster."""
    if plan.creates_cluster:
        return {"drivers": []}
    rows = ((d.parameter, d.addon.name, d.object) for d in drivers.drivers(plan))
    known = plan.wrote("kubernetes", "version")
    claims_from = limits.DRA if claims.is_on(plan) and not known else ""
    cni = limits.CNI_OF_EFA_ONLY
    return {
        "efa_only": [
            group.name
            for group in plan.node_groups
            if any(interface.type == "efa-only" for interface in group.interfaces)
        ],
        "cni_version": "v" + ".".join(map(str, cni)),
        "cni_number": cni[0] * 1_000_000 + cni[1] * 1_000 + cni[2],
        "drivers": [word for row in rows for word in row],
        "version": _minor(plan.kubernetes.version) if known else "",
        "claims_from": _minor(claims_from),
        "vpc": "" if plan.network.new else plan.network.vpc,
        "given_group": plan.options_as(Options).cluster_security_group or "",
    }


def _minor(version: str) -> str:
    return version.partition(".")[2]


def _size(group: NodeGroup) -> list[str]:
    return [group.name, size_parameters.parameter(group), *map(str, of_eks(group))]
