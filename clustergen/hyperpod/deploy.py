"""``deploy.sh`` of a HyperPod bundle, and the UpdateCluster request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen import foundation, shell
from clustergen.artifacts import Artifact, Bundle, json_artifact
from clustergen.hyperpod import cloudformation, cluster, fixed_members, joining, scripts, verify
from clustergen.hyperpod.document import Document
from clustergen.hyperpod.options import Options
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.words import words

CREATE = "create-cluster.json"
UPDATE = "update-cluster.json"
SCALE = "scale-cluster.json"

_COUNTS = ("InstanceGroupName", "InstanceCount", "MinInstanceCount")

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html; 2026-11-20.
# It cannot change VpcConfig and Tags.
UPDATABLE = words("""
    ClusterName
    InstanceGroups
    RestrictedInstanceGroups
    RestrictedInstanceGroupsConfig
    Orchestrator NodeRecovery TieredStorageConfig NodeProvisioningMode
    ClusterRole AutoScaling
""")


_ADDED = ("ClusterName", "InstanceGroups")
"""What is sent to an existing cluster: an update leaves other groups and members as they are."""


def update(plan: Plan, document: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a CreateCluster request that UpdateCluster accepts."""
    members = UPDATABLE if cluster.is_new(plan) else _ADDED
    return {name: document[name] for name in members if name in document}


def requests(plan: Plan, document: Mapping[str, Any], outputs: Mapping[str, str]) -> Bundle:
    """The CreateCluster request, and its template; neither for an existing cluster.

    CloudFormation cannot add instance groups to a cluster that it did not create.
    """
    if not cluster.is_new(plan):
        return ()
    template = cloudformation.template(document, outputs)
    return json_artifact(CREATE, document), json_artifact(cloudformation.TEMPLATE, template)


def files(
    plan: Plan,
    document: Mapping[str, Any],
    lifecycle: Bundle,
    template: str = "hyperpod/deploy.sh.j2",
    **more: Any,
) -> Bundle:
    """``deploy.sh``, ``update-cluster.json``, ``verify.sh``; ``document`` includes the overlay.

    ``lifecycle`` is the set of scripts, empty if the cluster has none; ``more`` has additional
    values for ``template``.
    """
    groups = list(_groups(document))
    controller = plan.options_as(Options).controller
    running = controller if controller in groups and not _on_eks(document) else ""
    joined = {} if cluster.is_new(plan) else joining.values(plan, document)
    text = shell.render(
        template,
        **{"timetable": "", **more},
        existing=joined,
        phases=timetable.words(timetable.phases(plan)),
        plans=list(_plans(document)),
        **foundation.frame(plan),
        uploads=[],
        prefix=scripts.prefix(lifecycle) if lifecycle else "",
        filled=[file.path for file in lifecycle if file.path.endswith(".json")],
        groups=groups or [plan.name],
        compute=[group.name for group in plan.node_groups],
        controller=running,
        timed_controller=bool(running and lifecycle and more.get("timed")),
        autoscaled=_autoscaled(document),
        continuous=document.get("NodeProvisioningMode") == "Continuous",
        on_eks=_on_eks(document),
        fixed=fixed_members.values(document),
    )
    return (
        *_scaling(plan, document),
        Artifact("deploy.sh", text, executable=True),
        json_artifact(UPDATE, update(plan, document)),
        Artifact(
            "verify.sh",
            verify.text(plan, kubernetes=_on_eks(document), copied=bool(lifecycle)),
            executable=True,
        ),
    )


def _scaling(plan: Plan, document: Mapping[str, Any]) -> Iterator[Artifact]:
    """The compute groups with zero nodes, for ``deploy.sh --pause``.

    An update does not change groups that it does not name. ``--resume`` relies on the name
    preceding the count to find the count to restore.
    """
    names = {group.name for group in plan.node_groups}
    found = document.get("InstanceGroups") or []
    groups = [g for g in found if isinstance(g, dict) and g.get("InstanceGroupName") in names]
    if not groups or _autoscaled(document):
        return
    request = {
        "ClusterName": document.get("ClusterName"),
        "InstanceGroups": [
            {
                "InstanceGroupName": group["InstanceGroupName"],
                "InstanceCount": 0,
                **{name: group[name] for name in group if name not in _COUNTS},
            }
            for group in groups
        ],
    }
    yield json_artifact(SCALE, request)


def _groups(document: Mapping[str, Any]) -> list[str]:
    found = document.get("InstanceGroups") or []
    return [str(group.get("InstanceGroupName", "")) for group in found if isinstance(group, dict)]


def _plans(document: Mapping[str, Any]) -> Iterator[str]:
    """Two words for each group with a training plan, as ``hyperpod/plans.sh.j2`` reads them."""
    for group in Document(dict(document)).groups:
        if plan := group.data.get("TrainingPlanArn"):
            yield from (group.name, str(plan).rpartition("/")[2])


def _autoscaled(document: Mapping[str, Any]) -> bool:
    found = document.get("AutoScaling")
    return isinstance(found, Mapping) and found.get("Mode") == "Enable"


def _on_eks(document: Mapping[str, Any]) -> bool:
    return "Eks" in (document.get("Orchestrator") or {})
