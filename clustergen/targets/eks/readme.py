"""The values of the page about EKS in the README."""

from typing import Any

from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.services.eks import addons, control_plane, versions
from clustergen.services.kubernetes import (
    karpenter,
    kueue,
    kueue_configuration,
    labels_and_taints,
    names,
    namespaces,
    ownership,
    pruning,
    training,
)
from clustergen.targets.eks import cluster, drivers, node_groups, requests, size_parameters


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
    """The label of jobs that install.sh has created already in the default namespace."""
    if plan.creates_cluster or not any(ownership.objects(plan, [namespaces.DEFAULT], {})):
        return ""
    return f"{pruning.LABEL}={pruning.owner(plan)}"
